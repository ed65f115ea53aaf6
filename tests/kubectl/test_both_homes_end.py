"""Deleting, waiting and ending: what goes, what stays, and what kubectl waits for, the same at both homes."""

from tests.support.both_homes import Given
from tests.support.widgets import definition, version, widget

from holdfast.api.errors import NotFound
from holdfast.api.wire import Request


def config(name, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"a": "1"}}


BOOKS = {
    "apiVersion": "longhorn.io/v1beta2",
    "kind": "DiskSchedule",
    "metadata": {"name": "d", "finalizers": ["longhorn.io"]},
    "spec": {"name": "disk-1", "nodeID": "node-1", "replicas": {"first": 5}},
}
LET_GO = """'[{"op":"remove","path":"/metadata/finalizers"}]'"""


async def test_the_same_is_deleted(homes_of_any_kubectl):
    """By name, by label, by field, all of it; and what is not there."""
    homes = homes_of_any_kubectl
    await homes.say_the_same(
        Given("create -f -", [config(name, labels={"n": name[0]}) for name in ("a1", "a2", "b1", "b2", "c1", "c2")]),
        "delete cm a1",
        "delete cm a1",
        "delete cm a1 --ignore-not-found",
        "delete cm a2 -o name",
        "delete cm -l n=b --dry-run=server",
        "delete cm -l n=b",
        "delete cm --field-selector metadata.name=c1",
        "delete cm c2 --now",
        "delete cm/none sa/none",
        "create configmap forced --from-literal=a=b",
        "delete cm forced --grace-period=0 --force",
        Given("create -f -", [config("x"), config("y")]),
        Given("delete -f -", [config("x"), config("y")]),
        Given("delete -f -", [config("x")]),
        "delete namespace default",
        "delete namespace kube-system --dry-run=server",
        "delete lease --all",
        "delete nothing x",
        "get cm",
    )


async def test_what_is_held_goes_when_it_is_let_go(homes):
    """A finalizer is respected, and what waits for the end hears of it."""
    await homes.say_the_same(
        Given("create -f -", [BOOKS]),
        "delete lhds d --wait=false",
        "get lhds d -o json",
        "delete lhds d --timeout=0.2s",
        "delete lhds d --wait=false",
        """patch lhds d --type=merge -p '{"metadata":{"finalizers":["longhorn.io","example.com/more"]}}'""",
        """patch lhds d --type=merge -p '{"spec":{"replicas":{"first":6}}}' -o json""",
        "label lhds d still=here",
        f"patch lhds d --type=json -p {LET_GO}",
        "wait --for=delete lhds/d --timeout=20s",
        "get lhds d",
        Given("create -f -", [config("held", finalizers=["example.com/x"])]),
        "delete cm held --wait=false",
        "get cm held -o json",
        f"patch cm held --type=json -p {LET_GO}",
        "get cm held",
    )


async def test_the_same_can_be_waited_for(homes):
    """Scripts wait for creation, a value, a condition and an end."""
    status = """'{"status":{"conditions":[{"type":"Schedulable","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}'"""
    await homes.say_the_same(
        "wait --for=create cm/c --timeout=0.2s",
        Given("create -f -", [config("c"), BOOKS]),
        "wait --for=create cm/c --timeout=10s",
        "wait --for=jsonpath={.data.a}=1 cm/c --timeout=10s",
        "wait --for=jsonpath={.data.a} cm c --timeout=10s",
        "wait --for=condition=Schedulable lhds/d --timeout=0.2s",
        f"patch lhds d --subresource=status --type=merge -p {status}",
        "wait --for=condition=Schedulable lhds/d --timeout=10s",
        "wait --for=condition=Schedulable=true lhds --all --timeout=10s",
        "wait --for=delete cm/none --timeout=10s",
        "wait --for=condition=Established crd/diskschedules.longhorn.io --timeout=10s",
        f"patch lhds d --type=json -p {LET_GO}",
    )


async def test_what_is_owned_fares_alike(homes):
    """With its owner in the background or before it, or left behind."""
    for cascade in ("background", "foreground", "orphan"):
        await homes.say_the_same(Given("create -f -", [config("owner")]))
        for kubectl in (homes.ours, homes.real):
            uid = (await kubectl("get", "cm", "owner", "-n", homes.namespace, "-o", "jsonpath={.metadata.uid}")).out
            owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid, "blockOwnerDeletion": True}
            await kubectl("create", "-n", homes.namespace, "-f", "-", given=config("child", ownerReferences=[owner]))
        await homes.say_the_same(
            f"delete cm owner --cascade={cascade} --timeout=30s",
            "wait --for=delete cm/child --timeout=30s" if cascade != "orphan" else "get cm child -o json",
            "get cm -o name",
        )


async def test_a_namespace_ends_alike(homes):
    """With all that is in it, once nothing is held any more; nothing new comes in meanwhile."""
    name = f"{homes.namespace}-attic"
    await homes.say_the_same(
        f"create namespace {name}",
        f"create namespace {name}",
        f"create configmap c -n {name} --from-literal=a=b",
        Given(f"create -n {name} -f -", [BOOKS, config("held", finalizers=["example.com/x"])]),
        f"delete namespace {name} --wait=false",
        f"wait ns/{name} --for=jsonpath={{.status.phase}}=Terminating --timeout=20s",
        f"wait -n {name} --for=delete cm/c --timeout=30s",
        f"get ns {name}",
        f"create configmap late -n {name}",
        f"delete namespace {name} --timeout=0.2s",
        f"patch -n {name} lhds d --type=json -p {LET_GO}",
        f"patch -n {name} cm held --type=json -p {LET_GO}",
        f"wait --for=delete ns/{name} --timeout=30s",
        f"get ns {name}",
        f"get cm,lhds -n {name}",
        f"create configmap late -n {name}",
    )


async def test_a_kind_comes_and_goes_alike(homes, admin):
    """From its definition to its end: names, versions, columns, defaults, pruning, and what is left."""
    two = definition(version("v1"), version("v2", storage=False))
    try:
        await homes.say_the_same(
            Given("create -f - --validate=false", [two]),
            "wait --for=condition=established crd/widgets.example.com --timeout=20s",
        )
        await _is_described(admin)
        await homes.say_the_same(
            Given("create -f -", [widget(parts={"a": 1}), widget("w2", color="green")]),
            Given("create -f -", [widget("w3", size=0, color="blue")]),
            Given("create -f -", [widget("w3", sise=1)]),
            Given("create -f - --validate=ignore -o json", [widget("w3", sise=1)]),
            "get wt",
            "get toys -o wide",
            "get widgets.v2.example.com w1 -o yaml",
            "get widgets.v1.example.com -o name",
            "get wt --sort-by=.spec.size",
            "explain wt.spec",
            "explain widget --recursive --api-version=example.com/v2",
            "api-resources --api-group=example.com -o wide",
            "get crd widgets.example.com -o yaml",
            """patch wt w1 --type=merge -p '{"spec":{"size":null}}'""",
            """patch wt w1 --type=merge -p '{"spec":{"color":null}}' -o json""",
            "delete wt w1 w2",
            Given("create -f -", [widget("held") | {"metadata": {"name": "held", "finalizers": ["example.com/x"]}}]),
            "delete crd widgets.example.com --wait=false",
            "wait --for=condition=Terminating crd/widgets.example.com --timeout=20s",
            "wait --for=delete wt/w3 --timeout=20s",
            "get wt",
            Given("create -f -", [widget("late")]),
            f"patch wt held --type=json -p {LET_GO}",
            "wait --for=delete crd/widgets.example.com --timeout=30s",
            "get crd widgets.example.com",
        )
    finally:
        await homes.both("patch", "wt", "held", "--type=json", "-p", LET_GO.strip("'"))
        await homes.both("delete", "crd", "widgets.example.com", "--ignore-not-found")


async def _is_described(admin):
    """The server calls a definition established before it is described: that is done by a controller of its own."""
    described = b""
    while b"/widgets" not in described:
        try:
            described = (await admin.send(Request("GET", "/openapi/v3/apis/example.com/v2"))).body
        except NotFound:
            described = b""
