"""What fits into the types of Kubernetes' own kinds, and in which form it is kept."""

import pytest


@pytest.mark.parametrize(
    "plural, fields, code",
    [
        ("secrets", {"stringData": False}, 400),
        ("secrets", {"stringData": None}, 201),
        ("leases", {"spec": {"strategy": 5}}, 400),
        ("leases", {"spec": {"preferredHolder": []}}, 400),
        ("leases", {"status": None}, 201),
        ("leases", {"status": "unknown"}, 201),
        ("configmaps", {"metadata": {"managedFields": "x"}}, 400),
        ("configmaps", {"metadata": {"managedFields": [None]}}, 201),
        ("configmaps", {"metadata": {"selfLink": 1}}, 400),
        ("configmaps", {"metadata": {"finalizers": [None]}}, 422),
        ("configmaps", {"metadata": {"ownerReferences": [None]}}, 422),
        ("nodes", {"status": {"daemonEndpoints": []}}, 400),
        ("nodes", {"status": {"config": "x"}}, 400),
        ("nodes", {"status": {"conditions": [{}], "addresses": [{}]}}, 201),
    ],
)
async def test_a_value_of_another_type_is_refused(home, plural, fields, code):
    """Who writes it by a slip must hear of it at the first server that he tries."""
    body = {**fields, "metadata": {"name": "a", **fields.get("metadata", {})}}
    assert (await home.post(home.at(plural), body, dryRun="All")).code == code


@pytest.mark.parametrize("plural, field", [("secrets", "data"), ("configmaps", "binaryData")])
async def test_base64_is_kept_in_its_one_form(home, plural, field):
    """As ``base64`` prints it, with its lines, it is pasted into manifests; and bits that no byte needs are not kept."""
    made = await home.make(plural, "a", **{field: {"lines": "aGVs\nbG8=\n", "bits": "aGl="}})
    assert made.body[field] == {"lines": "aGVsbG8=", "bits": "aGk="}
    assert (await home.post(home.at(plural), {"metadata": {"name": "b"}, field: {"short": "aGk"}})).code == 400
