"""OpenAPI documents for kubectl: what ``explain`` shows, and by which kubectl knows that the server checks fields itself.

Version 3 has one document per group and version. Version 2 is one document, and in protobuf, which old clients demand, an empty
one: they go on without it.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from holdfast.api.errors import NotAcceptable, NotFound
from holdfast.api.struct import encode
from holdfast.api.wire import Answer, Request
from holdfast.embedded.openapi_documents import document_v2, document_v3
from holdfast.embedded.resources import Registry, Resource

_JSON: Final = {"content-type": "application/json"}
_PROTOBUF_V2: Final = "application/com.github.proto-openapi.spec.v2"
#: openapi.v2.Document with swagger (1) "2.0", info (2) of title (1) and version (2), and no paths (8).
_EMPTY_V2: Final = b"\x0a\x032.0\x12\x11\x0a\x08Holdfast\x12\x05v1.36\x42\x00"


class OpenApi:
    """The documents of what is served now, made when somebody asks and kept until the registry changes."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._made: dict[str, bytes] = {}
        registry.listeners.append(self._made.clear)

    def answer(self, path: Sequence[str], request: Request) -> Answer | None:
        """``path`` is what follows /openapi."""
        match list(path):
            case ["v2"]:
                return self._v2(request.headers.get("accept", ""))
            case ["v3"]:
                return Answer(
                    200, _JSON, encode({"paths": {name: {"serverRelativeURL": self._url(name)} for name in sorted(self._groups())}})
                )
            case ["v3", *rest]:
                return self._v3("/".join(rest), request.headers.get("accept", ""))
        return None

    def _groups(self) -> dict[str, list[Resource]]:
        """Resources by the name of their document: ``api/v1``, ``apis/longhorn.io/v1beta2``."""
        groups: dict[str, list[Resource]] = {}
        for resource in self._registry:
            groups.setdefault(_document_name(resource), []).append(resource)
        return groups

    def _url(self, name: str) -> str:
        # the hash lets clients keep the document for as long as it is the same
        return f"/openapi/v3/{name}?hash={hashlib.sha256(self._document(name)).hexdigest().upper()}"

    def _document(self, name: str) -> bytes:
        if name not in self._made:
            self._made[name] = encode(document_v3(self._groups()[name]))
        return self._made[name]

    def _v3(self, name: str, accept: str) -> Answer:
        if name not in self._groups():
            raise NotFound("the server could not find the requested resource")
        if not takes_json(accept):
            raise NotAcceptable("only the following media types are accepted: application/json")
        return Answer(200, _JSON, self._document(name))

    def _v2(self, accept: str) -> Answer:
        if _PROTOBUF_V2 in accept and not takes_json(accept):
            return Answer(200, {"content-type": f"{_PROTOBUF_V2}.v1.0+protobuf"}, _EMPTY_V2)
        if "v2" not in self._made:
            self._made["v2"] = encode(document_v2(list(self._registry)))
        return Answer(200, _JSON, self._made["v2"])


def takes_json(accept: str) -> bool:
    kinds = {clause.partition(";")[0].strip() for clause in accept.split(",")}
    return bool(kinds & {"", "*/*", "application/*", "application/json"})


def _document_name(resource: Resource) -> str:
    return f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"
