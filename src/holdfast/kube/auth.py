"""Who we say we are, as a header. (Client certificates are part of TLS: ``kube.tls``.)

Tokens in files are short-lived: whoever wrote the file writes it anew before it expires. So the file is looked at before every
request (one ``stat``) and read when it changed, and read once more when a server says 401. No secret shows in a repr.
"""

from pathlib import Path
from typing import Protocol

from holdfast.kube.misconfigured import KubeconfigError, shown


class Credentials(Protocol):
    """A way to prove who we are."""

    async def authorization(self) -> str:
        """The Authorization header for the next request; empty for none."""
        ...

    async def renew(self, refused: str) -> None:
        """The server did not accept this header: look again where it comes from."""
        ...


class Anonymous:
    """Nothing to show, or a client certificate."""

    async def authorization(self) -> str:
        return ""

    async def renew(self, refused: str) -> None:
        pass


class Token:
    """A bearer token that stays as it is."""

    def __init__(self, token: str, where: str) -> None:
        self._token = clean(token)
        if not self._token:
            raise KubeconfigError(f"{where}: the token is empty or holds characters that no token has; log in again to get a new one")

    async def authorization(self) -> str:
        return f"Bearer {self._token}"

    async def renew(self, refused: str) -> None:
        pass


class TokenFile:
    """A bearer token in a file that is replaced now and then. A file that can not be read for a moment leaves the last token in use."""

    def __init__(self, path: Path, where: str) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._token = ""
        try:
            self._read()
        except OSError as failure:
            problem = (failure.strerror or "unreadable").lower()
            raise KubeconfigError(f"{where}: the token file {shown(path)} can not be read ({problem})") from None
        if not self._token:
            raise KubeconfigError(f"{where}: the token file {shown(path)} holds no token")

    async def authorization(self) -> str:
        try:
            if self._state() != self._seen:
                self._read()
        except OSError:
            # It is being replaced, or gone for good: the server will say when the token at hand is no longer accepted.
            pass
        return f"Bearer {self._token}"

    async def renew(self, refused: str) -> None:  # noqa: ARG002 - whatever was refused, the file is what there is
        # Also when the file looks unchanged: a clock too coarse may hide a second change.
        self._seen = None

    def _read(self) -> None:
        state = self._state()
        token = clean(self._path.read_text(encoding="utf-8", errors="replace"))
        if token:
            self._token = token
            self._seen = state

    def _state(self) -> tuple[int, int, int]:
        # Kubelet replaces a token by moving a symbolic link, so the file behind the link counts.
        found = self._path.stat()
        return found.st_mtime_ns, found.st_ino, found.st_size


def clean(text: str) -> str:
    """The token without the line end that editors add; nothing if it could not travel in a header."""
    token = text.strip()
    return token if token.isascii() and token.isprintable() and " " not in token else ""
