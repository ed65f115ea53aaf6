"""Objects as they are on the wire, through a client of any home: nothing is left out and nothing is added."""

from typing import Any

from holdfast.api.errors import AlreadyExists
from holdfast.api.struct import decode, encode
from holdfast.api.wire import Request
from holdfast.kube.client import Client

Document = dict[str, Any]
#: What a server keeps about an object. The rest is what people and programs wrote.
_SERVERS_OWN = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")


async def ask(client: Client, method: str, path: str, body: Document | None = None, **query: str) -> Document:
    """The answer; a refusal is raised."""
    headers = {"content-type": "application/json"} if body is not None else {}
    request = Request(method, path, tuple(query.items()), headers, b"" if body is None else encode(body))
    return decode((await client.send(request)).body, dict)


async def make(client: Client, path: str, body: Document) -> None:
    """Create it, unless it is there."""
    try:
        await ask(client, "POST", path, body)
    except AlreadyExists:
        return


async def store(client: Client, path: str, obj: Document) -> Document:
    """Write an object with its status, as its controllers do; the object as the server has it then."""
    made = await ask(client, "POST", path, obj, fieldValidation="Strict")
    if "status" not in obj:
        return made
    mine = f"{path}/{obj['metadata']['name']}/status"
    return await ask(client, "PUT", mine, made | {"status": obj["status"]}, fieldValidation="Strict")


def plain(obj: Document) -> Document:
    """The object without what the server keeps about it."""
    return obj | {"metadata": {name: value for name, value in obj["metadata"].items() if name not in _SERVERS_OWN}}
