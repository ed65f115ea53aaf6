"""Whom we trust, and the certificate that says who we are."""

import base64
import binascii
import ssl
import tempfile
from pathlib import Path

from msgspec import Struct

from holdfast.kube.misconfigured import KubeconfigError, shown


class Material(Struct, frozen=True):
    """A certificate or key: a file, or the bytes themselves. ``entry`` says where it stands, for messages."""

    entry: str
    file: Path | None = None
    data: str = ""

    def __repr__(self) -> str:
        return f"<{self.entry}>"

    def read(self) -> bytes:
        """The bytes, PEM by custom."""
        if self.file is None:
            try:
                return base64.b64decode("".join(self.data.split()), validate=True)
            except (binascii.Error, ValueError):
                raise KubeconfigError(f"{self.entry} is not valid base64; copy it again from where it came") from None
        try:
            return self.file.read_bytes()
        except OSError as failure:
            problem = (failure.strerror or "unreadable").lower()
            raise KubeconfigError(f"{self.entry} names {shown(self.file)}, which can not be read ({problem})") from None


def context(
    *, authority: Material | None = None, insecure: bool = False, certificate: Material | None = None, key: Material | None = None
) -> ssl.SSLContext:
    """What a connection is secured with. Without an authority, those that the system trusts."""
    made = _trusting(authority)
    if insecure:
        if authority is not None:
            raise KubeconfigError(f"{authority.entry} stands beside insecure-skip-tls-verify, which would ignore it; remove one of the two")
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    if certificate is not None and key is not None:
        _show(made, certificate, key)
    elif certificate is not None or key is not None:
        present = certificate or key
        missing = "key" if certificate is not None else "certificate"
        raise KubeconfigError(f"{present.entry if present else ''} stands without its client {missing}; add the client {missing}")
    return made


def _trusting(authority: Material | None) -> ssl.SSLContext:
    if authority is None:
        return ssl.create_default_context()
    text = authority.read().decode("ascii", "ignore")
    try:
        # An empty text must not pass for none, which would mean those that the system trusts.
        return ssl.create_default_context(cadata=text or "nothing")
    except ssl.SSLError:
        raise KubeconfigError(
            f"{authority.entry} holds no certificate in PEM form; it must hold the CA certificate of the server"
        ) from None


def _show(made: ssl.SSLContext, certificate: Material, key: Material) -> None:
    """Load a client certificate. OpenSSL reads it from files only, so both lie in a private folder for a moment."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        paths = Path(folder, "certificate"), Path(folder, "key")
        for path, material in zip(paths, (certificate, key), strict=True):
            path.touch(mode=0o600)
            path.write_bytes(material.read())
        try:
            # Without a password given, OpenSSL would ask for one on the terminal.
            made.load_cert_chain(*paths, password="")
        except ssl.SSLError as failure:
            problem = (
                "they do not belong together" if failure.reason == "KEY_VALUES_MISMATCH" else "one of them is not in PEM form, or encrypted"
            )
            raise KubeconfigError(f"{certificate.entry} and {key.entry} can not be used: {problem}") from None
