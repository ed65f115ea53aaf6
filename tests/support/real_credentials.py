"""Who may do what at a real control plane: an authority, keys and kubeconfigs that are made for one run and die with it."""

import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.support.certificates import Authority

_HOSTS = ("127.0.0.1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


class Credentials:
    """A folder with all of it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self._authority = Authority(folder)
        self.authority = self._authority.file
        self.certificate, self.key = self._authority.signs("kubernetes", *_HOSTS)
        # The key of service accounts is another than that of the authority: who can sign one must not be able to sign the other.
        account = ec.generate_private_key(ec.SECP256R1())
        self.account_key, self.account_public_key = folder / "service-accounts.key", folder / "service-accounts.pub"
        self.account_key.write_bytes(
            account.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        )
        self.account_public_key.write_bytes(
            account.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        )
        self._made = 0

    def of_user(self, server: str, user: str, *groups: str) -> Path:
        """A kubeconfig with a client certificate. The group ``system:masters`` may do everything."""
        certificate, key = self._authority.signs(user, groups=groups)
        return self._kubeconfig(server, user, {"client-certificate": str(certificate), "client-key": str(key)})

    def of_token(self, server: str, user: str, token: str, namespace: str = "") -> Path:
        return self._kubeconfig(server, user, {"token": token}, namespace)

    def anonymous(self, server: str) -> Path:
        """For what everybody may see."""
        return self._kubeconfig(server, "nobody", {})

    def _kubeconfig(self, server: str, user: str, shown: dict[str, Any], namespace: str = "") -> Path:
        self._made += 1
        place = self._folder / f"kubeconfig-{self._made}"
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "real",
            "clusters": [{"name": "real", "cluster": {"server": server, "certificate-authority": str(self.authority)}}],
            "users": [{"name": user, "user": shown}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": user, "namespace": namespace or "default"}}],
        }
        place.write_text(json.dumps(config))
        place.chmod(0o600)
        return place
