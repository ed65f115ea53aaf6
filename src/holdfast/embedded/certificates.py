"""The server's own certificate authority and certificate, kept in the data folder and renewed before they end.

The key of the authority is thrown away as soon as the certificate is signed: nobody can ever sign another with it, and a renewal
makes both anew.
"""

import datetime as dt
import ipaddress
import ssl
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from holdfast.embedded.files import write_private
from holdfast.process import Process

_LIFE: Final = dt.timedelta(days=365)
_RENEWED_BEFORE: Final = dt.timedelta(days=30)
_SKEW: Final = dt.timedelta(minutes=5)
_ADDRESSES: Final = ("127.0.0.1", "::1")
_PEM: Final = serialization.Encoding.PEM


class Certificates:
    """Where the files are. ``ca_file`` is what clients trust."""

    def __init__(self, folder: Path) -> None:
        self.ca_file = folder / "ca.crt"
        self._server = folder / "server.pem"

    def ensure(self, process: Process) -> ssl.SSLContext:
        """The context to serve with; makes what is missing, broken or about to end."""
        now = dt.datetime.fromtimestamp(process.clock.now(), dt.UTC)
        if not self._are_good(now):
            self._make(now)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._server)
        return context

    def _are_good(self, now: dt.datetime) -> bool:
        try:
            authority = x509.load_pem_x509_certificate(self.ca_file.read_bytes())
            pem = self._server.read_bytes()
            certificate = x509.load_pem_x509_certificate(pem)
            key = serialization.load_pem_private_key(pem, None)
            certificate.verify_directly_issued_by(authority)
        except (OSError, ValueError, TypeError, InvalidSignature):
            return False
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        return (
            key.public_key() == certificate.public_key()
            and certificate.not_valid_before_utc <= now
            and min(authority.not_valid_after_utc, certificate.not_valid_after_utc) - now > _RENEWED_BEFORE
            and {str(address) for address in names.get_values_for_type(x509.IPAddress)} >= set(_ADDRESSES)
        )

    def _make(self, now: dt.datetime) -> None:
        authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        authority_name = _name("holdfast-ca")
        authority = (
            _builder(authority_name, authority_name, authority_key.public_key(), now)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
            .sign(authority_key, hashes.SHA256())
        )
        names: list[x509.GeneralName] = [x509.DNSName("localhost"), *(x509.IPAddress(ipaddress.ip_address(ip)) for ip in _ADDRESSES)]
        certificate = (
            _builder(_name("holdfast"), authority_name, key.public_key(), now)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
            .sign(authority_key, hashes.SHA256())
        )
        private = key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        # Key and certificate in one file, so that they can never be of two makings.
        write_private(self._server, certificate.public_bytes(_PEM) + private)
        write_private(self.ca_file, authority.public_bytes(_PEM))


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: dt.datetime) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + _LIFE)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
