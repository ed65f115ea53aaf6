"""Named sets of faults: how often each comes, as a factor of its own rate. ``*`` stands for all that are not named."""

from typing import Final

PROFILES: Final[dict[str, dict[str, float]]] = {
    "calm": {"*": 0.0},
    "usual": {"*": 1.0},
    "rough": {"*": 3.0},
}
