"""A certificate authority for one test, and what it signs."""

import datetime as dt
import ipaddress
import ssl
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_LONG_AGO = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_FAR_AWAY = dt.datetime(2100, 1, 1, tzinfo=dt.UTC)


class Authority:
    """Signs certificates for servers and clients into a folder."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._unsigned(self._name, self._key, _FAR_AWAY).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        self.file = folder / f"{name}.crt"
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def signs(self, name: str, *hosts: str, groups: Sequence[str] = (), until: dt.datetime = _FAR_AWAY) -> tuple[Path, Path]:
        """A certificate for a client, or for a server at these names and addresses; the file of it and of its key.

        Kubernetes takes the name for the user, and the organizations for his groups.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        organizations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        made = self._unsigned(x509.Name([*organizations, x509.NameAttribute(NameOID.COMMON_NAME, name)]), key, until)
        if hosts:
            made = made.add_extension(x509.SubjectAlternativeName([_named(host) for host in hosts]), critical=False)
        files = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        files[0].write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        files[1].write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))
        return files

    def serves(self, *hosts: str, name: str = "server", clients: Path | None = None, until: dt.datetime = _FAR_AWAY) -> ssl.SSLContext:
        """What a server needs; with ``clients`` it accepts only clients that this authority signed."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.signs(name, *(hosts or ("127.0.0.1",)), until=until))
        if clients is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients)
        return context

    def _unsigned(self, name: x509.Name, key: ec.EllipticCurvePrivateKey, until: dt.datetime) -> x509.CertificateBuilder:
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
        return builder.serial_number(x509.random_serial_number()).not_valid_before(_LONG_AGO).not_valid_after(until)


def _named(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
