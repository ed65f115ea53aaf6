"""Which names an object may have (RFC 1123), in Kubernetes' words."""

import re
from functools import lru_cache

from holdfast.embedded.resources import Resource

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_is_label = re.compile(_LABEL).fullmatch
_is_subdomain = re.compile(_SUBDOMAIN).fullmatch
_LABEL_WORDS = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "
    f"alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
_SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    f"alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_LABEL_LENGTH = 63
_SUBDOMAIN_LENGTH = 253
_SUFFIX_LENGTH = 5


def problem_of_name(resource: Resource, name: str) -> str:
    """Why an object can not have this name; empty when it can."""
    return _label(name) if resource.id == "namespaces" else _subdomain(name)


def problem_of_prefix(resource: Resource, prefix: str) -> str:
    """The same for a generateName, which may end where a name may not."""
    return problem_of_name(resource, prefix[:-1] + "a" if prefix.endswith(("-", ".")) else prefix)


def generated(prefix: str, suffix: str) -> str:
    return prefix[: _LABEL_LENGTH - _SUFFIX_LENGTH] + suffix


@lru_cache(maxsize=4096)
def _subdomain(name: str) -> str:
    if len(name) > _SUBDOMAIN_LENGTH:
        return f"must be no more than {_SUBDOMAIN_LENGTH} characters"
    return "" if _is_subdomain(name) else _SUBDOMAIN_WORDS


@lru_cache(maxsize=4096)
def _label(name: str) -> str:
    if len(name) > _LABEL_LENGTH:
        return f"must be no more than {_LABEL_LENGTH} characters"
    return "" if _is_label(name) else _LABEL_WORDS
