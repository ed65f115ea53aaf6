"""The token of the server, and the kubeconfig that carries it: all that a client on this machine needs.

Both stay in the data folder, readable by their owner alone. Nothing is written to the user's own kubeconfig.
"""

import base64
import json
import re
from pathlib import Path
from typing import Final

from holdfast.embedded.files import write_private
from holdfast.process import Process

_TOKEN: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = "holdfast"


def ensure_token(folder: Path, process: Process) -> str:
    """The token kept in the folder, so that a kubeconfig outlives a restart; a new one where there is none."""
    path = folder / "token"
    try:
        token = path.read_text().strip()
    except (OSError, ValueError):
        token = ""
    if not _TOKEN.fullmatch(token):
        token = process.randomness.token()
        write_private(path, token.encode())
    return token


def write_kubeconfig(path: Path, url: str, ca_file: Path, token: str) -> None:
    """A kubeconfig with everything inside, so that it can be copied. JSON is YAML."""
    authority = base64.b64encode(ca_file.read_bytes()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": _NAME,
        "clusters": [{"name": _NAME, "cluster": {"server": url, "certificate-authority-data": authority}}],
        "users": [{"name": _NAME, "user": {"token": token}}],
        "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME}}],
    }
    write_private(path, json.dumps(config, indent=2).encode() + b"\n")
