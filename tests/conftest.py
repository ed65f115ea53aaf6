"""The real tier: tests against the real etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl.

A test belongs to it by asking for a fixture from here, wherever it lies. Each worker of a run has one control plane, started by
the first test that asks for it. These tests are one group, which a run that distributes by groups gives to one worker; nothing
rests on it (and pytest-xdist 3.8 does not see groups under pytest 9.2).
A test takes what it needs: ``control_plane`` (the API), ``controllers``, ``scheduler``; and a namespace of its own.
"""

from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest
from tests.support.kubectl import Kubectl
from tests.support.real_binaries import binaries, must_be_there
from tests.support.real_control_plane import ControlPlane, served
from tests.support.real_kinds import serve_kinds

from holdfast.api.core import Namespace
from holdfast.api.errors import NotFound
from holdfast.api.meta import ObjectMeta
from holdfast.kube.client import Client
from holdfast.process import Randomness

_MARKS: pytest.StashKey[tuple[ControlPlane, dict[str, int]]] = pytest.StashKey()
#: Starting all four programs, on a busy machine.
_DEADLINE = 180


def pytest_itemcollected(item: pytest.Item) -> None:
    if "kubernetes" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.real)
        item.add_marker(pytest.mark.xdist_group("real"))
        item.add_marker(pytest.mark.timeout(_DEADLINE))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails shows what the programs logged meanwhile."""
    report = yield
    if report.failed and _MARKS in item.stash:
        plane, marks = item.stash[_MARKS]
        report.sections += [(f"log of {name}", log) for name, log in plane.logs(marks).items()]
    return report


@pytest.fixture(scope="session")
def kubernetes() -> Path:
    """The folder with the programs."""
    found = binaries()
    if found.folder is None:
        if must_be_there():
            pytest.fail(f"the real tier can not run: {found.missing}", pytrace=False)
        pytest.skip(found.missing)
    return found.folder


@pytest.fixture(scope="session")
def _plane(kubernetes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    yield from served(ControlPlane(kubernetes, tmp_path_factory.mktemp("control-plane")))


@pytest.fixture
async def control_plane(_plane: ControlPlane, request: pytest.FixtureRequest) -> AsyncIterator[ControlPlane]:
    """The API. Whatever a test does to its programs, the next one finds them well."""
    request.node.stash[_MARKS] = _plane, _plane.marks()
    yield _plane
    await _plane.mend()


@pytest.fixture
async def controllers(control_plane: ControlPlane) -> ControlPlane:
    """The API and kube-controller-manager."""
    await control_plane.run_controllers()
    return control_plane


@pytest.fixture
async def scheduler(controllers: ControlPlane) -> ControlPlane:
    """All of it, the scheduler as it is by default. A test that wants another calls ``run_scheduler``."""
    await controllers.run_scheduler()
    return controllers


@pytest.fixture
async def admin(control_plane: ControlPlane) -> AsyncIterator[Client]:
    """Our client, as somebody who may do everything."""
    async with control_plane.client() as client:
        yield client


@pytest.fixture
async def namespace(control_plane: ControlPlane, admin: Client) -> AsyncIterator[str]:
    """A namespace for one test. It is taken away, if there is somebody who does that."""
    made = await admin.create(Namespace(metadata=ObjectMeta(name=f"test-{Randomness().suffix(8)}")))
    await control_plane.accounts()
    yield made.metadata.name
    try:
        await admin.delete(Namespace, made.metadata.name)
    except NotFound:
        return


@pytest.fixture
async def kinds(admin: Client) -> None:
    """Our kinds are there for everybody."""
    await serve_kinds(admin)


@pytest.fixture
def kubectl(control_plane: ControlPlane, kubernetes: Path, tmp_path: Path) -> Kubectl:
    """The real kubectl of the same version."""
    return Kubectl(kubernetes / "kubectl", tmp_path, control_plane.kubeconfig)
