"""Objects of a custom kind against its schema: what is dropped, what is filled in, what is refused."""

from tests.support.home import causes

_KIND = {"apiVersion": "conformance.example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}


async def _try(home, spec, **query):
    return await home.post(home.at("widgets"), {**_KIND, "spec": spec}, dryRun="All", **query)


async def _kept(home, spec):
    reply = await _try(home, spec)
    assert reply.code == 201, reply
    defaults = {"colour": "blue", "never": "set", "filled": "set", "inner": {"depth": 7}}
    return {field: value for field, value in reply.body["spec"].items() if field not in defaults or value != defaults[field]}


async def test_defaults_are_filled_in(widgets):
    """Deep down, where there is something to fill."""
    reply = await _try(widgets, {"parts": [{"name": "a"}, {"name": "b", "weight": 5}]})
    assert reply.body["spec"] == {
        "colour": "blue", "never": "set", "filled": "set", "inner": {"depth": 7},
        "parts": [{"name": "a", "weight": 1}, {"name": "b", "weight": 5}],
    }  # fmt: skip
    empty = await widgets.post(widgets.at("widgets"), _KIND, dryRun="All")
    assert "spec" not in empty.body


async def test_null_is_kept_where_it_may_be(widgets):
    """Elsewhere it is as if it had not been said, and the default takes its place."""
    assert await _kept(widgets, {"maybe": None, "never": None, "filled": None, "colour": None, "inner": None}) == {
        "maybe": None,
        "never": None,
    }
    refused = await _try(widgets, {"size": None, "labels": {"a": None}})
    assert refused.code in {201, 422}


async def test_what_is_not_declared_is_dropped(widgets):
    """And said in a warning, or refused on demand."""
    assert await _kept(widgets, {"zzz": 1, "parts": [{"name": "a", "zz": 1}], "inner": {"q": 1}}) == {"parts": [{"name": "a", "weight": 1}]}
    warned = await _try(widgets, {"zzz": 1})
    assert 'unknown field "spec.zzz"' in warned.headers["warning"].replace("\\", "")
    assert "warning" not in (await _try(widgets, {"zzz": 1}, fieldValidation="Ignore")).headers
    strict = await _try(widgets, {"zzz": 1}, fieldValidation="Strict")
    assert (strict.code, strict.reason) == (400, "BadRequest")


async def test_what_is_preserved_is_kept(widgets):
    """But for what is declared in it."""
    assert await _kept(widgets, {"open": {"x": {"y": [1, None]}, "known": 1}}) == {"open": {"x": {"y": [1, None]}, "known": 1}}
    assert causes(await _try(widgets, {"open": {"known": "x"}})) == [("FieldValueTypeInvalid", "spec.open.known")]


async def test_numbers_keep_their_kind(widgets):
    """A whole number is an integer however it is written."""
    assert await _kept(widgets, {"size": 2.0, "ratio": 1.5, "port": 5}) == {"size": 2, "ratio": 1.5, "port": 5}
    assert await _kept(widgets, {"port": "http"}) == {"port": "http"}


async def test_each_rule_names_its_field(widgets):
    """So that a form can show it where it belongs."""
    found = {}
    for spec in (
        {"size": -1}, {"size": 101}, {"size": 1.5}, {"size": "5"}, {"size": True}, {"mode": "x"}, {"code": "ab"}, {"port": 5.5},
        {"port": True}, {"parts": "x"}, {"parts": [{"weight": 1}]}, {"parts": [{"name": "a"}] * 4}, {"keyed": [{"name": "a"}] * 2},
        {"set": ["a", "a"]}, {"set": [1]}, {"labels": {"a": 1}}, {"when": "x"}, {"inner": 5}, {"keyed": [{"value": "a"}]},
    ):  # fmt: skip
        reply = await _try(widgets, spec)
        assert (reply.code, reply.reason) == (422, "Invalid"), spec
        found[str(spec)] = [(reason.removeprefix("FieldValue"), field.removeprefix("spec.")) for reason, field in causes(reply)]
    assert list(found.values()) == [
        [("Invalid", "size")], [("Invalid", "size")], [("TypeInvalid", "size"), ("Invalid", "<nil>")],
        [("TypeInvalid", "size")], [("TypeInvalid", "size")],
        [("NotSupported", "mode")], [("Invalid", "code")], [("TypeInvalid", "port")], [("TypeInvalid", "port")],
        [("TypeInvalid", "parts")], [("Required", "parts[0].name")], [("TooMany", "parts")], [("Duplicate", "keyed[1]")],
        [("Duplicate", "set[1]")], [("TypeInvalid", "set[0]")], [("TypeInvalid", "labels.a")], [("TypeInvalid", "when")],
        [("TypeInvalid", "inner")], [("Required", "keyed[0].name")],
    ]  # fmt: skip


async def test_all_mistakes_are_told_at_once(widgets):
    """Nobody likes to be sent back for each."""
    reply = await _try(widgets, {"size": -1, "mode": "x", "code": "AB"})
    assert sorted(field for _, field in causes(reply)) == ["spec.code", "spec.mode", "spec.size"]
    assert reply.body["details"] | {"causes": []} == {
        "name": "w", "group": "conformance.example.com", "kind": "Widget", "causes": [],
    }  # fmt: skip


async def test_an_object_within_an_object_is_one(widgets):
    """It has a kind, a version and good metadata."""
    good = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a"}, "z": 1}
    assert await _kept(widgets, {"template": good}) == {"template": good}
    assert sorted(causes(await _try(widgets, {"template": {"z": 1}}))) == [
        ("FieldValueRequired", "spec.template.apiVersion"),
        ("FieldValueRequired", "spec.template.kind"),
    ]
    unknown = {**good, "metadata": {"name": "a", "bogus": 1}}
    assert await _kept(widgets, {"template": unknown}) == {"template": good}
    assert (await _try(widgets, {"template": unknown}, fieldValidation="Strict")).code == 400
    assert (await _try(widgets, {"template": {**good, "metadata": {"name": 5}}})).code == 400
    labels = {**good, "metadata": {"labels": {"a b": "c"}}}
    assert causes(await _try(widgets, {"template": labels})) == [("FieldValueInvalid", "spec.template.metadata.labels")]


async def test_what_was_wrong_before_may_stay(widgets):
    """An update is judged by what it changes; here nothing is wrong before, so all of it is."""
    await widgets.make("widgets", "w", spec={"size": 1})
    refused = await widgets.patch(widgets.at("widgets", "w"), {"spec": {"size": -1}})
    assert (refused.code, causes(refused)) == (422, [("FieldValueInvalid", "spec.size")])
    assert (await widgets.patch(widgets.at("widgets", "w"), {"spec": {"zzz": 1}})).body["spec"]["size"] == 1


async def test_a_custom_object_says_what_it_is(widgets):
    """Unlike those of Kubernetes' own kinds."""
    for body in (
        {"metadata": {"name": "x"}},
        {**_KIND, "apiVersion": "foo/v1"},
        {**_KIND, "apiVersion": "conformance.example.com/v2"},
        {"apiVersion": _KIND["apiVersion"], "metadata": {"name": "x"}},
    ):
        assert (await widgets.post(widgets.at("widgets"), body)).code == 400, body
    wrong = await widgets.post(widgets.at("widgets"), {**_KIND, "kind": "Gadget"})
    assert wrong.code == 422


async def test_a_field_that_stands_twice_is_told(widgets):
    """The last one counts, by its whole path."""
    body = b'{"apiVersion":"conformance.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":1,"size":2}}'
    reply = await widgets.post(widgets.at("widgets"), body)
    assert (reply.code, reply.body["spec"]["size"]) == (201, 2)
    assert 'duplicate field "spec.size"' in reply.headers["warning"].replace("\\", "")
    assert (await widgets.post(widgets.at("widgets"), body, fieldValidation="Strict")).code == 400
