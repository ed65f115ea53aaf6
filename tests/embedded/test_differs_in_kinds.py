"""Where single kinds, single values and single messages differ from Kubernetes' on purpose, as docs/embedded.md lists it."""

import pytest
from tests.support.raw_api import CONFIG_MAPS, CRDS, MERGE, NAMESPACES, WIDGETS, serving, widget_definition, with_widgets

_SECRETS = f"{NAMESPACES}/default/secrets"
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
_NODES = "/api/v1/nodes"
_EVENTS = f"{NAMESPACES}/default/events"


async def test_causes_come_in_one_order():
    """In Kubernetes those of a spec come by chance: Go walks through maps in another order each time."""
    async with serving() as api:
        await with_widgets(api)
        bad = {"metadata": {"name": "w"}, "spec": {"size": "x", "mode": 5}}
        told = [[cause["field"] for cause in (await api.post(WIDGETS, bad)).body["details"]["causes"]] for _ in range(5)]
        assert told == [told[0]] * 5


async def test_warnings_are_sorted():
    """In Kubernetes unknown fields are told as they come, and in a patch after those that stand twice."""
    async with serving() as api:
        body = b'{"metadata": {"name": "a"}, "z": 1, "b": 1, "data": {"k": "1", "k": "2"}}'
        warning = (await api.send("POST", CONFIG_MAPS, body)).headers["warning"].replace("\\", "")
        assert [part.split('"')[2] for part in warning.split(", ")] == ["b", "z", "data.k"]


@pytest.mark.parametrize("before, after", [({}, {}), ({}, None), ({"a": ""}, {"a": None})])
async def test_no_bytes_are_no_bytes(before, after):
    """In Kubernetes null and the empty value differ until they are read again: 422 where immutable, else one more revision."""
    async with serving() as api:
        made = await api.post(_SECRETS, {"metadata": {"name": "a"}, "immutable": True, "data": before})
        again = await api.put(f"{_SECRETS}/a", {"metadata": {"name": "a"}, "immutable": True, "data": after})
        assert (again.code, again.version) == (200, made.version)


@pytest.mark.parametrize("finalizer", ["orphan", "foregroundDeletion"])
@pytest.mark.parametrize("options", [{"propagationPolicy": "Background"}, {"orphanDependents": False}])
async def test_a_rehearsed_end_is_told_as_the_end(options, finalizer):
    """Where it takes the finalizer of another policy away, Kubernetes shows an object with nothing in it."""
    async with serving() as api:
        await api.has("a", metadata={"finalizers": [finalizer]})
        rehearsed = await api.delete(f"{CONFIG_MAPS}/a", {"dryRun": ["All"], **options})
        assert (rehearsed.body["kind"], rehearsed.body["status"]) == ("Status", "Success")
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 200


@pytest.mark.parametrize("sent, given", [("-0.0", "0"), ("1000.0", "1000"), ("1e3", "1000")])
async def test_a_number_is_the_same_however_it_is_written(sent, given):
    """In Kubernetes it is another one than that which it is given back as, so writing it again is one more revision and generation."""
    async with serving() as api:
        made = widget_definition()
        made["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        assert (await api.post(CRDS, made)).code == 201
        body = f'{{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {{"name": "w"}}, "n": {sent}}}'.encode()
        kept = await api.send("POST", WIDGETS, body)
        assert str(kept.body["n"]) == given
        again = await api.send("PATCH", f"{WIDGETS}/w", f'{{"n": {sent}}}'.encode(), kind=MERGE)
        assert (again.code, again.version, again.body["metadata"]["generation"]) == (200, kept.version, 1)


async def test_a_definition_that_goes_says_at_once_what_happens():
    """In Kubernetes it is pending first, for a moment."""
    async with serving() as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS, metadata={"finalizers": ["x.y/z"]}, spec={"size": 1})
        dying = await api.delete(f"{CRDS}/widgets.example.com")
        reasons = [condition["reason"] for condition in dying.body["status"]["conditions"] if condition["type"] == "Terminating"]
        assert reasons == ["InstanceDeletionInProgress"]


async def test_the_status_of_a_definition_stays_true():
    """In Kubernetes whoever may write it can take its kind out of service, and make versions up."""
    async with serving() as api:
        await with_widgets(api)
        path = f"{CRDS}/widgets.example.com/status"
        other = {"type": "Other", "status": "True", "reason": "Said", "message": ""}
        told = await api.patch(path, {"status": {"conditions": [other]}})
        assert {condition["type"] for condition in told.body["status"]["conditions"]} == {"NamesAccepted", "Established", "Other"}
        assert (await api.patch(path, {"status": {"storedVersions": ["v9"]}})).code == 422


async def test_a_bookmark_is_metadata_alone():
    """In Kubernetes that of a Lease has an empty spec: it is an object of the kind, never filled in."""
    async with serving() as api:
        watch = await api.watch(_LEASES, sendInitialEvents="true", allowWatchBookmarks="true", resourceVersionMatch="NotOlderThan")
        event = await watch.next()
        assert (event["type"], sorted(event["object"])) == ("BOOKMARK", ["apiVersion", "kind", "metadata"])
        await watch.close()


@pytest.mark.parametrize(
    "path, fields",
    [
        (
            _NODES,
            {
                "spec": {"podCIDR": "10.0.0.0/24", "unschedulable": False},
                "status": {"capacity": {"cpu": 1, "memory": "1024Mi"}, "images": []},
            },
        ),
        (f"{NAMESPACES}/default/serviceaccounts", {"secrets": [{"name": "a", "kind": ""}], "imagePullSecrets": []}),
        (_EVENTS, {"involvedObject": {"namespace": "default", "kind": ""}, "firstTimestamp": "2026-01-02T05:04:05+02:00", "reason": ""}),
    ],
)
async def test_some_kinds_are_kept_as_they_were_written(path, fields):
    """Kubernetes leaves out what is empty, writes times in UTC and quantities in one form, and completes Nodes."""
    async with serving() as api:
        made = (await api.post(path, {"metadata": {"name": "a"}, **fields})).body
        assert {field: made[field] for field in fields} == fields


@pytest.mark.parametrize(
    "path, fields",
    [
        (_NODES, {"spec": {"podCIDR": "x"}}),
        (_NODES, {"status": {"capacity": {"cpu": "x"}}}),
        (_NODES, {"spec": {"taints": [{"key": "a", "effect": "Odd"}, {"key": "a", "effect": "Odd"}]}}),
        (_EVENTS, {"involvedObject": {"namespace": "default"}, "firstTimestamp": "x"}),
        (_EVENTS, {"involvedObject": {"namespace": "default"}, "eventTime": "2026-01-02T03:04:05.000000Z"}),
    ],
)
async def test_some_values_are_not_judged(path, fields):
    """Nothing here acts on them, whether they are new or changed."""
    async with serving() as api:
        assert (await api.post(path, {"metadata": {"name": "a"}, **fields})).code == 201
        if path == _NODES:
            for number in (0, 1):
                assert (await api.patch(f"{_NODES}/a", {"spec": {"podCIDR": f"10.{number}.0.0/24", "providerID": f"{number}"}})).code == 200


async def test_a_namespace_has_one_finalizer_of_its_own():
    """Kubernetes keeps others that a new one comes with, and judges them."""
    async with serving() as api:
        made = await api.post(NAMESPACES, {"metadata": {"name": "n"}, "spec": {"finalizers": ["x.y/z"]}})
        assert made.body["spec"] == {"finalizers": ["kubernetes"]}


async def test_what_a_namespace_says_of_its_end_is_not_judged():
    """Only whether there is a finalizer matters here, and the phase follows from what is so."""
    async with serving() as api:
        await api.post(NAMESPACES, {"metadata": {"name": "n"}})
        held = await api.put(f"{NAMESPACES}/n/finalize", {"metadata": {"name": "n"}, "spec": {"finalizers": ["plain"]}})
        assert (held.code, held.body["spec"]) == (200, {"finalizers": ["plain"]})
        told = await api.patch(f"{NAMESPACES}/n/status", {"status": {"phase": "Terminating"}})
        assert (told.code, told.body["status"]) == (200, {"phase": "Active"})


async def test_a_group_of_kubernetes_is_not_spoken_of_in_conditions():
    """Kubernetes says in one more condition who approved it."""
    async with serving() as api:
        made = widget_definition()
        made["spec"]["group"] = "example.k8s.io"
        made["metadata"] = {"name": "widgets.example.k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved, for a test"}}
        reply = await api.post(CRDS, made)
        assert {condition["type"] for condition in reply.body["status"]["conditions"]} == {"NamesAccepted", "Established"}


async def test_what_can_only_be_read_is_not_found_otherwise():
    """Kubernetes answers 405."""
    async with serving() as api:
        assert (await api.post("/version", {})).code == 404
