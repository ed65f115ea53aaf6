"""The example of the specification, as it stands there. D-39."""

from typing import Any

import yaml
from tests.support.ledgers import NOW, disk_status, node, setting

from holdfast.api.longhorn import DiskSchedule
from holdfast.api.struct import from_builtins, to_builtins
from holdfast.decide.ledger import decide
from holdfast.decide.policy import policy_of
from holdfast.decide.snapshot import situation_of

EXAMPLE = """
apiVersion: longhorn.io/v1beta2
kind: DiskSchedule
metadata:
  finalizers:
    - longhorn.io
  name: aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
  namespace: longhorn-system
spec:
  name: example-disk
  nodeID: example-node
  replicas:
    r1: 53687091200
    r2: 53687091200
    r3: 536870912000
    r4: 5368709120
  backingImages:
    b1: 53687091200
    b2: 53687091200
status:
  replicas:
    r1:
      state: scheduled
      scheduledSize: 53687091200
    r2:
      state: scheduled
      scheduledSize: 53687091200
    r3:
      state: rejected
      scheduledSize: 0
    # r4 is pending - present in spec but not yet in status
  backingImages:
    b1:
      state: scheduled
      scheduledSize: 53687091200
    b2:
      state: scheduled
      scheduledSize: 53687091200
  storageScheduled: 214748364800
  conditions:
    - lastProbeTime: ""
      lastTransitionTime: "2006-01-02T15:04:05Z"
      message: Disk example-disk is ready for scheduling on node example-node
      reason: ""
      status: "True"
      type: Schedulable
"""


def decided(document: dict[str, Any]) -> dict[str, Any]:
    """The status of the example's disk, of 400Gi, under the rule of the text: only the fields that the text knows."""
    schedule = from_builtins(document, DiskSchedule)
    policy = policy_of([setting("disk-schedule-limit", "storage-available")])
    situation = situation_of(schedule, node(disk_status(total="400Gi")), policy, lambda _name: None, lambda _name: None)
    status = to_builtins(decide(situation, NOW).status)
    for entries in (status["replicas"], status["backingImages"]):
        for name, entry in entries.items():
            entries[name] = {"state": entry["state"], "scheduledSize": entry["scheduledSize"]}
    return {field: status[field] for field in ("replicas", "backingImages", "storageScheduled", "conditions")}


def test_the_example_is_what_the_ledger_decides():
    """D-39: r1, r2, b1 and b2 are scheduled, r3 is rejected, the sum and the condition are as printed, while r4 has not asked yet."""
    document = yaml.safe_load(EXAMPLE)
    wanted = document.pop("status")
    del document["spec"]["replicas"]["r4"]
    assert decided(document) == wanted


def test_the_waiting_ask_of_the_example_is_decided_next():
    """D-38, D-39, D-43: r4 waits in spec; the next verdict grants it and leaves the others as they are."""
    document = yaml.safe_load(EXAMPLE)
    before = document["status"]
    after = decided(document)
    assert after["replicas"] == before["replicas"] | {"r4": {"state": "scheduled", "scheduledSize": 5368709120}}
    assert after["backingImages"] == before["backingImages"]
    assert after["storageScheduled"] == before["storageScheduled"] + 5368709120
    assert after["conditions"] == before["conditions"]


def test_the_example_round_trips():
    """D-29 to D-36: every field of the text is a field of the type."""
    document = yaml.safe_load(EXAMPLE)
    travelled = to_builtins(from_builtins(document, DiskSchedule))
    assert travelled["spec"] == document["spec"]
    assert travelled["status"].items() >= document["status"].items()
