"""Namespaces that come and end."""

from tests.support.home import causes


async def test_a_namespace_is_active_and_named_by_a_label(home):
    """Network policies select by it."""
    name = home.own("namespaces", "ns")
    made = await home.make("namespaces", name)
    assert made.body["status"] == {"phase": "Active"}
    assert made.body["spec"] == {"finalizers": ["kubernetes"]}
    assert made.body["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}
    label = await home.patch(home.at("namespaces", name), {"metadata": {"labels": {"kubernetes.io/metadata.name": None}}})
    assert label.body["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}


async def test_a_namespace_takes_everything_along(home):
    """When it is gone, nothing of it is left."""
    name = home.own("namespaces", "ns")
    await home.make("namespaces", name)
    child = f"/api/v1/namespaces/{name}/secrets"
    assert (await home.post(child, {"metadata": {"name": "a"}})).code == 201
    dying = await home.delete(home.at("namespaces", name))
    assert (dying.code, dying.body["kind"], dying.body["status"]["phase"]) == (200, "Namespace", "Terminating")
    await home.gone(home.at("namespaces", name), f"{child}/a")


async def test_a_namespace_waits_for_what_is_held_in_it(home):
    """And takes nothing new meanwhile."""
    name = home.own("namespaces", "ns")
    await home.make("namespaces", name)
    child = f"/api/v1/namespaces/{name}/secrets"
    await home.post(child, {"metadata": {"name": "a", "finalizers": ["x.y/z"]}})
    await home.delete(home.at("namespaces", name))

    async def child_is_dying():
        return "deletionTimestamp" in (await home.get(f"{child}/a")).body["metadata"]

    await home.until(child_is_dying)
    refused = await home.post(child, {"metadata": {"name": "b"}})
    assert (refused.code, refused.reason) == (403, "Forbidden")
    assert causes(refused) == [("NamespaceTerminating", "metadata.namespace")]
    assert (await home.get(home.at("namespaces", name))).body["status"]["phase"] == "Terminating"
    await home.patch(f"{child}/a", {"metadata": {"finalizers": None}})
    await home.gone(home.at("namespaces", name))


async def test_some_namespaces_stay(home):
    """Every cluster has them."""
    for name in ("default", "kube-system", "kube-public"):
        refused = await home.delete(f"/api/v1/namespaces/{name}")
        assert (refused.code, refused.reason) == (403, "Forbidden")
        assert refused.body["details"] == {"name": name, "kind": "namespaces"}


async def test_the_end_of_a_namespace_is_its_own_path(home):
    """A finalizer of the spec is written through finalize and nowhere else."""
    name = home.own("namespaces", "ns")
    made = await home.make("namespaces", name)
    path = home.at("namespaces", name)
    body = {**made.body, "spec": {"finalizers": ["kubernetes", "x.y/z"]}}
    assert (await home.put(path, body)).body["spec"] == {"finalizers": ["kubernetes"]}
    newest = await home.get(path)
    changed = await home.put(f"{path}/finalize", {**newest.body, "spec": body["spec"]})
    assert (changed.code, changed.body["spec"]) == (200, body["spec"])
    assert (await home.put(f"{path}/finalize", {**changed.body, "spec": {"finalizers": ["kubernetes"]}})).code == 200
