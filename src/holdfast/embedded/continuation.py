"""Tokens for the next page of a list. A token names a revision and the last key told: all pages show one moment."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from holdfast.api.errors import BadRequest


class Continuation(msgspec.Struct, frozen=True, array_like=True):
    """Where a list goes on. The token is opaque to clients."""

    revision: int
    namespace: str
    name: str

    def token(self) -> str:
        return urlsafe_b64encode(msgspec.json.encode(self)).decode().rstrip("=")

    @classmethod
    def parse(cls, token: str) -> "Continuation":
        try:
            raw = urlsafe_b64decode(token.encode() + b"=" * (-len(token) % 4))
            return msgspec.json.decode(raw, type=cls)
        except (ValueError, binascii.Error, msgspec.MsgspecError):
            raise BadRequest("continue key is not valid: it is no token of this server") from None
