"""Bodies that are nothing: each is refused as the client's mistake, with words, and nothing is made."""

from tests.support.home import causes
from tests.support.raw_api import JSON_PATCH, MERGE, STRATEGIC

_UNREADABLE = [
    b"", b"{", b"[]", b'"x"', b"1", b"\xff\xfe", b'{"metadata":{"name":"q"}} x', b'{"kind":5}', b'{"metadata":[]}',
    b'{"metadata":"x"}', b'{"metadata":{"name":5}}', b'{"metadata":{"labels":{"a":1}}}', b'{"metadata":{"labels":[]}}',
    b'{"metadata":{"name":"q","finalizers":"x"}}', b'{"metadata":{"name":"q","ownerReferences":[5]}}',
    b'{"metadata":{"name":"q","generation":"x"}}', b'{"metadata":{"name":"q","generation":1.5}}',
    b'{"metadata":{"name":"q","creationTimestamp":"x"}}', b'{"metadata":{"name":"q","creationTimestamp":5}}',
    b'{"metadata":{"name":"q"},"data":[]}', b'{"metadata":{"name":"q"},"data":{"a":1}}', b'{"metadata":{"name":"q"},"immutable":"yes"}',
]  # fmt: skip


async def test_a_body_that_can_not_be_read_makes_nothing(home):
    """A client that is wrong hears of it; the server is none the worse."""
    replies = {body: await home.post(home.at("configmaps"), body) for body in _UNREADABLE}
    assert {body: (reply.code, reply.reason) for body, reply in replies.items()} == dict.fromkeys(replies, (400, "BadRequest"))
    assert (await home.get(home.at("configmaps", "q"))).code == 404


async def test_null_is_an_object_that_says_nothing(home):
    """Go reads it so, and what misses then is the name."""
    reply = await home.post(home.at("configmaps"), b"null")
    assert (reply.code, causes(reply)) == (422, [("FieldValueRequired", "metadata.name")])


async def test_a_body_that_is_too_large_is_refused(home):
    """One client may not fill the memory of all."""
    reply = await home.post(home.at("configmaps"), {"metadata": {"name": "a"}, "data": {"k": "x" * (3 * 1024 * 1024 + 1)}})
    assert (reply.code, reply.reason) == (413, "RequestEntityTooLarge")


async def test_a_config_map_holds_a_megabyte(home):
    """And not more."""
    reply = await home.post(home.at("configmaps"), {"metadata": {"name": "a"}, "data": {"k": "x" * (1024 * 1024 + 1)}})
    assert (reply.code, causes(reply)) == (422, [("FieldValueTooLong", "[]")])
    assert (await home.make("configmaps", "b", data={"k": "x" * (1024 * 1024)})).code == 201


async def test_a_patch_that_can_not_be_read_changes_nothing(home):
    """Whatever kind of patch it says it is."""
    made = await home.make("configmaps", "a", data={"k": "1"})
    path = home.at("configmaps", "a")
    for kind, bodies in {
        MERGE: (b"", b"{", b"[]", b'"x"', b"1"),
        STRATEGIC: (b"", b"{", b"[]", b"1"),
        JSON_PATCH: (b"", b"{", b"{}", b"1", b"[1]"),
    }.items():
        for body in bodies:
            reply = await home.patch(path, body, kind=kind)
            assert (reply.code, reply.reason) == (400, "BadRequest"), (kind, body)
    assert (await home.get(path)).version == made.version


async def test_a_patch_whose_outcome_is_no_object_is_invalid(home):
    """The patch can be read; what comes of it can not."""
    await home.make("configmaps", "a", data={"k": "1"})
    for patch in ({"data": "x"}, {"data": {"k": 1}}, {"data": {"k": {"x": 1}}}, {"metadata": "x"}, {"metadata": {"labels": {"a": 1}}}):
        reply = await home.patch(home.at("configmaps", "a"), patch)
        assert (reply.code, reply.reason, causes(reply)) == (422, "Invalid", [("FieldValueInvalid", "patch")]), patch


async def test_delete_options_that_can_not_be_read_delete_nothing(home):
    """A delete is not taken back."""
    await home.make("configmaps", "a")
    path = home.at("configmaps", "a")
    for body in (b"{", b"[]", {"gracePeriodSeconds": "x"}, {"dryRun": "All"}, {"preconditions": 5}):
        assert (await home.delete(path, body)).code == 400, body
    for query in ({"gracePeriodSeconds": "x"}, {"propagationPolicy": "Bogus"}):
        assert (await home.delete(path, **query)).code in {400, 422}, query
    assert (await home.get(path)).code == 200


async def test_a_dotted_name_in_a_path_is_refused(home):
    """It would lead out of its folder."""
    assert (await home.get(f"{home.at('configmaps')}/a%2fb")).code == 404
