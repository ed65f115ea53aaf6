"""From the path of a request to the thing that it means."""

from functools import lru_cache
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from holdfast.api.errors import BadRequest
from holdfast.embedded import refusals
from holdfast.embedded.resources import Registry, Resource

#: The only names below a namespace that are parts of the namespace itself.
_OF_NAMESPACES = frozenset({"status", "finalize"})


class Route(Struct, frozen=True):
    """A collection (no name), an object, or a part of an object."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def route_of(path: str, registry: Registry) -> Route | None:
    """None for a path that is not below a group and version; ``NotFound`` for one that leads nowhere."""
    if path == "/":
        return None
    match _parts(path):
        case ["api", version, *rest] if rest:
            group = ""
        case ["apis", group, version, *rest] if rest:
            pass
        case _:
            return None
    namespace, plural, below = "", rest[0], rest[1:]
    if plural == "namespaces" and len(below) >= 2 and not (len(below) == 2 and below[1] in _OF_NAMESPACES and group == ""):
        namespace, plural, below = below[0], below[1], below[2:]
    resource = registry.find(group, version, plural)
    if resource is None or len(below) > 2 or bool(namespace) > resource.namespaced:
        raise refusals.unknown_path()
    name, subresource = (*below, "", "")[:2]
    if name and resource.namespaced and not namespace:
        raise refusals.unknown_path()
    if not _has(resource, subresource):
        raise refusals.unknown_path(resource, name) if resource.is_custom else refusals.unknown_path()
    return Route(resource, namespace, name, subresource)


def _has(resource: Resource, subresource: str) -> bool:
    return (
        not subresource or (subresource == "status" and resource.has_status) or (subresource == "finalize" and resource.id == "namespaces")
    )


# Objects are made and listed by a few paths, again and again.
@lru_cache(maxsize=512)
def _parts(path: str) -> tuple[str, ...]:
    """The segments of a path, decoded one by one: an escaped slash does not divide."""
    is_plain = "%" not in path and path.isascii()
    parts = []
    for part in path.strip("/").split("/"):
        try:
            text = part if is_plain else unquote_to_bytes(part).decode()
        except UnicodeError:
            raise BadRequest("the path is not UTF-8") from None
        if not text or text in {".", ".."} or "/" in text or "%" in text or "\0" in text:
            raise refusals.unknown_path()
        parts.append(text)
    return tuple(parts)
