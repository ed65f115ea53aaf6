"""The formats that a schema may ask of a string, and those of numbers that bound a range.

A format that is not known, or that does not suit the type, asks for nothing: Kubernetes ignores it too.
"""

import binascii
import ipaddress
import re
import unicodedata
from base64 import b64decode
from collections.abc import Callable
from datetime import date
from typing import Final
from urllib.parse import urlsplit

_UUID: Final = "[0-9a-f]{8}-?[0-9a-f]{4}-?%s-?%s-?[0-9a-f]{12}"
_SHORT_NAME: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")
_DURATION: Final = re.compile(r"(\d+)\s*([A-Za-zµ]+)", re.ASCII)
_DURATION_UNITS: Final = {"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"}
_DURATION_WORDS: Final = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_GO_DURATION: Final = re.compile(
    r"[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*)"
)
_HOSTNAME: Final = re.compile("[a0]-?[a0]{0,62}|([a0]([a0-]{0,61}[a0])?[.])+a{2,63}")


def _full(pattern: str, flags: int = 0) -> Callable[[str], bool]:
    compiled = re.compile(pattern, flags)
    return lambda text: compiled.fullmatch(text) is not None


def _is_date(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000-") and _is_date("2000" + text[4:])
    return True


def _is_date_time(text: str) -> bool:
    day, _, rest = text.lower().partition("t")
    match = _TIME.fullmatch(rest.split("t")[0])
    return _is_date(day) and match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def _is_duration(text: str) -> bool:
    if _GO_DURATION.fullmatch(text):
        return True
    units = [unit.lower() for _, unit in _DURATION.findall(text)]
    return any(unit in _DURATION_UNITS or unit.startswith(_DURATION_WORDS) for unit in units)


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return re.search(r"/\d+$", text) is not None


def _is_hostname(text: str) -> bool:
    # letters and symbols of any script may stand in it: only their classes matter
    classes = "".join("a" if char.isalpha() else "0" if char.isdecimal() or unicodedata.category(char)[0] == "S" else char for char in text)
    return len(text.encode()) <= 255 and _HOSTNAME.fullmatch(classes) is not None and all(len(part) <= 63 for part in text.split("."))


def _is_ipv4(text: str) -> bool:
    # Go reads octets with leading zeros as decimal here
    return "." in text and (_is_address(re.sub(r"(?<![0-9a-fA-F:])0+(?=[0-9])", "", text)) or _is_address(text))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_request_uri(text: str) -> bool:
    """An absolute URI or an absolute path, as Go's ``url.ParseRequestURI`` wants it."""
    if not text or any(ord(char) < 0x21 or ord(char) == 0x7F for char in text):
        return False
    try:
        return text.startswith(("/", "*")) or (re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", text) is not None and bool(urlsplit(text).scheme))
    except ValueError:
        return False


def _is_base64(text: str) -> bool:
    try:
        return bool(text) and bool(b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return False


def _isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    return sum((index + 1) * (10 if digit == "X" else int(digit)) for index, digit in enumerate(digits)) % 11 == 0


def _isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    return re.fullmatch(r"[0-9]{13}", digits) is not None and sum(int(d) * (1, 3)[i % 2] for i, d in enumerate(digits)) % 10 == 0


def _is_credit_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    kinds = (
        r"4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9][0-9])[0-9]{12}"
        r"|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}|(2131|1800|35[0-9]{3})[0-9]{11}"
    )
    if not re.fullmatch(kinds, digits):
        return False
    doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


_STRINGS: dict[str, Callable[[str], bool]] = {
    "uri": _is_request_uri,
    "email": _full(r"(.*<)?[^@\s<>:;,()\[\]\\]+@[^@\s<>:;,()\\]+>?"),
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": lambda text: ":" in text and _is_address(text),
    "cidr": _is_network,
    "mac": _full(r"([0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(\2[0-9a-fA-F]{2}){4}((\2[0-9a-fA-F]{2}){2}|(\2[0-9a-fA-F]{2}){14})?)"
                 r"|[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|[0-9a-fA-F]{40}|([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}|([0-9a-fA-F]{4}\.){3}[0-9a-fA-F]{4}|([0-9a-fA-F]{4}\.){9}[0-9a-fA-F]{4}"),
    "uuid": _full(_UUID % ("[0-9a-f]{4}", "[0-9a-f]{4}"), re.IGNORECASE),
    "uuid3": _full(_UUID % ("3[0-9a-f]{3}", "[0-9a-f]{4}"), re.IGNORECASE),
    "uuid4": _full(_UUID % ("4[0-9a-f]{3}", "[89ab][0-9a-f]{3}"), re.IGNORECASE),
    "uuid5": _full(_UUID % ("5[0-9a-f]{3}", "[89ab][0-9a-f]{3}"), re.IGNORECASE),
    "isbn": lambda text: _isbn10(text) or _isbn13(text),
    "isbn10": _isbn10,
    "isbn13": _isbn13,
    "creditcard": _is_credit_card,
    "ssn": _full(r"\d{3}[- ]?\d{2}[- ]?\d{4}", re.ASCII),
    "hexcolor": _full(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _full(r"rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*(,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*){2}\)", re.ASCII),
    "byte": _is_base64,
    "password": lambda _: True,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_date_time,
    "k8sshortname": lambda text: len(text) <= 63 and re.fullmatch(_SHORT_NAME, text) is not None,
    "k8slongname": lambda text: len(text) <= 253 and re.fullmatch(rf"{_SHORT_NAME}(\.{_SHORT_NAME})*", text) is not None,
}  # fmt: skip
_OF_NUMBERS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


def known_format(name: str, types: tuple[str, ...]) -> str:
    """The format as it stands in a schema, or nothing where it asks for nothing."""
    if types in {("integer",), ("number",)}:
        return name if name in _OF_NUMBERS[types[0]] else ""
    # int-or-string has two types and counts as none
    return name if (types == ("string",) or len(types) != 1) and is_string_format(name) else ""


def is_string_format(name: str) -> bool:
    return name.replace("-", "") in _STRINGS


def matches(name: str, text: str) -> bool:
    """Whether a string has the format; ``name`` is one that ``known_format`` returned for it."""
    return _STRINGS[name.replace("-", "")](text)
