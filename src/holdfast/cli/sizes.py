"""Sizes as people type them."""

from holdfast.api.quantity import Quantity

SMALLEST_DISK = 2**30
LARGEST_DISK = 2**60


def size_of_disk(text: str) -> int:
    """Bytes of ``400Gi``. Raises ``ValueError`` with words."""
    size = Quantity.parse(text).whole()
    if not SMALLEST_DISK <= size <= LARGEST_DISK:
        raise ValueError(f"{text} is no size for a disk: from 1Gi up to 1Ei")
    return size
