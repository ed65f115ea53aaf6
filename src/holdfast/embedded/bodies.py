"""Reading what clients send: bounded, and refused with words when it is not what it says.

A value that comes out of here is plain JSON that every later step can hold: nested no deeper than the walks can follow, whole
numbers within 64 bits (larger ones are read as Go reads them: not whole), text that is UTF-8.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar

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
_JSON_TYPES = frozenset({"", "application/json"})
_YAML = "application/yaml"


def media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def read(body: bytes, content_type: str) -> Any:
    """The value of a body that is JSON or YAML."""
    kind = media_type(content_type)
    if kind in _JSON_TYPES:
        return read_json(body)
    if kind == _YAML:
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
        return _with_small_numbers(value)
    return value


def _with_small_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_small_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_small_numbers(item) for item in value]
    if isinstance(value, int) and value not in _INT64:
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"the number {str(value)[:40]}... is too large") from None
    return value


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
    """YAML 1.1 as Go reads it: without dates and other types that JSON lacks, and with one letter for yes and no."""

    bool_values: ClassVar = {**yaml.CSafeLoader.bool_values, "y": True, "n": False}


_JsonLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_JsonLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("[yYnN]$"), list("yYnN"))


def duplicate_keys(body: bytes, value: Any) -> list[str]:
    """Paths of keys that stand twice in one JSON object; ``value`` is what the body was read as."""
    # A key that stands twice has more quotes than it leaves behind; only escapes could hide that.
    if b"\\" not in body and body.count(b'"') == msgspec.json.encode(value).count(b'"'):
        return []

    def pairs(items: list[tuple[str, Any]]) -> _Pairs:
        return _Pairs(items)

    try:
        return list(dict.fromkeys(_repeated(json.loads(body, object_pairs_hook=pairs), "")))
    except (ValueError, RecursionError):
        return []


class _Pairs(list[tuple[str, Any]]):
    """An object with every key that it was written with."""


def _repeated(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Pairs):
        seen = set()
        for name, item in value:
            here = f"{path}.{name}" if path else name
            if name in seen:
                yield here
            seen.add(name)
            yield from _repeated(item, here)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _repeated(item, f"{path}[{at}]")


def _check_size(body: bytes) -> None:
    if len(body) > MAX_BODY:
        raise RequestEntityTooLarge(f"Request entity too large: limit is {MAX_BODY}")


def _words(problem: BaseException) -> str:
    if isinstance(problem, BadRequest):
        return problem.message
    if isinstance(problem, RecursionError):
        return str(TooDeep())
    return str(problem) or type(problem).__name__
