"""Nothing depends on the version of kubectl: every one on this machine goes through the same day."""

import pytest
from tests.support.kubectl import Kubectl, kubectls
from tests.support.widgets import definition, widget


@pytest.mark.parametrize("binary", kubectls(), ids=lambda path: path.name)
async def test_a_day_with_kubectl(front, tmp_path, binary):
    """Create, look, apply, patch, explain, be refused, delete."""
    kubectl = Kubectl(binary, tmp_path, front.kubeconfig)

    await kubectl("create", "-f", "-", given=definition())
    await kubectl("wait", "--for=condition=established", "crd/widgets.example.com", "--timeout=20s")
    await kubectl("create", "configmap", "c", "--from-literal=a=b")
    await kubectl("create", "namespace", "attic")
    await kubectl("apply", "-f", "-", given=widget(parts={"a": 1}))
    await kubectl("apply", "-f", "-", given=widget(size=5))
    await kubectl("patch", "cm", "c", "-p", '{"data":{"x":"y"}}')

    assert (await kubectl("get", "wt", "w1", "-o", "jsonpath={.spec}")).out == '{"color":"red","size":5}'
    assert (await kubectl("get", "wt")).rows[0][:2] == ["w1", "5"]
    assert "How large it is." in (await kubectl("explain", "wt.spec.size")).out
    assert "configmaps" in (await kubectl("api-resources")).out
    assert 'unknown field "spec.sise"' in (await kubectl.says("apply", "-f", "-", given=widget(sise=1))).err
    assert (await kubectl.says("explain", "wt", "--output=plaintext-openapiv2")).err.count("panic") == 0

    await kubectl("delete", "wt", "--all", "--timeout=20s")
    await kubectl("delete", "namespace", "attic", "--timeout=20s")
    await kubectl("delete", "crd", "widgets.example.com", "--timeout=20s")
