"""A namespace ends after what is in it; a kind ends after its objects."""

import asyncio

from tests.support.raw_api import CRDS, NAMESPACES, WIDGETS, Api, serving, widget_definition, with_widgets

from holdfast.embedded.memory_journal import MemoryJournal

THERE = f"{NAMESPACES}/there/configmaps"


async def marked(api: Api, path: str) -> None:
    """Wait until it is being deleted."""

    async def is_marked() -> bool:
        return "deletionTimestamp" in (await api.get(path)).body["metadata"]

    await api.until(is_marked)


async def test_a_namespace_goes_with_everything_in_it():
    """One command cleans up after an experiment."""
    async with serving(background=True) as api:
        await with_widgets(api)
        await api.has("there", path=NAMESPACES)
        await api.has("a", "b", path=THERE)
        await api.has("w", path=WIDGETS.replace("default", "there"), spec={"size": 1})
        await api.has("elsewhere")

        reply = await api.delete(f"{NAMESPACES}/there")
        assert (reply.code, reply.body["status"]["phase"]) == (200, "Terminating")

        await api.gone(f"{NAMESPACES}/there")
        assert (await api.get("/api/v1/configmaps")).names == ["elsewhere"]
        assert (await api.get("/apis/example.com/v1/widgets")).names == []


async def test_nothing_comes_into_a_namespace_that_ends():
    """Else it might never be empty."""
    async with serving(background=True) as api:
        await api.has("there", path=NAMESPACES)
        await api.has("held", path=THERE, metadata={"finalizers": ["example.com/hold"]})
        await api.delete(f"{NAMESPACES}/there")

        refusal = await api.post(THERE, {"metadata": {"name": "late"}})
        assert (refusal.code, refusal.reason) == (403, "Forbidden")
        assert refusal.body["details"]["causes"][0]["reason"] == "NamespaceTerminating"
        assert "because it is being terminated" in refusal.words


async def test_a_namespace_waits_for_finalizers_and_says_so():
    """A namespace that hangs is a riddle unless it tells what it waits for."""
    async with serving(background=True) as api:
        await api.has("there", path=NAMESPACES)
        await api.has("held", path=THERE, metadata={"finalizers": ["example.com/hold"]})
        await api.delete(f"{NAMESPACES}/there")
        await marked(api, f"{THERE}/held")

        async def says_so() -> bool:
            return "conditions" in (await api.get(f"{NAMESPACES}/there")).body["status"]

        await api.until(says_so)
        (condition,) = (await api.get(f"{NAMESPACES}/there")).body["status"]["conditions"]
        assert "example.com/hold in 1 resource instances" in condition["message"]

        await api.patch(f"{THERE}/held", {"metadata": {"finalizers": None}})
        await api.gone(f"{NAMESPACES}/there")


async def test_an_end_goes_on_after_a_restart():
    """A server that died in the middle finishes what it began."""
    journal = MemoryJournal()
    async with serving(journal) as api:
        await api.has("there", path=NAMESPACES)
        await api.has("a", path=THERE)
        await api.delete(f"{NAMESPACES}/there")
        assert (await api.get(f"{THERE}/a")).code == 200

    async with serving(journal, background=True) as api:
        await api.gone(f"{NAMESPACES}/there")
        assert (await api.get("/api/v1/configmaps")).names == []


async def test_what_holds_a_namespace_is_changed_by_finalize_alone():
    """An edit of a namespace must not free it by accident; who means it uses the path that is made for it."""
    async with serving() as api:
        await api.has("there", path=NAMESPACES)
        edited = await api.patch(f"{NAMESPACES}/there", {"spec": {"finalizers": []}, "status": {"phase": "x"}})
        assert (edited.body["spec"], edited.body["status"]) == ({"finalizers": ["kubernetes"]}, {"phase": "Active"})

        await api.delete(f"{NAMESPACES}/there")
        body = (await api.get(f"{NAMESPACES}/there")).body
        body["spec"]["finalizers"] = []
        assert (await api.put(f"{NAMESPACES}/there/finalize", body)).code == 200
        assert (await api.get(f"{NAMESPACES}/there")).code == 404


async def test_a_kind_goes_with_its_objects():
    """Deleting a definition deletes what it defined, finalizers respected."""
    async with serving(background=True) as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS, spec={"size": 1})
        await api.has("held", path=WIDGETS, metadata={"finalizers": ["example.com/hold"]}, spec={"size": 1})
        await api.delete(f"{CRDS}/widgets.example.com")
        await api.gone(f"{WIDGETS}/w")

        assert (await api.post(WIDGETS, {"metadata": {"name": "late"}, "spec": {}})).code == 403
        await api.patch(f"{WIDGETS}/held", {"metadata": {"finalizers": None}})
        await api.gone(f"{CRDS}/widgets.example.com")
        assert (await api.get(WIDGETS)).code == 404

        assert (await api.post(CRDS, widget_definition())).code == 201
        assert (await api.get(WIDGETS)).names == []


async def test_a_full_namespace_ends_in_steps():
    """Thousands of deletions in one go would keep everybody else waiting."""
    async with serving(background=True) as api:
        await api.has("there", path=NAMESPACES)
        await asyncio.gather(*(api.has(f"c{number}", path=THERE) for number in range(600)))
        watch = await api.watch("/api/v1/configmaps", resourceVersion=api.server.store.revision)
        await api.delete(f"{NAMESPACES}/there")
        await api.gone(f"{NAMESPACES}/there")

        assert {(await watch.told())[0] for _ in range(600)} == {"DELETED"}
        await watch.close()
