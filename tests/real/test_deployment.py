"""What an operator applies to a cluster, before anything of ours runs there."""

from pathlib import Path

import pytest
import yaml
from tests.support.real_rights import until_allowed

from holdfast.api.core import CustomResourceDefinition, ServiceAccount
from holdfast.api.kinds import CUSTOM
from holdfast.plane.definitions import apply_missing

DEPLOY = Path(__file__).parents[2] / "deploy"
DEFINITIONS = sorted((DEPLOY / "crds").glob("*.yaml"))


def is_served(definition: CustomResourceDefinition) -> bool:
    found = {condition.type: condition.status for condition in definition.status.conditions}
    return (found.get("Established"), found.get("NamesAccepted")) == ("True", "True")


@pytest.mark.parametrize("file", DEFINITIONS, ids=lambda file: file.stem)
async def test_a_definition_is_accepted_and_served(admin, kubectl, file):
    """A definition that Kubernetes refuses ends the first five minutes of a user."""
    name = yaml.safe_load(file.read_text())["metadata"]["name"]
    await kubectl("apply", "-f", str(file))
    await kubectl("wait", "--for=condition=Established", "--timeout=30s", f"crd/{name}")
    found = await admin.get(CustomResourceDefinition, name)
    assert is_served(found)
    # A schema that Kubernetes calls non-structural is served all the same, without pruning and defaults.
    assert "NonStructuralSchema" not in {condition.type for condition in found.status.conditions}


async def test_what_is_applied_again_changes_nothing(kubectl):
    """Pipelines apply at every run; a definition that never comes to rest makes every client read everything again."""
    await kubectl("apply", "--server-side", "-f", str(DEPLOY / "crds"))
    said = await kubectl.says("diff", "--server-side", "-f", str(DEPLOY / "crds"))
    assert (said.code, said.out) == (0, "")


async def test_a_program_of_ours_finds_the_applied_definitions_as_it_would_make_them(admin, kubectl):
    """Else it would replace what an operator has just applied, at every start."""
    await kubectl("apply", "-f", str(DEPLOY / "crds"))
    before = await generations(admin)
    await apply_missing(admin)
    assert await generations(admin) == before


async def generations(admin) -> list[tuple[str, int]]:
    """They grow when what is wanted changes, and not when the server notes that a kind is served."""
    found = [(await admin.get(CustomResourceDefinition, kind.resource)).metadata for kind in CUSTOM]
    return [(metadata.uid, metadata.generation) for metadata in found]


async def test_an_object_has_the_columns_that_people_read(kubectl, namespace, kinds):
    """The table of kubectl get is made by the server, from what the definition says."""
    books = {
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "DiskSchedule",
        "metadata": {"name": "d"},
        "spec": {"name": "disk-1", "nodeID": "n1"},
    }
    await kubectl("-n", namespace, "create", "-f", "-", given=books)
    said = await kubectl("-n", namespace, "get", "lhds")
    assert said.out.splitlines()[0].split() == ["NAME", "NODE", "DISK", "SCHEDULED", "LIMIT", "SCHEDULABLE", "AGE"]
    assert said.rows[0][:3] == ["d", "n1", "disk-1"]


async def test_every_field_is_explained(kubectl, kinds):
    """An operator asks the cluster what a field means, not our web page."""
    said = await kubectl("explain", "diskschedules.spec.replicas")
    assert "Wanted bytes by replica name" in said.out


async def test_the_rights_are_applied_as_they_are(admin, kubectl):
    """The file in the documentation, with the command in the documentation."""
    await kubectl("apply", "-f", str(DEPLOY / "rbac.yaml"))
    accounts = {account.metadata.name for account in (await admin.list(ServiceAccount, "longhorn-system")).items}
    assert {"holdfast-manager", "holdfast-agent", "holdfast-explain"} <= accounts
    books = {"group": "longhorn.io", "resource": "diskschedules"}
    account = "system:serviceaccount:longhorn-system:holdfast-manager"
    await until_allowed(admin, account, {"namespace": "longhorn-system", "verb": "patch"} | books | {"subresource": "status"})

    async def may(*arguments):
        return (await kubectl.says("-n", "longhorn-system", "auth", "can-i", *arguments, f"--as={account}")).out.strip()

    assert await may("patch", "diskschedules.longhorn.io", "--subresource=status") == "yes"
    assert await may("patch", "nodes.longhorn.io") == "no"
    assert await may("get", "secrets") == "no"
