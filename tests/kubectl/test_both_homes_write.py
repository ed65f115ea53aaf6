"""What kubectl changes is changed alike, and said alike, at both homes."""

import json

from tests.support.both_homes import Given

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "labels": {"l": "1"}}, "data": {"a": "1", "b": "2"}}
CHANGED = CONFIG | {"metadata": {"name": "c", "annotations": {"note": "new"}}, "data": {"a": "3", "c": "4"}}
BOOKS = {
    "apiVersion": "longhorn.io/v1beta2",
    "kind": "DiskSchedule",
    "metadata": {"name": "d"},
    "spec": {"name": "disk-1", "nodeID": "node-1", "replicas": {"first": 5, "second": 7}},
}
BOOKS_CHANGED = BOOKS | {"spec": {"name": "disk-1", "nodeID": "node-1", "replicas": {"second": 8, "third": 1}}}
LEASE = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}


def made(*objects):
    return Given("create -f -", list(objects))


async def test_what_is_created_is_said_alike(homes):
    """Every way of create, and what comes of it."""
    await homes.say_the_same(
        "create configmap c --from-literal=a=b",
        "create configmap c --from-literal=a=b",
        "create configmap d --from-literal=a=b -o yaml",
        "create configmap e --from-literal=a=b --dry-run=server -o json",
        "get cm e",
        "create configmap Bad_Name",
        "create secret generic s --from-literal=a=b -o json",
        "create secret docker-registry r --docker-username=u --docker-password=p --docker-server=s -o json",
        "create secret generic bad --type=kubernetes.io/dockerconfigjson",
        "create serviceaccount robot -o yaml",
        "create -n nowhere configmap c",
        Given("create -f - -o yaml", [LEASE]),
        Given("create -f - -o yaml", [LEASE | {"metadata": {"generateName": "l-"}, "spec": {"leaseDurationSeconds": 0}}]),
        Given("create -f - -o json --save-config", [BOOKS]),
        Given("create -f -", [BOOKS]),
        Given("create -f -", [BOOKS | {"metadata": {"name": "e"}, "spec": {"replicas": {"r": "many"}}}]),
        Given("create -f -", [BOOKS | {"metadata": {"name": "e"}, "spec": {"replikas": {}}}]),
        Given("create --validate=warn -f - -o json", [BOOKS | {"metadata": {"name": "e"}, "spec": {"replikas": {}}}]),
        Given("create --validate=ignore -f - -o json", [BOOKS | {"metadata": {"name": "f"}, "spec": {"replikas": {}}}]),
        Given("create -f - -o json", [CONFIG | {"metadata": {"name": "g", "generation": 7, "finalizers": ["example.com/x"]}}]),
        Given("create -f -", [CONFIG | {"metadata": {"name": "h", "finalizers": ["nodomain"]}}]),
        Given("create -f -", [CONFIG | {"metadata": {"name": "h"}, "data": {"a b": "c"}}]),
        Given("create -f -", [CONFIG | {"metadata": {"name": "h", "labels": {"a b": "c"}}}]),
        Given("create -f -", [CONFIG | {"metadata": {"name": "h"}, "data": {"a": 1}}]),
        Given("create -f -", [CONFIG | {"metadata": {"name": "h"}, "dada": {}}]),
        Given("create -f -", [{"apiVersion": "v1", "kind": "Nothing", "metadata": {"name": "h"}}]),
        Given("create -f -", [{"apiVersion": "nowhere.io/v1", "kind": "Nothing", "metadata": {"name": "h"}}]),
    )


async def test_what_is_applied_ends_alike(homes_of_any_kubectl):
    """Apply adds, changes and takes back, by a strategic patch for built-in kinds and a merge patch for others."""
    homes = homes_of_any_kubectl
    await homes.say_the_same(
        Given("apply -f -", [CONFIG, BOOKS]),
        Given("apply -f -", [CONFIG, BOOKS]),
        "get cm c -o json",
        Given("diff -f -", [CHANGED, BOOKS_CHANGED]),
        Given("diff -f -", [CONFIG, BOOKS]),
        Given("apply --dry-run=server -f - -o yaml", [CHANGED]),
        Given("apply --dry-run=client -f -", [CHANGED]),
        """patch cm c -p '{"data":{"theirs":"5"}}'""",
        Given("apply -f -", [CHANGED, BOOKS_CHANGED]),
        "get cm c -o json",
        "get lhds d -o json",
        "apply view-last-applied cm/c",
        "apply view-last-applied lhds/d -o json",
        Given("apply set-last-applied -f -", [CONFIG]),
        "apply view-last-applied cm/c",
        Given("apply -f - -o json", [CONFIG | {"immutable": True}]),
        Given("apply -f -", [CHANGED]),
        Given("apply --force -f -", [CHANGED]),
        Given("apply -f -", [BOOKS | {"spec": {"replicas": []}}]),
        Given(
            "apply --prune -l l=1 --prune-allowlist=core/v1/ConfigMap -f -", [CONFIG | {"metadata": {"name": "n", "labels": {"l": "1"}}}]
        ),
        "get cm -o name",
        Given("apply -f - -o name", [LEASE]),
        Given("apply -f - -o json", [LEASE | {"spec": {"holderIdentity": "you", "leaseDurationSeconds": 3}}]),
    )


async def test_what_is_patched_ends_alike(homes):
    """Three kinds of patches; one of them is for built-in kinds alone."""
    owner = {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u-1"}]}}
    await homes.say_the_same(
        made(CONFIG, BOOKS, LEASE),
        """patch cm c -p '{"data":{"x":"y","a":null}}' -o json""",
        """patch cm c -p '{"data":{"$patch":"replace","only":"this"}}' -o json""",
        """patch cm c -p '{"metadata":{"finalizers":["example.com/a"]}}' -o json""",
        """patch cm c -p '{"metadata":{"finalizers":["example.com/b"]}}' -o json""",
        """patch cm c -p '{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/a"]}}' -o json""",
        f"patch cm c -p '{json.dumps(owner)}' -o json",
        """patch cm c -p '{"metadata":{"ownerReferences":[{"uid":"u-1","$patch":"delete"}]}}' -o json""",
        """patch cm c --type=merge -p '{"metadata":{"finalizers":null,"labels":{"l":null}}}' -o json""",
        """patch cm c --type=json -p '[{"op":"test","path":"/data/only","value":"this"},{"op":"remove","path":"/data/only"}]' -o json""",
        """patch cm c --type=json -p '[{"op":"test","path":"/data/only","value":"that"}]'""",
        """patch cm c --type=json -p '[{"op":"remove","path":"/data/nothing"}]'""",
        """patch cm c --type=json -p '[{"op":"add","path":"/metadata/labels","value":{"m":"1"}}]' -o json""",
        """patch cm c --type=json -p '[{"op":"move","from":"/metadata/labels/m","path":"/metadata/labels/n"}]' -o json""",
        """patch cm c -p '{}'""",
        """patch cm c --type=merge -p '[]'""",
        """patch cm c --type=merge -p '{"metadata":{"name":"other"}}'""",
        """patch cm c --type=merge -p '{"metadata":{"resourceVersion":"1"}}'""",
        """patch cm c --type=merge -p '{"metadata":{"uid":"other"}}'""",
        """patch cm c --type=merge -p '{"data":{"a":1}}'""",
        """patch cm none -p '{"data":{}}'""",
        """patch lhds d -p '{"spec":{}}'""",
        """patch lhds d --type=merge -p '{"spec":{"replicas":{"first":null,"third":3}},"status":{"storageScheduled":9}}' -o json""",
        """patch lhds d --type=merge --subresource=status -p '{"spec":{"replicas":null},"status":{"storageScheduled":9}}' -o json""",
        """patch lhds d --type=json -p '[{"op":"replace","path":"/spec/replicas/third","value":4}]' -o json""",
        """patch lhds d --type=merge -p '{"spec":{"replicas":{"third":"many"}}}'""",
        """patch lhds d --type=merge -p '{"spec":{"replikas":{}}}'""",
        """patch lhds d --type=merge --dry-run=server -p '{"spec":{"replicas":{"fourth":4}}}' -o json""",
        """patch lhds d --subresource=scale --type=merge -p '{"spec":{"replicas":1}}'""",
        "get lhds d -o json",
        """patch lease l -p '{"spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}}' -o json""",
        """patch lease l --type=merge -p '{"spec":{"leaseDurationSeconds":0}}'""",
        f"""patch ns {homes.namespace} -p '{{"metadata":{{"labels":{{"a":"b"}}}}}}' -o json""",
    )


async def test_labels_and_annotations_are_written_alike(homes):
    """Metadata is written by everybody, every day."""
    await homes.say_the_same(
        made(CONFIG, BOOKS, {**CONFIG, "metadata": {"name": "d"}}),
        "label cm c shelf=a row=1",
        "label cm c row-",
        "label cm c shelf=b",
        "label cm c shelf=b --overwrite -o json",
        "label cm c shelf=b --overwrite",
        "label cm c none-",
        "label cm c 'bad label=1'",
        "label cm --all every=yes",
        "label cm -l shelf=b few=yes -o name",
        "label cm c shelf=c --overwrite --resource-version=1",
        "label cm c shelf=c --overwrite --dry-run=server -o json",
        "label lhds d shelf=a -o json",
        "label ns default never-",
        "annotate cm c note=fragile",
        "annotate cm c note=solid",
        "annotate cm c note=solid --overwrite -o yaml",
        "annotate cm --all other=1",
        "annotate lhds d note=x",
        "annotate lhds d note-",
        "annotate cm none a=b",
        "get cm,lhds --show-labels",
        "get cm c -o json",
        "get lhds d -o json",
    )


async def test_what_is_edited_ends_alike(homes, tmp_path):
    """``kubectl edit`` reads, compares and patches."""
    environment = {}
    for name, change in (("data", 's/a: "1"/a: edited/'), ("spec", "s/first: 5/first: 6/"), ("nothing", "")):
        editor = tmp_path / f"editor-of-{name}"
        editor.write_text(f"#!/bin/sh\nsed -i '{change}' \"$1\"\n")
        editor.chmod(0o700)
        environment[name] = {"KUBE_EDITOR": str(editor)}
    await homes.say_the_same(
        made(CONFIG, BOOKS),
        Given("edit cm/c", environment=environment["data"]),
        Given("edit lhds/d", environment=environment["spec"]),
        Given("edit cm/c", environment=environment["nothing"]),
        Given("edit lhds/d -o json", environment=environment["nothing"]),
        "get cm/c lhds/d -o json",
        Given("edit cm/none", environment=environment["nothing"]),
    )


async def test_what_is_replaced_ends_alike(homes):
    """Replace writes the whole object, once for each version of it."""
    await homes.say_the_same(
        made(CONFIG, BOOKS),
        Given("replace -f - -o json", [CHANGED]),
        Given("replace -f - -o json", [BOOKS_CHANGED | {"status": {"storageScheduled": 1}}]),
        Given("replace -f - --subresource=status -o json", [BOOKS | {"status": {"storageScheduled": 2}}]),
        Given("replace -f -", [CHANGED | {"metadata": {"name": "c", "resourceVersion": "1"}}]),
        Given("replace -f -", [CHANGED | {"metadata": {"name": "c", "uid": "12345678-1234-4234-8234-123456789012"}}]),
        Given("replace -f -", [CHANGED | {"metadata": {"name": "none"}}]),
        Given("replace --force -f -", [CONFIG]),
        Given("replace --force -f -", [CONFIG | {"metadata": {"name": "none"}}]),
        Given("replace --dry-run=server -f - -o json", [CHANGED]),
        Given("replace -f -", [BOOKS | {"spec": {"replicas": {"r": "many"}}}]),
        "get cm c -o json",
        "get lhds d -o json",
    )
