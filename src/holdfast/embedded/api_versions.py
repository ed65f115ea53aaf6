"""The order of API versions, as Kubernetes prefers them: v2 before v1, v1 before v1beta2, v1beta2 before v1alpha1, others last."""

import re

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?", re.ASCII)
_STAGE = {None: 2, "beta": 1, "alpha": 0}


def preference(version: str) -> tuple[int, int, int, int, str]:
    """A sort key: the preferred version comes first."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return (1, 0, 0, 0, version)
    return (0, -_STAGE[match[2]], -int(match[1]), -int(match[3] or 0), "")
