"""Longhorn's own definitions, as its Go module ships them; tests/longhorn/go.mod says which version, go.sum which bytes.

They are read from Go's module cache, where Go downloads them once. The file is a part of a Helm chart: what Helm would fill in is
labels only, and is left out.
"""

import functools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct
from tests.support.schema_objects import Maker

from holdfast.api import kinds
from holdfast.api.kinds import Kind

MODULE = "github.com/longhorn/longhorn-manager"
_HERE = Path(__file__).parents[1] / "longhorn"
_TEMPLATE = re.compile(r"\{\{.*?\}\}")
#: Kinds of ours that Longhorn defines.
OF_LONGHORN = [kind for kind in kinds.CUSTOM if kind is not kinds.DISK_SCHEDULE]
#: Some megabytes, over any line.
_PATIENCE = 120

Document = dict[str, Any]


class Definitions(Struct, frozen=True):
    """Longhorn's definitions by the names of their kinds; or none, and why not."""

    by_kind: dict[str, Document]
    missing: str = ""


@functools.cache
def definitions() -> Definitions:
    """Looked for once in a run."""
    if shutil.which("go") is None:
        return Definitions({}, f"Go is needed to get {MODULE}, and was not found")
    environment = os.environ | {"GOFLAGS": "-mod=readonly", "GOWORK": "off"}
    command = ["go", "mod", "download", "-json", MODULE]
    try:
        asked = subprocess.run(command, cwd=_HERE, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Definitions({}, f"Go did not get {MODULE} within {_PATIENCE} s")
    told = json.loads(asked.stdout or "{}")
    if asked.returncode or "Dir" not in told:
        return Definitions({}, f"Go could not get {MODULE}: {told.get('Error') or asked.stderr.strip()}")
    return Definitions(read(Path(told["Dir"]) / "k8s" / "crds.yaml"))


def read(file: Path) -> dict[str, Document]:
    """The definitions in a file of the chart."""
    text = _TEMPLATE.sub("", file.read_text())
    found = [document for document in yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if document]
    return {definition["spec"]["names"]["kind"]: definition for definition in found}


def schema_in(definition: Document) -> Document:
    """The schema of the version that is stored."""
    (version,) = [version for version in definition["spec"]["versions"] if version["storage"]]
    schema: Document = version["schema"]["openAPIV3Schema"]
    return schema


def drawn(kind: Kind, schema: Document, seed: int) -> Document:
    """An object at random."""
    return Maker(seed).object(schema, kind.name, kind.api_version, f"drawn-{seed}")
