"""Which objects a list means: by labels and by fields."""

import pytest

_OBJECTS = {"a": {"app": "x", "n": "1"}, "b": {"app": "x", "n": "2"}, "c": {"app": "y", "n": "3"}, "d": {"n": "4"}}


@pytest.fixture
async def made(home):
    for name, labels in _OBJECTS.items():
        await home.make("secrets", name, {"labels": {**labels, "here": ""}})
    return home


async def _names(home, **query):
    reply = await home.get(home.at("secrets"), **query)
    return "".join(reply.names) if reply.code == 200 else reply.code


async def test_labels_select(made):
    """Every form of the language."""
    found = {}
    for text in (
        "app=x", "app==x", "app!=x", "app in (x)", "app in (x,y)", "app in (x, x)", "app notin (x)", "app", "!app", "n>2", "n<3",
        "n > 1,n<4", "app=x,n=2", "app=x,app=y", "zz", "!zz", "zz!=1", "zz notin (1)", "n>9", "app=", "app!=",
    ):  # fmt: skip
        found[text] = await _names(made, labelSelector=f"{text},here")
    assert found == {
        "app=x": "ab", "app==x": "ab", "app!=x": "cd", "app in (x)": "ab", "app in (x,y)": "abc", "app in (x, x)": "ab",
        "app notin (x)": "cd", "app": "abc", "!app": "d", "n>2": "cd", "n<3": "ab", "n > 1,n<4": "bc", "app=x,n=2": "b",
        "app=x,app=y": "", "zz": "", "!zz": "abcd", "zz!=1": "abcd", "zz notin (1)": "abcd", "n>9": "", "app=": "", "app!=": "abcd",
    }  # fmt: skip


async def test_empty_values_and_empty_sets_are_values(made):
    """``in ()`` holds the empty value."""
    await made.make("secrets", "e", {"labels": {"app": "", "here": ""}})
    assert [await _names(made, labelSelector=f"{text},here") for text in ("app=", "app in (,x)", "app in ()")] == ["e", "abe", "e"]


async def test_bad_label_selectors_are_refused(made):
    """Nobody deletes everything by a slip."""
    for text in ("a b", "=", "i=a b", ",", "(i)", "i in 1", "i=1=2", "a/b/c=1", "n>x", "i in (1", "i=x!", "x" * 64, "app=x,"):
        assert await _names(made, labelSelector=text) == 400, text


async def test_fields_select(made):
    """Names and namespaces for every kind, and a few more where Kubernetes has them."""
    found = {}
    here = made.namespace
    for text in (
        "metadata.name=a", "metadata.name==a", "metadata.name!=a", f"metadata.namespace={here}", "metadata.namespace=zz", "type=Opaque",
        "type!=Opaque", "metadata.name=a,metadata.name=b", "metadata.name!=a,type=Opaque", "metadata.name=",
    ):  # fmt: skip
        found[text.replace(here, "here")] = await _names(made, fieldSelector=text, labelSelector="here")
    assert found == {
        "metadata.name=a": "a", "metadata.name==a": "a", "metadata.name!=a": "bcd", "metadata.namespace=here": "abcd",
        "metadata.namespace=zz": "", "type=Opaque": "abcd", "type!=Opaque": "", "metadata.name=a,metadata.name=b": "",
        "metadata.name!=a,type=Opaque": "bcd", "metadata.name=": "",
    }  # fmt: skip


async def test_bad_field_selectors_are_refused(made):
    """A field that can not be selected by is said to be so."""
    for text in ("bogus=1", "metadata.labels.n=1", "metadata.name", "metadata.name in (a)", "=a"):
        assert await _names(made, fieldSelector=text) == 400, text


async def test_both_must_hold(made):
    """They narrow each other."""
    assert await _names(made, fieldSelector="metadata.name=a", labelSelector="app=y") == ""
    assert await _names(made, fieldSelector="metadata.name=a", labelSelector="app=x") == "a"


async def test_a_custom_kind_names_fields_that_select(widgets):
    """``selectableFields`` of its definition, and no others."""
    await widgets.make("widgets", "a", spec={"colour": "red"})
    await widgets.make("widgets", "b")
    path = widgets.at("widgets")
    assert (await widgets.get(path, fieldSelector="spec.colour=red")).names == ["a"]
    assert (await widgets.get(path, fieldSelector="spec.colour!=red")).names == ["b"]
    assert (await widgets.get(path, fieldSelector="metadata.name=b")).names == ["b"]
    assert (await widgets.get(path, fieldSelector="spec.size=1")).code == 400


async def test_all_namespaces_at_once(made):
    """The path without a namespace."""
    reply = await made.get("/api/v1/secrets", fieldSelector=f"metadata.namespace={made.namespace}", labelSelector="here")
    assert reply.names == list("abcd")


async def test_nodes_are_selected_by_whether_they_take_pods(home):
    """As kubectl does."""
    name = home.own("nodes", "node")
    await home.make("nodes", name, spec={"unschedulable": True})
    assert (await home.get(home.at("nodes"), fieldSelector=f"spec.unschedulable=true,metadata.name={name}")).names == [name]
    assert (await home.get(home.at("nodes"), fieldSelector=f"spec.unschedulable=false,metadata.name={name}")).names == []


async def test_events_are_selected_by_what_they_are_about(home):
    """``kubectl describe`` does."""
    for name, kind in (("p", "Pod"), ("n", "Thing")):
        about = {"kind": kind, "name": name, "namespace": home.namespace, "uid": "1"}
        await home.make("events", name, involvedObject=about, reason="R", type="Normal", source={"component": "me"})
    assert (await home.get(home.at("events"), fieldSelector="involvedObject.kind=Pod,involvedObject.uid=1")).names == ["p"]
    assert sorted((await home.get(home.at("events"), fieldSelector="reason=R,type=Normal,source=me")).names) == ["n", "p"]
