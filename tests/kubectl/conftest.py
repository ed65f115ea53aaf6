"""A server on a free port and the kubectl of this machine for it; and the same beside a real control plane."""

import asyncio

import pytest
from tests.support.both_homes import BothHomes
from tests.support.embedded_http import http_api
from tests.support.kubectl import Kubectl, kubectls
from tests.support.widgets import definition

from holdfast.api.crds import all_crds

_WHAT_EVERY_NAMESPACE_HAS = ("get", "configmap/kube-root-ca.crt", "serviceaccount/default", "-o", "json")


@pytest.fixture
async def front(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    async with http_api(data) as front:
        yield front


@pytest.fixture
async def kubectl(front, tmp_path):
    """Kubectl against an empty server."""
    if not kubectls():
        pytest.skip("there is no kubectl on this machine")
    return Kubectl(kubectls()[0], tmp_path, front.kubeconfig)


@pytest.fixture
async def widgets(kubectl):
    """Kubectl against a server that knows widgets."""
    await kubectl("create", "-f", "-", given=definition())
    return kubectl


@pytest.fixture
async def make_homes(kubernetes, controllers, kinds, namespace, front, tmp_path):
    """The same namespace, with our kinds, at both homes, and any kubectl for them."""

    async def make(binary) -> BothHomes:
        folders = [tmp_path / name for name in ("ours", "real")]
        for folder in folders:
            folder.mkdir()
        ours, real = Kubectl(binary, folders[0], front.kubeconfig), Kubectl(binary, folders[1], controllers.kubeconfig)
        await furnish(ours, real, namespace)
        return BothHomes(ours, real, namespace)

    return make


@pytest.fixture
async def homes(make_homes, kubernetes):
    """Both homes, and the kubectl of the same version as the real server."""
    return await make_homes(kubernetes / "kubectl")


@pytest.fixture(params=["built", *(path.name for path in kubectls()[:1])])
async def homes_of_any_kubectl(request, make_homes, kubernetes):
    """That one, and the kubectl of this machine, whatever its version."""
    return await make_homes(kubernetes / "kubectl" if request.param == "built" else kubectls()[0])


async def furnish(ours: Kubectl, real: Kubectl, namespace: str) -> None:
    """Our kinds, and a namespace with what kube-controller-manager puts into every one: nobody does that at ours."""
    found = await real.says(*_WHAT_EVERY_NAMESPACE_HAS, f"--namespace={namespace}")
    async with asyncio.timeout(40):
        while found.code:
            await asyncio.sleep(0.05)
            found = await real.says(*_WHAT_EVERY_NAMESPACE_HAS, f"--namespace={namespace}")
    home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    await ours("create", "-f", "-", given=[home, *(_anew(item) for item in found.json["items"]), *all_crds()])


def _anew(item):
    """As one would create it."""
    kept = {name: item["metadata"][name] for name in ("name", "namespace", "annotations") if name in item["metadata"]}
    return item | {"metadata": kept}
