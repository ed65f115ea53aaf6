"""What is wrong with how we were told to reach a cluster, for a person to mend."""

from pathlib import Path


class KubeconfigError(Exception):
    """One sentence: which file, which entry, what is wrong, what to do. It never quotes a secret."""


def shown(path: Path) -> str:
    """A path as its owner writes it."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
