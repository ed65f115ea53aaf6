"""What a person wants a simulated machine to suffer, as an annotation of the Node:

    kubectl -n longhorn-system annotate lhn node-1 --overwrite \
        holdfast.io/simulate='{"disks": {"disk-1": {"away": true}, "disk-2": {"foreign": "50Gi"}}, "down": false}'

Per disk: ``away``, ``foreign`` (bytes that somebody else wrote), ``written`` (bytes by data directory), ``size`` (of a new disk,
or a changed one) and ``uuid`` (to show a disk that was copied with its identity). The whole of it is taken or refused.
"""

from typing import Any

import msgspec
from msgspec import Struct

from holdfast.api.quantity import Quantity

ANNOTATION = "holdfast.io/simulate"

_LARGEST = 2**60  # an exbibyte: more is a slip of the hand


class WishRefused(ValueError):
    """The annotation can not be followed; the text says why."""


class _DiskText(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    away: bool = False
    foreign: str | int = 0
    written: dict[str, str | int] = {}
    size: str | int = 0
    uuid: str = ""


class _Text(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    disks: dict[str, _DiskText] = {}
    down: bool = False


class DiskWish(Struct, frozen=True, gc=False, kw_only=True):
    """What one disk shall suffer, in bytes."""

    away: bool = False
    foreign: int = 0
    written: dict[str, int] = {}
    size: int = 0
    uuid: str = ""


class Wishes(Struct, frozen=True, gc=False, kw_only=True):
    """What a machine shall suffer."""

    disks: dict[str, DiskWish] = {}
    down: bool = False

    @staticmethod
    def parse(annotation: str) -> "Wishes":
        """Raises ``WishRefused``. No annotation wishes nothing."""
        if not annotation:
            return Wishes()
        try:
            text = msgspec.json.decode(annotation, type=_Text)
        except msgspec.DecodeError as failure:
            raise WishRefused(str(failure)) from failure
        return Wishes(disks={name: _disk(name, disk) for name, disk in text.disks.items()}, down=text.down)

    def in_words(self) -> str:
        """One line that reminds of what is not real."""
        parts = ["the node is down"] if self.down else []
        for name, wish in sorted(self.disks.items()):
            parts += [f"{name} is away"] if wish.away else []
            parts += [f"{name} holds {wish.foreign} foreign bytes"] if wish.foreign else []
            parts += [f"{name} has {size} bytes in {directory}" for directory, size in sorted(wish.written.items())]
            parts += [f"{name} has {wish.size} bytes in all"] if wish.size else []
            parts += [f"{name} shows the UUID {wish.uuid}"] if wish.uuid else []
        return "simulated: " + ("; ".join(parts) or "nothing amiss")


def _disk(name: str, text: _DiskText) -> DiskWish:
    def size_of(what: str, value: Any) -> int:
        try:
            size = Quantity.parse(value).whole()
        except ValueError as failure:
            raise WishRefused(f"disk {name}, {what}: {failure}") from failure
        if not 0 <= size <= _LARGEST:
            raise WishRefused(f"disk {name}, {what}: {value} is no size of a disk")
        return size

    return DiskWish(
        away=text.away,
        foreign=size_of("foreign", text.foreign),
        written={directory: size_of(f"written of {directory}", value) for directory, value in text.written.items()},
        size=size_of("size", text.size),
        uuid=text.uuid,
    )
