"""The words in which a differential script is written: requests that stand for themselves in any home.

A script names what it can not know by a placeholder, and each home fills in what it has answered itself:

- ``$rv:3``, ``$uid:3``, ``$continue:3``: the resourceVersion, the uid, the continue token of its answer to step 3;
- ``$name:widgets/a``: the name under which a home keeps the object that the script calls ``a``;
- ``$home``: the namespace of the script, also the label of what it keeps in no namespace;
- ``{"$base": 3, "$with": {...}}``: the object that answered step 3, with a merge patch over it.

What a placeholder asks for may not be there, in a script of which steps were dropped: then its field is left out.
"""

from typing import Any

from msgspec import Struct

from holdfast.api import merge_patch

Document = dict[str, Any]
DROPPED = object()


class Kind(Struct, frozen=True):
    """A kind that both homes serve."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool = True
    has_status: bool = False
    #: Strategic merge patches are for Kubernetes' own kinds.
    is_custom: bool = True

    def path(self, namespace: str, name: str = "", subresource: str = "") -> str:
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        parts = [root, *(("namespaces", namespace) if self.namespaced else ()), self.plural]
        return "/".join([*parts, *([name] if name else ()), *([subresource] if subresource else ())])

    def name(self, home: str, name: str) -> str:
        """Names in no namespace are shared by all scripts."""
        return name if self.namespaced else f"{home}-{name}"


class Step(Struct, frozen=True, kw_only=True):
    """One request; for a watch, the opening and what then ends it."""

    number: int
    words: str
    method: str
    kind: str
    name: str = ""
    subresource: str = ""
    query: tuple[tuple[str, str], ...] = ()
    content: str = "application/json"
    body: Any = None
    #: A watch ends when the object that it then creates is told.
    marker: Any = None

    def line(self) -> str:
        """The step for a reader, and for nobody else."""
        place = "/".join(part for part in (self.kind, self.name, self.subresource) if part)
        query = "".join(f" {key}={value}" for key, value in self.query)
        body = "" if self.body is None else f" {self.body!r}"
        return f"{self.number:>3}  {self.words:<18} {self.method} {place}{query}{body}"


class Known(Struct):
    """What a home knows by now, for placeholders."""

    home: str
    kinds: dict[str, Kind]
    answers: dict[int, Any]

    def body(self, value: Any) -> Any:
        """What is sent. A list shows the revision of everything, which is nobody's version."""
        return Known(self.home, self.kinds, {number: answer for number, answer in self.answers.items() if "items" not in answer}).fill(
            value
        )

    def fill(self, value: Any) -> Any:
        """The value with every placeholder filled in; ``DROPPED`` where there is nothing to fill in."""
        if isinstance(value, str):
            return self._text(value) if "$" in value else value
        if isinstance(value, list):
            return [filled for item in value if (filled := self.fill(item)) is not DROPPED]
        if not isinstance(value, dict):
            return value
        if "$base" in value:
            return self._based(value)
        filled_in = {key: filled for key, item in value.items() if (filled := self.fill(item)) is not DROPPED}
        # An operation of a JSON patch has a value, or is none.
        return {"value": None, **filled_in} if "op" in value and "value" in value else filled_in

    def _text(self, value: str) -> Any:
        word, _, rest = value.partition(":")
        if word == "$name":
            kind, _, name = rest.partition("/")
            return self.kinds[kind].name(self.home, name)
        if word in {"$rv", "$uid", "$continue"}:
            metadata = self._metadata(int(rest))
            found = metadata.get({"$rv": "resourceVersion", "$uid": "uid", "$continue": "continue"}[word])
            return DROPPED if found is None else found
        return value.replace("$home", self.home)

    def _based(self, value: Document) -> Any:
        base = self.answers.get(value["$base"])
        if not isinstance(base, dict) or base.get("kind") == "Status":
            base = {}
        base = {**base, "metadata": {key: item for key, item in base.get("metadata", {}).items() if key != "managedFields"}}
        return merge_patch.apply(self.fill(value["$with"]), base)

    def _metadata(self, number: int) -> Document:
        answer = self.answers.get(number)
        metadata = answer.get("metadata") if isinstance(answer, dict) else None
        return metadata if isinstance(metadata, dict) else {}
