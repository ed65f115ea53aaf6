r"""Label and field selectors: which objects a list, a watch or a deletion means.

Label selectors are read as Kubernetes reads them: requirements joined by commas, all of which must hold::

    app=web, tier!=cache, zone in (a, b), node notin (n1), release, !canary, generation>3

``!=`` and ``notin`` also match an object that lacks the key. Keys and values must be well-formed labels, else no object could
ever match and the selector is a mistake. Field selectors compare fields by ``=``, ``==`` and ``!=`` only; in a value ``,``,
``=`` and ``\`` are escaped by a backslash.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!<>(),]|[^ \t\r\n=!<>(),]+)?")
_SYMBOLS = frozenset({"==", "!=", "=", "!", "<", ">", "(", ")", ","})
_FIELD_VALUE = re.compile(r"(?:[^\\,=]|\\[\\,=])*")
_WHOLE = re.compile(r"[0-9]{1,63}")  # a label value begins with no sign
_END = ""


def check_label_key(key: str) -> None:
    """ValueError for a key that no label can have."""
    prefix, slash, name = key.rpartition("/")
    if slash and (not prefix or len(prefix) > 253 or not _SUBDOMAIN.fullmatch(prefix)):
        raise ValueError(f"invalid label key {key!r:.300}: the part before the slash must be a DNS subdomain of at most 253 characters")
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"invalid label key {key!r:.300}: the name must be 1 to 63 characters of letters, digits, '-', '_' and '.', "
            "beginning and ending with a letter or digit"
        )


def check_label_value(value: str) -> None:
    """ValueError for a value that no label can have."""
    if value and not _NAME.fullmatch(value):
        raise ValueError(
            f"invalid label value {value!r:.300}: it must be empty or 1 to 63 characters of letters, digits, '-', '_' and '.', "
            "beginning and ending with a letter or digit"
        )


class LabelRequirement(Struct, frozen=True):
    """One condition on one label. ``operator`` is one of in, notin, exists, !, > and <."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        match self.operator:
            case "in":
                return value in self.values
            case "notin":
                return value not in self.values
            case "exists":
                return value is not None
            case "!":
                return value is None
        number, bound = _int64(value), _int64(*self.values)
        if number is None or bound is None:
            return False
        return number > bound if self.operator == ">" else number < bound


class LabelSelector(Struct, frozen=True):
    """Requirements that must all hold; without any, everything matches."""

    requirements: tuple[LabelRequirement, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "LabelSelector":
        """Raises ValueError for a text that is no selector."""
        try:
            return cls(tuple(_Reader(text).requirements()))
        except ValueError as error:
            raise ValueError(f"unable to parse the label selector {text!r:.300}: {error}") from None

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(requirement.matches(labels) for requirement in self.requirements)


class _Reader:
    """Reads a label selector token by token."""

    def __init__(self, text: str) -> None:
        # A text always ends in an empty match, which is the end mark.
        self.tokens = [match[1] or _END for match in _TOKEN.finditer(text)]
        self.position = 0

    def peek(self) -> str:
        return self.tokens[min(self.position, len(self.tokens) - 1)]

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def expect(self, what: str, *tokens: str) -> str:
        token = self.take()
        if token not in tokens:
            raise ValueError(f"found {token!r:.100}, expected {what}")
        return token

    def word(self, what: str) -> str:
        token = self.take()
        if token in _SYMBOLS or token == _END:
            raise ValueError(f"found {token!r:.100}, expected {what}")
        return token

    def requirements(self) -> Iterator[LabelRequirement]:
        if self.peek() == _END:
            return
        while True:
            yield self.requirement()
            if self.expect("',' or the end", ",", _END) == _END:
                return

    def requirement(self) -> LabelRequirement:
        forbidden = self.peek() == "!"
        if forbidden:
            self.take()
        key = self.word("a label key")
        check_label_key(key)
        if forbidden:
            return LabelRequirement(key, "!")
        if self.peek() in {",", _END}:
            return LabelRequirement(key, "exists")
        operator = self.expect("an operator: =, ==, !=, in, notin, > or <", "=", "==", "!=", "in", "notin", ">", "<")
        values = frozenset(self.listed() if operator in {"in", "notin"} else [self.value()])
        for value in values:
            check_label_value(value)
        if operator in {">", "<"} and any(_int64(value) is None for value in values):
            raise ValueError(f"for {operator!r} the value must be an integer")
        return LabelRequirement(key, {"=": "in", "==": "in", "!=": "notin"}.get(operator, operator), values)

    def value(self) -> str:
        return "" if self.peek() in {",", _END} else self.word("a label value")

    def listed(self) -> Iterator[str]:
        self.expect("'('", "(")
        while True:
            yield "" if self.peek() in {",", ")"} else self.word("a label value")
            if self.expect("',' or ')'", ",", ")") == ")":
                return


def _int64(text: str | None = None) -> int | None:
    if text is None or not _WHOLE.fullmatch(text):
        return None
    number = int(text)
    return number if number < 2**63 else None


class FieldSelector(Struct, frozen=True):
    """Conditions on fields, as (path, operator, value) with operator = or !=."""

    requirements: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "FieldSelector":
        """Raises ValueError for a text that is no selector. Which fields may be asked for is the server's to say."""
        return cls(tuple(_field_requirement(text, term) for term in _terms(text) if term))

    def matches(self, field: Callable[[str], str]) -> bool:
        """``field`` gives the text of a field by its path, "" for one that is not set."""
        return all((field(path) == value) is (operator == "=") for path, operator, value in self.requirements)


def _terms(text: str) -> Iterator[str]:
    """The parts between commas that no backslash escapes."""
    start, escaped = 0, False
    for position, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == ",":
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _field_requirement(text: str, term: str) -> tuple[str, str, str]:
    match = re.search(r"!=|==?", term)
    if match is None:
        raise ValueError(f"invalid field selector {text!r:.300}: can't understand {term!r:.300}")
    value = _unescaped(text, term[match.end() :])
    return term[: match.start()], "!=" if match[0] == "!=" else "=", value


def _unescaped(text: str, value: str) -> str:
    if not _FIELD_VALUE.fullmatch(value):
        raise ValueError(
            f"invalid field selector {text!r:.300}: in the value {value!r:.300} escape ',', '=' and '\\\\' by a '\\\\', and nothing else"
        )
    return re.sub(r"\\([\\,=])", r"\1", value)
