"""Reading what clients send: bounded, and refused with words when it is not what it says.

A value that comes out of here is plain JSON that every later step can hold: nested no deeper than the walks can follow, numbers
within 64 bits, text that is UTF-8.
"""

import json
from typing import Any

import msgspec
import yaml

from holdfast.api.errors import BadRequest, RequestEntityTooLarge, UnsupportedMediaType
from holdfast.api.json_values import MAX_DEPTH, TooDeep, check_depth
from holdfast.embedded import protobuf

#: The largest body of a request; kube-apiserver's.
MAX_BODY = 3 * 1024 * 1024

#: Maps digits to "0" and all else to a blank: long numbers are then found at the speed of a plain search.
_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))
#: Every whole number that does not fit into 64 bits has at least as many digits.
_LONG_NUMBER = b"0" * 19
_INT64 = range(-(2**63), 2**63)
_JSON_TYPES = frozenset({"", "application/json", "*/*"})
_YAML_TYPES = frozenset({"application/yaml", "application/x-yaml", "text/yaml"})


def media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def read(body: bytes, content_type: str) -> Any:
    """The value of a body that is JSON or YAML."""
    kind = media_type(content_type)
    if kind in _JSON_TYPES:
        return read_json(body)
    if kind in _YAML_TYPES:
        return read_yaml(body)
    if kind == protobuf.CONTENT_TYPE:
        _check_size(body)
        return protobuf.read(body)
    raise UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml "
        f"(got {kind!r:.100})"
    )


def read_json(body: bytes) -> Any:
    _check_size(body)
    try:
        value = msgspec.json.decode(body)
        return _checked(body, value)
    except (ValueError, RecursionError) as problem:
        raise BadRequest(f"couldn't read the body of the request as JSON: {_words(problem)}") from None


def _checked(body: bytes, value: Any) -> Any:
    # Counting brackets is far cheaper than walking, and almost every body passes by it.
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH:
        check_depth(value)
    if _LONG_NUMBER in body.translate(_DIGITS):
        _check_numbers(value)
    return value


def _check_numbers(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _check_numbers(item)
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item)
    elif isinstance(value, int) and value not in _INT64:
        raise ValueError(f"the number {str(value)[:40]} does not fit into 64 bits")


def read_yaml(body: bytes) -> Any:
    _check_size(body)
    try:
        _check_yaml(body)
        value = yaml.load(body, Loader=_JsonLoader)  # noqa: S506 - a SafeLoader that knows even less
        # By way of JSON, so that one reader decides what a value may be.
        return read_json(json.dumps(value, allow_nan=False).encode())
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as problem:
        raise BadRequest(f"couldn't read the body of the request as YAML: {_words(problem)}") from None


def _check_yaml(body: bytes) -> None:
    """Depth and aliases, before anything recurses: aliases of aliases are how a short text becomes a huge one."""
    depth = 0
    for event in yaml.parse(body, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("aliases are not taken here: write the value out")  # noqa: TRY004 - a bad document, not a bad call
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise TooDeep
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _JsonLoader(yaml.CSafeLoader):
    """YAML without dates and other types that JSON lacks."""


_JsonLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def duplicate_keys(body: bytes, value: Any) -> list[str]:
    """Names of keys that stand twice in one JSON object; ``value`` is what the body was read as."""
    # A key that stands twice has more quotes than it leaves behind; only escapes could hide that.
    if b"\\" not in body and body.count(b'"') == msgspec.json.encode(value).count(b'"'):
        return []
    found: dict[str, None] = {}

    def pairs(items: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in items]
        if len(set(names)) < len(names):
            found.update((name, None) for name in names if names.count(name) > 1)

    try:
        json.loads(body, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return []
    return list(found)


def _check_size(body: bytes) -> None:
    if len(body) > MAX_BODY:
        raise RequestEntityTooLarge(f"Request entity too large: limit is {MAX_BODY}")


def _words(problem: BaseException) -> str:
    if isinstance(problem, BadRequest):
        return problem.message
    if isinstance(problem, RecursionError):
        return str(TooDeep())
    return str(problem) or type(problem).__name__
