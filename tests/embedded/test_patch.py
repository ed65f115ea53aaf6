"""Three kinds of patch, as kube-apiserver reads them."""

import pytest
from tests.support.raw_api import CONFIG_MAPS, JSON, JSON_PATCH, MERGE, STRATEGIC, WIDGETS, serving, with_widgets


async def test_a_merge_patch_sets_and_removes():
    """Null removes, the rest stays."""
    async with serving() as api:
        await api.has("a", data={"keep": "1", "drop": "1"})
        reply = await api.patch(f"{CONFIG_MAPS}/a", {"data": {"drop": None, "new": "2"}})
        assert (reply.code, reply.body["data"]) == (200, {"keep": "1", "new": "2"})


async def test_a_json_patch_runs_all_or_nothing():
    """A failed test is how a client says "only if"; nothing before it may stick."""
    async with serving() as api:
        await api.has("a", data={"n": "1"})
        replace = {"op": "replace", "path": "/data/n", "value": "2"}
        refusal = await api.patch(f"{CONFIG_MAPS}/a", [replace, {"op": "test", "path": "/data/n", "value": "1"}], kind=JSON_PATCH)

        assert (refusal.code, refusal.reason, refusal.words) == (
            422,
            "Invalid",
            "the server rejected our request due to an error in our request",
        )
        assert "causes" not in refusal.body.get("details", {})
        assert (await api.get(f"{CONFIG_MAPS}/a")).body["data"] == {"n": "1"}
        assert (await api.patch(f"{CONFIG_MAPS}/a", [replace], kind=JSON_PATCH)).body["data"] == {"n": "2"}


async def test_a_test_for_null_passes_on_an_absent_key():
    """How an ask says that nobody has asked yet."""
    async with serving() as api:
        await api.has("a", data={"n": "1"})
        absent = {"op": "test", "path": "/data/absent", "value": None}
        assert (await api.patch(f"{CONFIG_MAPS}/a", [absent], kind=JSON_PATCH)).code == 200
        assert (await api.patch(f"{CONFIG_MAPS}/a", [{**absent, "path": "/data/n"}], kind=JSON_PATCH)).code == 422
        assert (await api.patch(f"{CONFIG_MAPS}/a", [{**absent, "path": "/binaryData/n"}], kind=JSON_PATCH)).code == 422


async def test_a_strategic_patch_merges_lists_of_kubernetes_kinds():
    """Kubectl sends it for the kinds it knows."""
    async with serving() as api:
        await api.has("n", path="/api/v1/nodes", metadata={"finalizers": ["a.b/c"]})
        reply = await api.patch("/api/v1/nodes/n", {"metadata": {"finalizers": ["d.e/f"]}}, kind=STRATEGIC)
        assert set(reply.body["metadata"]["finalizers"]) == {"a.b/c", "d.e/f"}


async def test_a_custom_kind_takes_no_strategic_patch_and_nobody_server_side_apply():
    """The server knows no merge keys of theirs; kubectl falls back by itself."""
    async with serving() as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS, spec={"size": 1})
        await api.has("a")

        strategic = await api.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, kind=STRATEGIC)
        assert (strategic.code, strategic.reason) == (415, "UnsupportedMediaType")
        for path in (f"{WIDGETS}/w", f"{CONFIG_MAPS}/a", f"{CONFIG_MAPS}/new"):
            apply = await api.patch(path, {"data": {}}, kind="application/apply-patch+yaml", fieldManager="kubectl")
            assert apply.code == 415
            assert "server-side apply is not served here" in apply.words


@pytest.mark.parametrize(
    "kind, body, code",
    [
        (MERGE, [], 400),
        (MERGE, b"{", 400),
        (MERGE, None, 400),
        (STRATEGIC, [], 400),
        (JSON_PATCH, {}, 400),
        (JSON_PATCH, [1], 400),
        (JSON_PATCH, [{"op": "jump", "path": "/a"}], 422),
        (JSON_PATCH, [{"op": "add", "path": "no-slash", "value": 1}], 422),
        (JSON_PATCH, [{"op": "remove", "path": "/data/absent"}], 422),
        (JSON_PATCH, [{"op": "replace", "path": "", "value": 5}], 422),
        (JSON_PATCH, [{"op": "test", "path": "", "value": 1}] * 10_001, 413),
        (JSON_PATCH, [{"op": "copy", "from": "/data", "path": "/data/again"}] * 40, 422),
        (JSON, {}, 415),
        ("", {}, 415),
    ],
)
async def test_a_patch_that_can_not_be_applied_is_refused(kind, body, code):
    """Each with the code that tells whose mistake it is, and the object as it was."""
    async with serving() as api:
        (before,) = await api.has("a", data={"n": "1"})
        reply = await api.patch(f"{CONFIG_MAPS}/a", body, kind=kind)
        assert reply.code == code
        assert (await api.get(f"{CONFIG_MAPS}/a")).body == before


async def test_a_patch_that_names_unknown_fields_warns():
    """As for any other write."""
    async with serving() as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS, spec={"size": 1})

        assert "spec.sise" in (await api.patch(f"{WIDGETS}/w", {"spec": {"sise": 2}})).headers["warning"]
        assert (await api.patch(f"{WIDGETS}/w", {"spec": {"sise": 2}}, fieldValidation="Strict")).code == 422
