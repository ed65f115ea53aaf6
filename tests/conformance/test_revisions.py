"""What a resourceVersion means in a get and in a list."""

import asyncio

from tests.support.home import causes

_FAR = "99999999"
_HERE = {"labels": {"here": ""}}


async def _three(home):
    """Three objects and the revisions at which they came."""
    return [(await home.make("secrets", name, _HERE)).version for name in "abc"]


async def _list(home, **query):
    return await home.get(home.at("secrets"), labelSelector="here", **query)


async def test_a_list_is_of_the_newest_revision(home):
    """It is at least as new as everything in it."""
    versions = await _three(home)
    reply = await _list(home)
    assert int(reply.version) >= max(map(int, versions))
    assert [item["metadata"]["resourceVersion"] for item in reply.body["items"]] == versions


async def test_exact_is_exact(home):
    """How it was then, whatever came later."""
    versions = await _three(home)
    await home.delete(home.at("secrets", "a"))
    reply = await _list(home, resourceVersion=versions[1], resourceVersionMatch="Exact")
    assert (reply.names, reply.version) == (["a", "b"], versions[1])
    page = await _list(home, resourceVersion=versions[2], resourceVersionMatch="Exact", limit=2)
    rest = await _list(home, continue_=page.body["metadata"]["continue"])
    assert (page.names, rest.names, rest.version) == (["a", "b"], ["c"], versions[2])


async def test_not_older_than_may_be_newer(home):
    """Any state that has it, from memory."""
    versions = await _three(home)
    for match in ({}, {"resourceVersionMatch": "NotOlderThan"}):
        reply = await _list(home, resourceVersion=versions[2], **match)
        assert (reply.names, int(reply.version) >= int(versions[2])) == (["a", "b", "c"], True)


async def test_zero_is_any_state(home):
    """Also an old one; here it has to be waited for."""
    await _three(home)

    async def has_all():
        return (await _list(home, resourceVersion="0")).names == ["a", "b", "c"]

    await home.until(has_all)
    assert (await home.get(home.at("secrets", "a"), resourceVersion="0")).code == 200


async def test_a_revision_that_was_never_given_out(home):
    """The client knows another server. It may come again in a second."""
    await home.make("secrets", "a")
    secrets = home.at("secrets")
    # Kubernetes waits for it a while; at once, so that these pass together.
    replies = await asyncio.gather(
        home.get(secrets, resourceVersion=_FAR),
        home.get(secrets, resourceVersion=_FAR, resourceVersionMatch="NotOlderThan"),
        home.get(secrets, resourceVersion=_FAR, resourceVersionMatch="Exact"),
        home.get(home.at("secrets", "a"), resourceVersion=_FAR),
    )
    for reply in replies:
        assert (reply.code, reply.reason) == (504, "Timeout")
        assert causes(reply) == [("ResourceVersionTooLarge", "")]
        assert (reply.body["details"]["retryAfterSeconds"], reply.headers["retry-after"]) == (1, "1")


async def test_a_revision_is_a_number(home):
    """Nothing else was ever given out."""
    await home.make("secrets", "a")
    for version in ("x", "-1", "1.5", "99999999999999999999999"):
        for path in (home.at("secrets"), home.at("secrets", "a")):
            reply = await home.get(path, resourceVersion=version)
            assert reply.code >= 400, (version, path)


async def test_a_match_needs_a_revision_and_one_that_fits(home):
    """Each mistake names its field."""
    refusals = {}
    for query in (
        {"resourceVersionMatch": "Exact"},
        {"resourceVersionMatch": "NotOlderThan"},
        {"resourceVersion": "1", "resourceVersionMatch": "Bogus"},
        {"resourceVersion": "0", "resourceVersionMatch": "Exact"},
        {"sendInitialEvents": "true"},
        {"continue": "x", "resourceVersion": "1", "resourceVersionMatch": "Exact"},
    ):
        reply = await _list(home, **query)
        refusals["&".join(f"{key}={value}" for key, value in query.items())] = reply.code, causes(reply)
    forbidden = (422, [("FieldValueForbidden", "resourceVersionMatch")])
    assert refusals == {
        "resourceVersionMatch=Exact": forbidden,
        "resourceVersionMatch=NotOlderThan": forbidden,
        "resourceVersion=1&resourceVersionMatch=Bogus": (422, [("FieldValueNotSupported", "resourceVersionMatch")]),
        "resourceVersion=0&resourceVersionMatch=Exact": forbidden,
        "sendInitialEvents=true": (422, [("FieldValueForbidden", "sendInitialEvents")]),
        "continue=x&resourceVersion=1&resourceVersionMatch=Exact": forbidden,
    }


async def test_every_write_has_a_revision_of_its_own(home):
    """And later ones have larger ones."""
    versions = await _three(home)
    patched = await home.patch(home.at("secrets", "a"), {"metadata": {"labels": {"x": "1"}}})
    numbers = [int(version) for version in (*versions, patched.version)]
    assert numbers == sorted(set(numbers))


async def test_unknown_parameters_are_ignored(home):
    """Newer clients send what older servers do not know."""
    await _three(home)
    assert (await _list(home, bogus="1", timeoutSeconds="5", allowWatchBookmarks="true", watch="false")).names == ["a", "b", "c"]
