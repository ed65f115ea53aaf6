"""Definitions and objects that are wrong in ways that nobody thought of."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.json_values import json_values
from tests.support.requests import ask
from tests.support.widgets import CRD_PATH, WIDGETS_PATH, definition, version, widget

from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.process import Process

NAMES = st.sampled_from(["type", "properties", "name", "schema", "openAPIV3Schema", "served", "storage", "status", "kind", "items", "x"])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value where something else could stand."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def spoiled(whole: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A proper object of which one or two places hold something made up, or nothing."""
    spot = st.tuples(st.sampled_from(places(whole)[1:]), json_values(NAMES) | st.just(...))

    def spoil(spots: list[tuple[tuple[Any, ...], Any]]) -> dict[str, Any]:
        result = copy.deepcopy(whole)
        for place, wrong in spots:
            target: Any = result
            for key in place[:-1]:
                inside = isinstance(target, dict) and key in target
                target = target[key] if inside or (isinstance(target, list) and isinstance(key, int) and key < len(target)) else None
            if isinstance(target, dict):
                if wrong is ...:
                    target.pop(place[-1], None)
                else:
                    target[place[-1]] = wrong
        return result

    return st.lists(spot, min_size=1, max_size=2).map(spoil)


@given(spoiled(definition(version("v1"), version("v1beta1", storage=False))), spoiled(widget(parts={"a": 1})))
@settings(max_examples=200, deadline=None)
async def test_a_spoiled_definition_is_refused_or_served_but_never_breaks_the_server(made_up, thing):
    """One bad manifest must not cost anybody else the server."""
    server = await Server.open(Process("api"), MemoryJournal())
    try:
        status, answer = await ask(server, "POST", CRD_PATH, made_up)
        assert status < 500, answer
        if status != 201:
            assert answer["message"]
            await ask(server, "POST", CRD_PATH, definition())
        status, answer = await ask(server, "POST", WIDGETS_PATH, thing)
        assert status < 500, answer
        for path in ("/apis", "/openapi/v2", "/openapi/v3", "/openapi/v3/apis/example.com/v1", CRD_PATH, WIDGETS_PATH):
            status, answer = await ask(server, "GET", path)
            assert status < 500, answer
        table = "application/json;as=Table;v=v1;g=meta.k8s.io"
        assert (await ask(server, "GET", WIDGETS_PATH, accept=table))[0] < 500
    finally:
        await server.close()
