"""Lists in pages: all pages of one list show one moment."""

import pytest

_HERE = {"labels": {"here": ""}}


@pytest.fixture
async def seven(home):
    for name in "abcdefg":
        await home.make("secrets", name, _HERE)
    return home


async def _list(home, **query):
    return await home.get(home.at("secrets"), labelSelector="here", **query)


def _next(reply):
    return reply.body["metadata"].get("continue", "")


async def test_a_page_has_a_token_for_the_next(seven):
    """And the last one has none."""
    first = await _list(seven, limit=3)
    second = await _list(seven, limit=3, continue_=_next(first))
    third = await _list(seven, limit=3, continue_=_next(second))
    assert [reply.names for reply in (first, second, third)] == [list("abc"), list("def"), ["g"]]
    assert [bool(_next(reply)) for reply in (first, second, third)] == [True, True, False]


async def test_a_list_that_fits_has_one_page(seven):
    """No token leads to an empty page."""
    for limit in (7, 100, 0):
        reply = await _list(seven, limit=limit)
        assert (reply.names, _next(reply)) == (list("abcdefg"), ""), limit


async def test_the_rest_may_come_at_once(seven):
    """A token needs no limit."""
    first = await _list(seven, limit=3)
    rest = await _list(seven, continue_=_next(first))
    assert (rest.names, _next(rest)) == (list("defg"), "")


async def test_pages_agree_with_each_other(seven):
    """What is made or taken away meanwhile is not in this list."""
    first = await _list(seven, limit=3)
    await seven.make("secrets", "bb", _HERE)
    await seven.make("secrets", "dd", _HERE)
    await seven.delete(seven.at("secrets", "e"))
    rest = await _list(seven, continue_=_next(first))
    assert (rest.names, rest.version) == (list("defg"), first.version)
    assert (await _list(seven)).names == ["a", "b", "bb", "c", "d", "dd", "f", "g"]


async def test_what_is_left_is_counted_where_nothing_is_filtered(widgets):
    """For a bar of progress; with a selector nobody knows."""
    for name in "abcde":
        await widgets.make("widgets", name, _HERE)
    path = widgets.at("widgets")
    first = await widgets.get(path, limit=2)
    assert first.body["metadata"]["remainingItemCount"] == 3
    second = await widgets.get(path, limit=2, continue_=_next(first))
    assert second.body["metadata"]["remainingItemCount"] == 1
    assert "remainingItemCount" not in (await widgets.get(path, limit=5)).body["metadata"]
    assert "remainingItemCount" not in (await widgets.get(path, limit=2, labelSelector="here")).body["metadata"]


async def test_a_token_that_is_none_is_refused(seven):
    """It is for the server alone."""
    for limit in ({}, {"limit": 3}):
        reply = await _list(seven, continue_="bogus", **limit)
        assert (reply.code, reply.reason) == (400, "BadRequest")


async def test_a_token_names_its_revision(seven):
    """Another one beside it makes no sense; 0 says nothing."""
    first = await _list(seven, limit=3)
    assert (await _list(seven, continue_=_next(first), resourceVersion="5")).code == 400
    assert (await _list(seven, continue_=_next(first), resourceVersion="0")).names == list("defg")


async def test_a_limit_that_is_no_number_is_refused(seven):
    """A negative one is none."""
    for limit in ("x", "9223372036854775808", "1.5"):
        assert (await _list(seven, limit=limit)).code == 400, limit
    assert (await _list(seven, limit=-1)).names == list("abcdefg")


async def test_pages_of_a_selection(seven):
    """Each page holds as many as match."""
    names, token = [], ""
    while True:
        page = await _list(seven, limit=2, fieldSelector="metadata.name!=b", **({"continue": token} if token else {}))
        assert len(page.names) <= 2
        names += page.names
        token = _next(page)
        if not token:
            break
    assert names == list("acdefg")


async def test_a_list_in_a_table_has_pages_too(seven):
    """Kubectl reads 500 at a time."""
    table = "application/json;as=Table;g=meta.k8s.io;v=v1"
    first = await seven.get(seven.at("secrets"), accept=table, labelSelector="here", limit=3)
    assert ([row["cells"][0] for row in first.body["rows"]], bool(_next(first))) == (list("abc"), True)
    rest = await seven.get(seven.at("secrets"), accept=table, labelSelector="here", continue_=_next(first))
    assert [row["cells"][0] for row in rest.body["rows"]] == list("defg")
