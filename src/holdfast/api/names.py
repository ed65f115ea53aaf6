"""Which names an object can have (RFC 1123, as every kind that we read demands).

A key in a map of asks is free text. One that no object can bear names nothing: there is nobody to ask the server for, and in a path
it could lead elsewhere.
"""

import re

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_is_subdomain = re.compile(rf"{_LABEL}(\.{_LABEL})*").fullmatch
LONGEST_NAME = 253


def can_name_an_object(name: str) -> bool:
    """Whether some object could have this name."""
    return len(name) <= LONGEST_NAME and _is_subdomain(name) is not None
