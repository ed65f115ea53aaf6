"""What names an object among those of its kind."""

from typing import NamedTuple


class Key(NamedTuple):
    """Namespace ("" for a kind without namespaces) and name."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
