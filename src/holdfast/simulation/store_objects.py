"""What the clients of the store work on: few objects of four kinds, in a namespace that stays and in one that comes and goes."""

from typing import Any, Final

import msgspec

from holdfast.simulation.dice import Dice
from holdfast.simulation.store_chronicle import CONFIG_MAPS, LEASES, SETTINGS, SORTS, Document, Key, Selection

HOME: Final = "default"
ANNEX: Final = "annex"
"""A namespace that comes and goes."""
KEYS: Final[tuple[Key, ...]] = (
    *((CONFIG_MAPS.resource, HOME, name) for name in ("a", "b", "c")),
    *((CONFIG_MAPS.resource, ANNEX, name) for name in ("a", "d")),
    (LEASES.resource, HOME, "a"),
    (LEASES.resource, HOME, "e"),
    (LEASES.resource, ANNEX, "f"),
    (SETTINGS.resource, HOME, "g"),
)
PARTS: Final = ("x", "y")


def selection_over(key: Key, dice: Dice) -> Selection:
    """What a list over an object like this may mean."""
    return Selection(key[0], dice.pick((key[1], "")), dice.pick(("", *PARTS)))


def query_of(selection: Selection) -> tuple[tuple[str, str], ...]:
    return (("labelSelector", f"part={selection.part}"),) if selection.part else ()


def content_of(resource: str, dice: Dice) -> Document:
    number = str(dice.below(100))
    if resource == CONFIG_MAPS.resource:
        return {"data": {"number": number}}
    if resource == LEASES.resource:
        return {"spec": {"holderIdentity": number}}
    return {"value": number} if resource == SETTINGS.resource else {}


def path_of(key: Key) -> str:
    return SORTS[key[0]].path(key[1], key[2])


def encoded(value: Any) -> bytes:
    return msgspec.json.encode(value)
