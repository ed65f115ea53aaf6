"""Where the embedded server answers otherwise than Kubernetes, and means to. docs/embedded.md lists the same."""

import pytest
from tests.support.raw_api import CONFIG_MAPS, STRATEGIC, WIDGETS, serving, with_widgets


@pytest.mark.parametrize(
    "method, path, body, query",
    [
        ("POST", CONFIG_MAPS, {"metadata": {"name": "new", "resourceVersion": "1"}}, {}),
        ("GET", CONFIG_MAPS, None, {"resourceVersion": "abc"}),
        ("PATCH", f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"$patch": "odd"}}}, {}),
    ],
)
async def test_a_request_that_kubernetes_trips_over_is_refused(method, path, body, query):
    """It says 500 there, which sends people to look for the fault in the server."""
    async with serving() as api:
        await api.has("a", metadata={"labels": {"l": "1"}})
        reply = await api.send(method, path, body, STRATEGIC if method == "PATCH" else "application/json", **query)

        assert (reply.code, reply.reason) == (400, "BadRequest")


async def test_a_write_that_changes_nothing_is_no_revision_whoever_makes_it():
    """Kubernetes makes one to note down, in managedFields, who tried to write what he may not."""
    async with serving() as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS, spec={"size": 1})
        before = await api.get(f"{WIDGETS}/w")
        after = await api.patch(f"{WIDGETS}/w/status", {"spec": {"size": 2}, "metadata": {"labels": {"l": "1"}}})

        assert (after.code, after.version) == (200, before.version)


async def test_a_cause_is_told_once():
    """Kubernetes looks at some of the metadata twice, and then tells twice what is wrong with it."""
    async with serving() as api:
        await api.has("a")
        refused = await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"uid": "another"}})

        assert [cause["field"] for cause in refused.body["details"]["causes"]] == ["metadata.uid"]


async def test_what_one_patch_takes_away_and_brings_is_taken_away():
    """In Kubernetes it depends on the order in which Go happens to walk through the patch."""
    async with serving() as api:
        await api.has("a", metadata={"finalizers": ["x.y/z"]})
        patch = {"metadata": {"finalizers": ["x.y/z", "x.y/w"], "$deleteFromPrimitiveList/finalizers": ["x.y/z"]}}

        assert (await api.patch(f"{CONFIG_MAPS}/a", patch, kind=STRATEGIC)).body["metadata"]["finalizers"] == ["x.y/w"]


async def test_a_lease_that_is_made_by_a_put_is_alive():
    """In Kubernetes the times of another one's end come with it."""
    path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l"
    async with serving() as api:
        made = await api.put(
            path, {"metadata": {"name": "l", "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5}}
        )

        assert made.code == 201
        assert {"deletionTimestamp", "deletionGracePeriodSeconds"} & made.body["metadata"].keys() == set()


async def test_who_owns_itself_does_not_wait_for_itself():
    """In Kubernetes what is named as its own owner by mistake, or a circle, waits for ever until a person takes the finalizer away."""
    async with serving(background=True) as api:
        (one,) = await api.has("one")
        await api.patch(
            f"{CONFIG_MAPS}/one",
            {
                "metadata": {
                    "ownerReferences": [
                        {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "uid": one["metadata"]["uid"], "blockOwnerDeletion": True}
                    ]
                }
            },
        )

        await api.delete(f"{CONFIG_MAPS}/one", propagationPolicy="Foreground")
        await api.gone(f"{CONFIG_MAPS}/one")
