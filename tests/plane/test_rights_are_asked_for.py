"""What a manager says of rights that it lacks, before it starts; here a server that answers as a test wants."""

import pytest

from holdfast.api.errors import Forbidden, Unauthorized
from holdfast.api.struct import decode, encode
from holdfast.api.wire import Answer, Request
from holdfast.kube.client import Client
from holdfast.plane import rights
from holdfast.plane.failure import Failure

NAMESPACE, BOOKS = "longhorn-system", "diskschedules.longhorn.io"


@pytest.fixture
def denied(client: Client, monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """What the server will not allow: verb and resource."""
    lacking: set[tuple[str, str]] = set()

    async def answer(request: Request) -> Answer:
        asked = decode(request.body, dict)
        if asked["kind"] == "SelfSubjectReview":
            return Answer(201, body=encode({"status": {"userInfo": {"username": "jane"}}}))
        deed = asked["spec"]["resourceAttributes"]
        resource = "/".join(filter(None, [deed["resource"], deed["subresource"]]))
        return Answer(201, body=encode({"status": {"allowed": (deed["verb"], resource) not in lacking}}))

    monkeypatch.setattr(client, "send", answer)
    return lacking


async def test_all_rights_that_are_missing_are_told_at_once(client, denied):
    """Else an operator mends one, starts again, and learns of the next."""
    denied |= {("patch", "diskschedules/status"), ("list", "replicas")}
    with pytest.raises(Failure) as refusal:
        await rights.check(client, NAMESPACE)
    lines = str(refusal.value).splitlines()
    assert lines[0] == "user jane may not do in namespace longhorn-system what a manager has to:"
    assert lines[1:-1] == [
        "  patch diskschedules.longhorn.io/status: grants are written there",
        "  list replicas.longhorn.io: asks are decided by the age of the object that they name",
    ]
    assert lines[-1] == "Grant them with: kubectl apply -f deploy/rbac.yaml"


async def test_a_right_that_is_only_missed_stops_nobody(client, denied):
    """A cluster where events are forbidden still has disks to keep."""
    denied |= {("create", "events"), ("get", "customresourcedefinitions")}
    await rights.check(client, NAMESPACE)
    lacking = await rights.missing(client, NAMESPACE)
    assert [str(right) for right in lacking] == [
        "create events: what happens to disks is not told in events",
        f"get customresourcedefinitions.apiextensions.k8s.io {BOOKS}: a definition that drops fields of the ledger is not noticed",
    ]


async def test_who_has_every_right_hears_nothing(client, denied):
    """The usual case."""
    await rights.check(client, NAMESPACE)
    assert await rights.missing(client, NAMESPACE) == []


async def test_where_nobody_can_say_the_first_try_will(client, monkeypatch):
    """The embedded API has no such question, and a cluster may keep it to itself."""
    await rights.check(client, NAMESPACE)

    async def refuse(_: Request) -> Answer:
        raise Forbidden("cannot create selfsubjectaccessreviews")

    monkeypatch.setattr(client, "send", refuse)
    await rights.check(client, NAMESPACE)


@pytest.mark.parametrize("answered", [0, 5])
async def test_one_failure_is_told_and_not_all_of_them(client, monkeypatch, answered):
    """A token that ran out, at once or midway, is one matter, however many questions were on their way."""
    requests: list[Request] = []

    async def refuse(request: Request) -> Answer:
        requests.append(request)
        if len(requests) > answered:
            raise Unauthorized("Unauthorized")
        return Answer(201, body=encode({"status": {"allowed": True}}))

    monkeypatch.setattr(client, "send", refuse)
    with pytest.raises(Unauthorized):
        await rights.check(client, NAMESPACE)
