"""Why an ask is refused and what would help, as data. ``decide.why`` computes it, ``decide.words`` makes the sentences."""

from enum import StrEnum

from msgspec import Struct

from holdfast.decide.codes import Code
from holdfast.decide.values import AskKey


class Operands(Struct, frozen=True, gc=False, kw_only=True):
    """The two sides of a broken rule: ``growth + counted > ceiling``."""

    rule: Code
    growth: int
    """What the ask would add to the sum that the rule counts."""
    counted: int
    """What that sum is without it."""
    ceiling: int
    percent: int
    """The percentage that makes the ceiling."""
    of: int
    """The bytes that the percentage is of."""

    @property
    def shortfall(self) -> int:
        return self.growth + self.counted - self.ceiling


class Step(StrEnum):
    """One thing that a person can do about a refusal."""

    RELEASE = "release"
    """Release this many granted bytes on the disk, with the data in them."""
    FREE = "free"
    """Free this many bytes of its file system."""
    OVER_PROVISIONING = "over-provisioning"
    """Set storage-over-provisioning-percentage to this."""
    MINIMAL_AVAILABLE = "minimal-available"
    """Set storage-minimal-available-percentage to this."""
    ASK_LESS = "ask-less"
    """Ask for this many bytes in all."""
    WAIT = "wait"
    """Wait until the elder is granted or gives up."""


class Act(Struct, frozen=True, gc=False):
    """A step, and the number that goes with it."""

    step: Step
    amount: int = 0


Fix = tuple[Act, ...]
"""Acts that help when all of them are done."""


class Reason(Struct, frozen=True, gc=False, kw_only=True):
    """Why one ask is refused."""

    code: Code
    subject: AskKey
    operands: tuple[Operands, ...] = ()
    """Every broken rule, the one that is short by most first."""
    fixes: tuple[Fix, ...] = ()
    """Each alone is enough. None for a closed disk: the code says all."""
    elder: AskKey | None = None
    """Whom it waits for."""

    @property
    def shortfall(self) -> int:
        """By how many bytes it does not fit."""
        return self.operands[0].shortfall if self.operands else 0
