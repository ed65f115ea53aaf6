"""Named sets of faults: how often each comes, as a factor of its own rate. ``*`` stands for all that are not named."""

from typing import Final

PROFILES: Final[dict[str, dict[str, float]]] = {
    "calm": {"*": 0.0},
    "usual": {"*": 1.0},
    "rough": {"*": 3.0},
}


def factors_of(profile: str, intensity: float) -> dict[str, float]:
    """The factors of a profile on a better day or a worse one."""
    return {name: factor * intensity for name, factor in PROFILES[profile].items()}
