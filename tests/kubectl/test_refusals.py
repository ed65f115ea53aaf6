"""What is refused, kubectl tells in one clear line and a code that is not zero."""

import pytest
from tests.support.widgets import widget


async def test_an_object_that_breaks_its_schema_is_refused_field_by_field(widgets):
    """All that is wrong is told at once, each with its field."""
    said = await widgets.says("create", "-f", "-", given=widget(size=0, color="blue"))

    assert said.code == 1
    assert 'The Widget "w1" is invalid' in said.err
    assert '* spec.color: Unsupported value: "blue": supported values: "red", "green"' in said.err
    assert "* spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1" in said.err


async def test_a_field_that_nobody_knows_is_refused_or_warned_of(widgets):
    """A typing error in a manifest does not pass unseen."""
    strict = await widgets.says("create", "-f", "-", given=widget(sise=4))
    warned = await widgets("create", "--validate=warn", "-f", "-", given=widget(sise=4))
    ignored = await widgets("create", "--validate=ignore", "-f", "-", given=widget("w2", sise=4))

    assert strict.code == 1
    assert 'unknown field "spec.sise"' in strict.err
    assert 'Warning: unknown field "spec.sise"' in warned.err
    assert ignored.err == ""
    assert "sise" not in (await widgets("get", "wt", "w1", "-o", "yaml")).out


async def test_server_side_apply_is_refused_with_a_way_out(widgets):
    """Who tries it learns what works instead."""
    said = await widgets.says("apply", "--server-side", "-f", "-", given=widget())

    assert said.code == 1
    assert "use client-side apply" in said.err


@pytest.mark.parametrize("token", ["wrong", "0" * 64])
async def test_a_wrong_token_is_refused(kubectl, token):
    """The words that everybody knows for it come from kubectl itself."""
    said = await kubectl.says("get", "namespaces", f"--token={token}")

    assert said.code == 1
    assert "You must be logged in to the server" in said.err


async def test_another_authority_is_not_trusted(kubectl, tmp_path):
    """A client that checks certificates talks to nobody else."""
    said = await kubectl.says("get", "namespaces", "--tls-server-name=somebody.else")

    assert said.code == 1
    assert "certificate is valid for" in said.err


@pytest.mark.parametrize(
    "call,words",
    [
        (["get", "pods"], 'the server doesn\'t have a resource type "pods"'),
        (["logs", "x"], 'the server doesn\'t have a resource type "pods"'),
        (["exec", "x", "--", "ls"], 'the server doesn\'t have a resource type "pods"'),
        (["get", "nonsense"], 'the server doesn\'t have a resource type "nonsense"'),
        (["get", "cm", "none"], 'configmaps "none" not found'),
        (["delete", "cm", "none"], 'configmaps "none" not found'),
        (["create", "configmap", "Bad_Name"], "a lowercase RFC 1123 subdomain must consist of"),
        (["create", "namespace", "default"], 'namespaces "default" already exists'),
        (["delete", "namespace", "default"], "this namespace may not be deleted"),
        (["get", "cm", "--field-selector", "data=x"], "data"),
        (["get", "--raw", "/apis/nowhere.io/v1/things"], "the server could not find the requested resource"),
        (["create", "-n", "nowhere", "configmap", "c"], 'namespaces "nowhere" not found'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
async def test_what_is_not_there_or_not_possible_is_said(kubectl, call, words):
    """One clear line, and nothing that looks like a crash."""
    said = await kubectl.says(*call)

    assert said.code == 1
    assert words in said.err
    assert len(said.err.strip().splitlines()) <= 3
