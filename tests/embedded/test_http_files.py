"""What the server leaves in its data folder: keys that only the owner reads, and that outlive a restart."""

import base64
import json
import stat

import pytest
from cryptography import x509
from tests.support.embedded_http import http_api

from holdfast.embedded.certificates import Certificates
from holdfast.embedded.files import write_private
from holdfast.embedded.kubeconfig_file import ensure_token
from holdfast.process import Process

DAY = 86400


class SetClock:
    """A clock that stands where it is put."""

    def __init__(self, now: float) -> None:
        self.at = now

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


async def test_the_kubeconfig_holds_all_that_a_client_needs(tmp_path):
    """``export KUBECONFIG=...`` is the only step."""
    async with http_api(tmp_path) as front:
        config = json.loads(front.kubeconfig.read_text())

        assert config["current-context"] == config["contexts"][0]["name"]
        assert config["clusters"][0]["cluster"]["server"] == front.url
        authority = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"])
        assert authority == front.ca_file.read_bytes()
        assert config["users"][0]["user"] == {"token": front.token}


async def test_only_the_owner_can_read_what_was_written(tmp_path):
    """The token is all that keeps other users of the machine out."""
    async with http_api(tmp_path) as front:
        assert front.kubeconfig.parent == tmp_path
        assert {path.name: mode_of(path) for path in tmp_path.iterdir()} == dict.fromkeys(
            ["kubeconfig", "token", "ca.crt", "server.pem"], 0o600
        )


async def test_token_and_certificate_outlive_a_restart(tmp_path):
    """A kubeconfig that was exported goes on working."""
    async with http_api(tmp_path) as first:
        token, authority = first.token, first.ca_file.read_bytes()
    async with http_api(tmp_path) as second:
        assert (second.token, second.ca_file.read_bytes()) == (token, authority)


def test_two_servers_have_two_tokens(tmp_path):
    """A token that leaked opens one server and no other."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    assert ensure_token(tmp_path / "a", Process("a")) != ensure_token(tmp_path / "b", Process("b"))


@pytest.mark.parametrize("content", [b"", b"short", b"\xff\xfe"])
def test_a_token_that_was_damaged_is_made_anew(tmp_path, content):
    """An empty file must never become an empty password."""
    (tmp_path / "token").write_bytes(content)

    assert len(ensure_token(tmp_path, Process("p"))) == 64


def test_the_certificate_names_the_machine_itself(tmp_path):
    """Clients check the name that they call."""
    Certificates(tmp_path).ensure(Process("p"))
    names = (
        x509.load_pem_x509_certificate((tmp_path / "server.pem").read_bytes())
        .extensions.get_extension_for_class(x509.SubjectAlternativeName)
        .value
    )

    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]


def test_a_certificate_is_renewed_before_it_ends(tmp_path):
    """A server that runs for a year must not lock everybody out one morning."""
    clock = SetClock(1_800_000_000)
    certificates = Certificates(tmp_path)
    certificates.ensure(Process("p", clock))
    first = certificates.ca_file.read_bytes()

    clock.at += 300 * DAY
    certificates.ensure(Process("p", clock))
    assert certificates.ca_file.read_bytes() == first

    clock.at += 40 * DAY
    certificates.ensure(Process("p", clock))
    assert certificates.ca_file.read_bytes() != first


@pytest.mark.parametrize("name", ["ca.crt", "server.pem"])
@pytest.mark.parametrize("content", [None, b"", b"-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n"])
def test_certificates_that_were_damaged_are_made_anew(tmp_path, name, content):
    """A crash half-way, or a curious hand, is mended by the next start."""
    certificates = Certificates(tmp_path)
    certificates.ensure(Process("p"))
    path = tmp_path / name
    path.unlink() if content is None else path.write_bytes(content)

    certificates.ensure(Process("p"))

    x509.load_pem_x509_certificate(certificates.ca_file.read_bytes())
    x509.load_pem_x509_certificate((tmp_path / "server.pem").read_bytes())


def test_certificates_of_two_makings_are_not_mixed(tmp_path):
    """A new authority with an old certificate would be trusted by nobody."""
    (tmp_path / "other").mkdir()
    ours, others = Certificates(tmp_path), Certificates(tmp_path / "other")
    ours.ensure(Process("p"))
    others.ensure(Process("p"))
    ours.ca_file.write_bytes(others.ca_file.read_bytes())

    ours.ensure(Process("p"))

    certificate = x509.load_pem_x509_certificate((tmp_path / "server.pem").read_bytes())
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(ours.ca_file.read_bytes()))


def test_a_file_that_can_not_be_written_whole_is_not_there(tmp_path):
    """A reader sees the old content or the new, and no leavings."""
    target = tmp_path / "folder"
    target.mkdir()

    with pytest.raises(OSError):
        write_private(target, b"content")

    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
