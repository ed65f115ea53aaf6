"""What names an object among those of its kind."""

from typing import NamedTuple


class Key(NamedTuple):
    """Namespace ("" for a kind without namespaces) and name."""

    namespace: str
    name: str
