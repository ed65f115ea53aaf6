"""Definitions of our kinds are made where they are missing, mended where they are ours, and else left alone."""

import asyncio
import copy
from typing import Any

import pytest
from tests.support.embedded import client_of

from holdfast.api import crds, kinds
from holdfast.api.errors import Forbidden
from holdfast.api.kinds import CUSTOM_RESOURCE_DEFINITION, Kind
from holdfast.api.struct import decode, encode
from holdfast.api.wire import Answer, Request, Stream, Transport
from holdfast.kube.client import Client
from holdfast.plane import definitions
from holdfast.plane.definitions import apply_missing, check_books
from holdfast.plane.failure import Failure
from holdfast.process import Process

BOOKS = kinds.DISK_SCHEDULE


async def stored(client: Client, kind: Kind) -> dict[str, Any]:
    answer = await client.send(Request("GET", CUSTOM_RESOURCE_DEFINITION.path(name=kind.resource)))
    return decode(answer.body, dict)


async def store(client: Client, crd: dict[str, Any]) -> None:
    headers = {"content-type": "application/json"}
    await client.send(Request("POST", CUSTOM_RESOURCE_DEFINITION.path(), headers=headers, body=encode(crd)))


def variant(kind: Kind, *, is_ours: bool) -> dict[str, Any]:
    """A definition that is not what this version has: tokens are unknown to it."""
    crd = copy.deepcopy(crds.crd_of(kind))
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    for name in [name for name in spec if name.lower().endswith("tokens")]:
        del spec[name]
    if not is_ours:
        del crd["metadata"]["labels"]
    return crd


async def test_all_kinds_are_served_after_it(client):
    """The next line of the program uses them."""
    await apply_missing(client)
    for kind in kinds.CUSTOM:
        assert (await client.list(kind.type, "longhorn-system")).items == ()


async def test_what_is_there_already_is_not_written_again(client):
    """Every start would be a change of every definition."""
    await apply_missing(client)
    before = [await stored(client, kind) for kind in kinds.CUSTOM]
    await apply_missing(client)
    assert [await stored(client, kind) for kind in kinds.CUSTOM] == before


async def test_an_older_definition_of_ours_is_brought_up_to_date(client):
    """A new version of the program brings new fields."""
    await store(client, variant(BOOKS, is_ours=True))
    await apply_missing(client)
    assert (await stored(client, BOOKS))["spec"]["versions"] == crds.crd_of(BOOKS)["spec"]["versions"]


async def test_a_definition_of_somebody_else_is_left_alone(client):
    """A cluster where Longhorn was installed keeps Longhorn's definitions."""
    await store(client, variant(BOOKS, is_ours=False))
    before = await stored(client, BOOKS)
    await apply_missing(client)
    assert await stored(client, BOOKS) == before


async def test_two_that_start_together_make_one_set(api):
    """Each of several managers in one process may be the first."""
    await asyncio.gather(*[apply_missing(client_of(api)) for _ in range(3)])
    await check_books(client_of(api))


async def test_our_own_definition_passes_the_check(client):
    """Also when the server has added its defaults to it."""
    await apply_missing(client)
    await check_books(client)


@pytest.mark.parametrize("is_ours, whose", [(True, "older than this version"), (False, "not Holdfast's")])
async def test_a_definition_that_drops_our_fields_is_refused(client, is_ours, whose):
    """Without tokens a late verdict can be taken for a new one, and no error would ever tell."""
    await store(client, variant(BOOKS, is_ours=is_ours))
    with pytest.raises(Failure, match=rf"{whose}.* would drop \.spec\.tokens, \.spec\.imageTokens\. Apply them with: holdfast crds"):
        await check_books(client)


async def test_a_definition_that_keeps_everything_is_enough(client):
    """It need not be ours to be safe."""
    crd = variant(BOOKS, is_ours=False)
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    await store(client, crd)
    await check_books(client)


async def test_who_may_not_read_definitions_is_not_stopped(client, monkeypatch):
    """Rights on definitions are often kept from namespaced accounts."""

    async def refuse(_request: Request) -> None:
        raise Forbidden("no")

    monkeypatch.setattr(client, "send", refuse)
    await check_books(client)


class Lagging:
    """A server that calls a definition established some requests before it serves the kind."""

    def __init__(self, inner: Transport, requests: int) -> None:
        self._inner = inner
        self._left = dict.fromkeys((kind.path() for kind in kinds.CUSTOM), requests)

    async def send(self, request: Request) -> Answer:
        if self._left.get(request.path, 0) > 0:
            self._left[request.path] -= 1
            return Answer(404, {}, b"404 page not found\n")
        return await self._inner.send(request)

    async def open(self, request: Request) -> Answer | Stream:
        return await self._inner.open(request)

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()


async def test_a_kind_that_is_not_served_yet_is_waited_for(api):
    """A real server's controllers get to work one after the other, and the first request must not be told that there is no such kind."""
    lagging = Lagging(api.transport(), 3)
    await apply_missing(Client(lagging, Process("test")))
    for kind in kinds.CUSTOM:
        assert (await lagging.send(Request("GET", kind.path()))).status == 200


@pytest.mark.parametrize(
    "is_lagging, why",
    [(True, "the server calls it established, and knows no such kind"), (False, r'NamesAccepted is False: "Node" is already in use')],
)
async def test_a_kind_that_is_never_served_ends_in_words(api, client, monkeypatch, is_lagging, why):
    """Nobody should have to guess what a program waits for that has said nothing for minutes."""
    monkeypatch.setattr(definitions, "_PATIENCE", 0.2)
    if is_lagging:
        client = Client(Lagging(api.transport(), 1_000_000), Process("test"))
    else:
        taken = crds.crd_of(kinds.LONGHORN_NODE)
        taken["metadata"]["name"] = "knots.longhorn.io"
        taken["spec"]["names"] = {"plural": "knots", "singular": "knot", "kind": "Node", "listKind": "KnotList"}
        await store(client, taken)
    with pytest.raises(Failure, match=rf"the CRD .*longhorn.io is not served after 0.2 s \(.*{why}.*kubectl describe crd"):
        await apply_missing(client)
