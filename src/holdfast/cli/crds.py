"""The CustomResourceDefinitions as YAML, for kubectl and for ``deploy/crds``."""

from pathlib import Path
from typing import Any

import yaml

from holdfast.api.crds import all_crds
from holdfast.plane.failure import Failure


class _Dumper(yaml.CSafeDumper):
    """Writes a value that occurs twice twice: aliases are for machines."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the interface of PyYAML
        return True


def as_yaml(document: dict[str, Any]) -> str:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=140, allow_unicode=True)


def printed() -> str:
    """All definitions in one stream."""
    return "---\n".join(as_yaml(crd) for crd in all_crds())


def written(folder: Path) -> None:
    """One file a kind, named by its plural."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for crd in all_crds():
            (folder / f"{crd['spec']['names']['plural']}.yaml").write_text(as_yaml(crd), encoding="utf-8")
    except OSError as error:
        raise Failure(f"cannot write to {folder}: {error.strerror or error}.") from error
