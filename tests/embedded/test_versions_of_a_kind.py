"""A kind in several versions is one kind: the same objects, each in the version that it is asked for."""

from tests.support.raw_api import CRDS, MERGE, WIDGETS, serving, widget_definition

OLD = WIDGETS.replace("/v1/", "/v1alpha1/")


def two_versions():
    definition = widget_definition()
    (version,) = definition["spec"]["versions"]
    definition["spec"]["versions"] = [version, {**version, "name": "v1alpha1", "storage": False}]
    return definition


async def test_an_object_is_read_and_written_in_any_version():
    """Clients of last year and of this year share a cluster."""
    async with serving() as api:
        assert (await api.post(CRDS, two_versions())).code == 201
        made = await api.post(OLD, {"apiVersion": "example.com/v1alpha1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}})
        assert made.body["apiVersion"] == "example.com/v1alpha1"

        assert (await api.get(f"{WIDGETS}/w")).body == {**made.body, "apiVersion": "example.com/v1"}
        patched = await api.patch(f"{OLD}/w", {"spec": {"size": 2}}, kind=MERGE)
        assert (patched.code, patched.body["apiVersion"], patched.body["metadata"]["generation"]) == (200, "example.com/v1alpha1", 2)
        assert {item["apiVersion"] for item in (await api.get(OLD)).body["items"]} == {"example.com/v1alpha1"}
        assert (await api.put(f"{WIDGETS}/w", patched.body)).code == 400, "a body in another version than its path"


async def test_a_watch_tells_in_its_version():
    """Also what was written through the other."""
    async with serving() as api:
        await api.post(CRDS, two_versions())
        new, old = (
            await api.watch(WIDGETS, resourceVersion=api.server.store.revision),
            await api.watch(OLD, resourceVersion=api.server.store.revision),
        )
        await api.has("w", path=OLD, spec={"size": 1})
        for watch, version in ((new, "v1"), (old, "v1alpha1")):
            assert (await watch.next())["object"]["apiVersion"] == f"example.com/{version}"
            await watch.close()


async def test_objects_kept_in_an_old_version_are_told_in_the_new_one():
    """When the version that is kept moves on, what was kept before must not look like the past."""
    async with serving() as api:
        made = (await api.post(CRDS, two_versions())).body
        await api.has("w", path=WIDGETS, spec={"size": 1})
        for version in made["spec"]["versions"]:
            version["storage"] = version["name"] == "v1alpha1"
        assert (await api.put(f"{CRDS}/widgets.example.com", made)).code == 200

        assert (await api.get(OLD)).body["items"][0]["apiVersion"] == "example.com/v1alpha1"
        watch = await api.watch(OLD)
        assert (await watch.next())["object"]["apiVersion"] == "example.com/v1alpha1"
        await watch.close()
