"""What kubectl shows is what it shows of a real cluster: tables, objects, names, selections."""

from tests.support.both_homes import Given

CONFIGS = [
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "one", "labels": {"tier": "front", "n": "1"}},
        "data": {"a": "1", "b": "2"},
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "two", "labels": {"tier": "back", "n": "2"}},
        "binaryData": {"a": "AAEC"},
    },
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "three", "annotations": {"note": "fixed"}}, "immutable": True},
]

LEASE = {
    "apiVersion": "coordination.k8s.io/v1",
    "kind": "Lease",
    "metadata": {"name": "l"},
    "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15, "acquireTime": "2026-01-01T00:00:00.000000Z", "leaseTransitions": 2},
}
BOOKS = {
    "apiVersion": "longhorn.io/v1beta2",
    "kind": "DiskSchedule",
    "metadata": {"name": "d", "labels": {"tier": "back"}},
    "spec": {"name": "disk-1", "nodeID": "node-1", "replicas": {"first": 5, "second": 7}},
    "status": {"storageScheduled": 5},
}


async def test_the_same_tables(homes_of_any_kubectl):
    """The first thing that anybody looks at."""
    homes = homes_of_any_kubectl
    await homes.say_the_same(
        "get cm",
        Given("create -f -", CONFIGS),
        "get configmaps",
        "get cm one",
        "get cm -o wide",
        "get cm --show-labels",
        "get cm -L tier,n",
        "get cm --no-headers",
        "get cm --show-kind",
        "get cm --sort-by=.metadata.name",
        "get cm,sa",
        "get cm/one sa/default",
        "get cm one none",
        "get cm one none --ignore-not-found",
        "get nothing",
        "create secret generic s --from-literal=a=b --from-literal=c=d",
        "create secret generic t --type=example.com/t",
        "get secrets",
        "create serviceaccount robot",
        "get sa",
        "get sa -o wide",
        "get leases",
        "get events",
        f"get namespace {homes.namespace}",
        f"get ns {homes.namespace} default --show-labels",
        "get crd -l app.kubernetes.io/part-of=holdfast",
        "get crd disks.longhorn.io",
        "get crd nodes.longhorn.io diskschedules.longhorn.io replicas.longhorn.io",
        "get lhds",
        "get lhn",
    )


async def test_the_same_objects_in_every_form(homes):
    """Scripts take what they need from an object, whichever home it comes from."""
    await homes.say_the_same(
        Given("create -f - -o name", CONFIGS),
        "get cm one -o json",
        "get cm -o json",
        "get cm three -o yaml",
        "get cm -o name",
        "get cm one two -o name",
        "get cm -o jsonpath={.items[*].metadata.name}",
        "get cm one -o jsonpath-as-json={.data}",
        "get cm one -o 'go-template={{.data.a}}{{.kind}}'",
        "get cm -o custom-columns=NAME:.metadata.name,A:.data.a,IMMUTABLE:.immutable",
        "get sa default -o yaml",
        "get namespace default -o json",
        f"get namespace {homes.namespace} -o yaml",
        "create secret generic s --from-literal=a=b",
        "get secret s -o json",
        "create lease l --dry-run=client",
        Given("create -f -", LEASE),
        "get lease l -o json",
        "get leases",
        "get leases -o wide",
        Given("create -f -", BOOKS),
        "get lhds d -o json",
        "get lhds d -o yaml",
        "get lhds -o wide",
        "get api-extensions -l app.kubernetes.io/part-of=none -o name",
        "get cm one --output-watch-events -o yaml",
        "get --raw /api/v1/namespaces/default/configmaps/none",
    )


async def test_the_same_definitions(homes):
    """A definition comes back with what the server adds to it: names, defaults, conditions."""
    await homes.say_the_same(
        "get crd nodes.longhorn.io -o json",
        "get crd diskschedules.longhorn.io -o yaml",
        "get crd backingimages.longhorn.io settings.longhorn.io -o json",
        "get crd nodes.longhorn.io -o wide",
        "get crd/replicas.longhorn.io -o name",
    )


async def test_the_same_selections(homes):
    """The server selects, kubectl sorts and pages; the result must not tell which server it was."""
    await homes.say_the_same(
        Given("create -f -", CONFIGS),
        "get cm -l tier=front",
        "get cm -l tier!=front",
        "get cm -l 'tier in (front,back),n!=2'",
        "get cm -l '!tier'",
        "get cm -l tier -o name",
        "get cm -l n>1",
        "get cm -l 'tier in'",
        "get cm --field-selector metadata.name=one",
        "get cm --field-selector metadata.name!=one,metadata.name!=two -o name",
        f"get cm --field-selector metadata.namespace={homes.namespace} -o name",
        "get cm --field-selector data.a=1",
        "get cm --field-selector metadata.labels=1",
        f"get ns --field-selector status.phase=Active,metadata.name={homes.namespace}",
        f"get ns --field-selector status.phase=Terminating,metadata.name={homes.namespace}",
        "create secret generic s --type=example.com/t",
        "get secrets --field-selector type=example.com/t",
        "get secrets --field-selector type!=example.com/t",
        "get cm --chunk-size=2",
        "get cm --chunk-size=1 -o name",
        "get cm --chunk-size=1 -o json",
        "get cm --chunk-size=0 -o name",
        "get cm --sort-by=.metadata.labels.n -o name",
        "get cm --sort-by={.data.a}",
        "get cm --sort-by=.nothing.at.all",
        f"get cm -A --field-selector metadata.name=one,metadata.namespace={homes.namespace}",
        "get cm one -A",
        Given("create -f -", [BOOKS, {**BOOKS, "metadata": {"name": "e", "labels": {"tier": "front"}}}]),
        "get lhds -l tier=front",
        "get lhds --field-selector metadata.name=e",
        "get lhds --field-selector spec.name=e",
        "get lhds --sort-by=.metadata.name --chunk-size=1",
        "get cm,lhds -l tier=front -o name",
    )
