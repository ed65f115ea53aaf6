"""Warnings: what was accepted and is likely not what was meant. Each comes as a header of its own; none may be lost on the way."""

from tests.support.differential_home import warnings_in

_OWNER = {"apiVersion": "v1", "kind": "Secret", "name": "o", "uid": "u"}


async def test_every_warning_arrives(home):
    """Who reads only one of them mends his file line by line."""
    made = await home.post(home.at("configmaps"), {"metadata": {"name": "a", "one": 1}, "two": 2, "three": {}})
    assert made.code == 201
    assert sorted(warnings_in(made.headers)) == [f'unknown field "{field}"' for field in ("metadata.one", "three", "two")]


async def test_warnings_of_several_sources_come_together(widgets):
    """Who reads the body, who counts the owners and who looks at the finalizers do not know each other."""
    finalizers = ["plain", "dotted.example.com", "x.y/z", "kubernetes", "orphan"]
    thing = {"apiVersion": "conformance.example.com/v1", "kind": "Widget", "spec": {"zzz": 1}}
    metadata = {"name": "a", "ownerReferences": [_OWNER, _OWNER], "finalizers": finalizers}
    made = await widgets.post(widgets.at("widgets"), {**thing, "metadata": metadata}, dryRun="All")

    assert made.code == 201
    owned_twice = (
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests "
        "as early as 1.24; please fix your requests; duplicate UID(s) observed: u"
    )
    prefer = "to avoid accidental conflicts with other finalizer writers"
    assert warnings_in(made.headers) == [
        'unknown field "spec.zzz"',
        owned_twice,
        f'metadata.finalizers: "dotted.example.com": prefer a domain-qualified finalizer name including a path (/) {prefer}',
        f'metadata.finalizers: "plain": prefer a domain-qualified finalizer name {prefer}',
    ]
