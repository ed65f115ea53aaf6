"""How an ask is written: one key of a DiskSchedule, under a test of what was seen of it.

Askers of one disk do not conflict with each other, since each patches its own key alone. What keeps a writer with an old view
from doing harm is the test: the token and the bytes must still be those that it decided on, else the API server refuses and the
writer looks again. And a writer whose own counters are behind what it sees, or that sees another's uid, writes nothing at all.

The functions return JSON Patches; ``None`` means: nothing to write, or not mine to write.
"""

from typing import Any

from msgspec import Struct

from holdfast.api.json_patch import add, pointer, remove, test
from holdfast.api.longhorn import DiskSchedule
from holdfast.decide.tokens import Token
from holdfast.decide.values import AskKey, AskKind

Patch = list[dict[str, Any]]


class Standing(Struct, frozen=True, gc=False):
    """What a schedule was seen to hold under one key; ``bytes`` is None for nothing."""

    bytes: int | None
    token: str
    has_empty_token: bool = False
    """The key stands among the tokens with nothing in it, which only a hand writes. A test tells it from one that is not there."""

    @property
    def token_on_the_wire(self) -> str | None:
        """What a test of the token must expect."""
        return self.token if self.token or self.has_empty_token else None


def standing(schedule: DiskSchedule, key: AskKey) -> Standing:
    """What stands under the key."""
    spec = schedule.spec
    sizes, tokens = (spec.replicas, spec.tokens) if key.kind is AskKind.REPLICA else (spec.backing_images, spec.image_tokens)
    token = tokens.get(key.name)
    return Standing(sizes.get(key.name), token or "", has_empty_token=token == "")


def ask(schedule: DiskSchedule, key: AskKey, size: int, token: Token) -> Patch | None:
    """Ask for ``size`` bytes, or change what is asked. 0 asks for nothing: it releases."""
    if size == 0:
        return release(schedule, key, token)
    seen = standing(schedule, key)
    if (seen.bytes, seen.token) == (size, str(token)) or not _may_write(seen, token):
        return None
    sizes, tokens = _paths(key)
    # A plain number: a size that was read from a Replica is one that travels as a string, and in the books it must not.
    return [*_tests(key, seen), add(sizes, int(size)), *([add(tokens, str(token))] if token.uid else [])]


def release(schedule: DiskSchedule, key: AskKey, token: Token) -> Patch | None:
    """Ask for nothing any more."""
    seen = standing(schedule, key)
    return withdraw(key, seen) if _may_write(seen, token) else None


def withdraw(key: AskKey, seen: Standing) -> Patch | None:
    """Remove exactly what was seen, whoever asked. For the sweep, which has proof that nobody does any more."""
    sizes, tokens = _paths(key)
    removals = [*([remove(sizes)] if seen.bytes is not None else []), *([remove(tokens)] if seen.token_on_the_wire is not None else [])]
    return [*_tests(key, seen), *removals] if removals else None


def _may_write(seen: Standing, token: Token) -> bool:
    """Whether the key is free or the token's own, and no newer intent stands there. Another's ask is left to the sweep."""
    stands = Token.parse(seen.token)
    return not stands.uid or (stands.uid == token.uid and not stands.is_newer_than(token))


def _tests(key: AskKey, seen: Standing) -> Patch:
    sizes, tokens = _paths(key)
    return [test(tokens, seen.token_on_the_wire), test(sizes, seen.bytes)]


def _paths(key: AskKey) -> tuple[str, str]:
    maps = ("replicas", "tokens") if key.kind is AskKind.REPLICA else ("backingImages", "imageTokens")
    return pointer("spec", maps[0], key.name), pointer("spec", maps[1], key.name)
