"""Objects from files: what ``kubectl get -o json`` or ``-o yaml`` printed, in any number of files.

A file may hold one object, a List, a list of some kind, or several YAML documents. Kinds that we do not know are passed over: a
dump of a whole namespace is welcome. What is broken is named by file, and by object where there is one.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from holdfast.api import kinds
from holdfast.api.meta import Object
from holdfast.api.struct import from_builtins
from holdfast.plane.failure import Failure

T = TypeVar("T", bound=Object)

_DEEPEST = 500
_FAR_TO_THE_RIGHT = re.compile(rf"^[ ?-]{{{_DEEPEST}}}", re.MULTILINE)
_ENDINGS = {".json", ".yaml", ".yml"}
_TYPES = {(kind.api_version, kind.name): kind.type for kind in kinds.ALL}


class _Loader(yaml.CSafeLoader):
    """Reads times as the text that they are on the wire."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


class Dump:
    """The objects of one namespace that some files hold, by type."""

    def __init__(self, objects: Mapping[type[Object], tuple[Object, ...]]) -> None:
        self._objects = objects

    def all(self, type_: type[T]) -> tuple[T, ...]:
        found = self._objects.get(type_, ())
        return tuple(obj for obj in found if isinstance(obj, type_))


def read(source: Path, namespace: str) -> Dump:
    """What a file, a folder with files below it, or standard input (``-``) holds."""
    objects: dict[type[Object], dict[str, Object]] = {}
    for origin, document in _documents(source):
        type_ = _TYPES.get((str(document.get("apiVersion")), str(document.get("kind"))))
        if type_ is None:
            continue
        obj = _object(document, type_, origin)
        if not kinds.kind_of(type_).namespaced or obj.metadata.namespace in {namespace, ""}:
            objects.setdefault(type_, {})[obj.metadata.name] = obj
    return Dump({type_: tuple(by_name.values()) for type_, by_name in objects.items()})


def _object(document: Mapping[str, Any], type_: type[Object], origin: str) -> Object:
    try:
        return from_builtins(document, type_)
    except msgspec.ValidationError as error:
        metadata = document.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        raise Failure(f"{origin}: {document['kind']} {name or 'without a name'} can not be read: {error}") from error


def _documents(source: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for origin, text in _texts(source):
        for document in _parsed(text, origin):
            yield from ((origin, item) for item in _items(document, origin))


def _texts(source: Path) -> Iterator[tuple[str, str]]:
    if str(source) == "-":
        yield "standard input", sys.stdin.read()
        return
    files = sorted(file for file in source.rglob("*") if file.suffix in _ENDINGS) if source.is_dir() else [source]
    if not files:
        raise Failure(f"{source} holds no file that ends in .json, .yaml or .yml.")
    for file in files:
        try:
            yield str(file), file.read_text(encoding="utf-8")
        except OSError as error:
            raise Failure(f"cannot read {file}: {error.strerror or error}.") from error
        except UnicodeDecodeError as error:
            raise Failure(f"{file} is no text in UTF-8.") from error


def _parsed(text: str, origin: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass  # YAML then
    try:
        if not _is_too_deep(text):
            return list(yaml.load_all(text, Loader=_Loader))
    except (yaml.YAMLError, ValueError) as error:
        raise Failure(f"{origin} is neither JSON nor YAML: {' '.join(str(error).split())}") from error
    raise Failure(f"{origin} is no dump of objects: it is nested more than {_DEEPEST} levels deep.")


def _is_too_deep(text: str) -> bool:
    """Whether the C loader would exhaust its stack and take the process with it. Most texts are cleared by a glance."""
    if len(text) < _DEEPEST or (text.count("[") + text.count("{") < _DEEPEST and not _FAR_TO_THE_RIGHT.search(text)):
        return False
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            return True
    return False


def _items(document: Any, origin: str) -> Iterator[Mapping[str, Any]]:
    """The objects in a document. A list of a kind lets its items go without their own apiVersion and kind."""
    if document is None:
        return
    if not isinstance(document, dict) or "kind" not in document:
        raise Failure(f"{origin} does not hold what kubectl get -o json or -o yaml prints: an object with a kind was expected.")
    items = document.get("items")
    if not str(document["kind"]).endswith("List") or not isinstance(items, list | None):
        yield document
        return
    inherited = {"apiVersion": document.get("apiVersion"), "kind": str(document["kind"]).removesuffix("List")}
    for item in items or ():
        if isinstance(item, dict):
            yield inherited | item
