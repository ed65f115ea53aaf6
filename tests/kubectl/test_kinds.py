"""kubectl finds and explains what is served, and makes and removes kinds."""

from tests.support.widgets import definition, version, widget


async def test_a_kind_is_made_and_removed_with_its_objects(kubectl):
    """A definition can be used at once, and leaves nothing behind."""
    await kubectl("apply", "-f", "-", given=definition())
    await kubectl("wait", "--for=condition=established", "crd/widgets.example.com", "--timeout=20s")
    await kubectl("create", "-f", "-", given=widget())
    listed = await kubectl("get", "crd")

    await kubectl("delete", "crd", "widgets.example.com", "--timeout=20s")

    assert listed.rows[0][0] == "widgets.example.com"
    assert (await kubectl.says("get", "widgets")).code == 1
    assert (await kubectl("get", "crd")).out == ""


async def test_what_is_served_is_listed(widgets):
    """``api-resources`` is where people look when they are lost."""
    resources = await widgets("api-resources", "-o", "wide")
    versions = await widgets("api-versions")

    row = next(row for row in resources.rows if row[0] == "widgets")
    assert row[:5] == ["widgets", "wt", "example.com/v1", "true", "Widget"]
    assert {"apiextensions.k8s.io/v1", "coordination.k8s.io/v1", "example.com/v1", "v1"} == set(versions.out.split())
    assert (await widgets("version")).out.splitlines()[-1].startswith("Server Version: v1.36.0+holdfast")


async def test_fields_are_explained(widgets):
    """The words of the schema are the manual of a kind."""
    custom = await widgets("explain", "widget.spec.size")
    everything = await widgets("explain", "widget", "--recursive")
    built_in = await widgets("explain", "configmap.data")
    defined = await widgets("explain", "crd.spec.versions")
    unknown = await widgets.says("explain", "widget.spec.sise")

    assert "How large it is." in custom.out
    assert "<integer>" in custom.out
    assert "parts" in everything.out
    assert "ownerReferences" in everything.out
    assert "contains the configuration data" in built_in.out
    assert "additionalPrinterColumns" in defined.out
    assert 'field "sise" does not exist' in unknown.err


async def test_a_kind_of_two_versions_is_seen_in_both(kubectl):
    """A migration needs both for a while."""
    await kubectl("create", "-f", "-", given=definition(version("v2"), version("v1", storage=False)))
    await kubectl("create", "-f", "-", given=widget())

    assert (await kubectl("get", "widgets.v2.example.com", "w1", "-o", "json")).json["apiVersion"] == "example.com/v2"
    assert (await kubectl("get", "widgets.v1.example.com", "w1", "-o", "json")).json["apiVersion"] == "example.com/v1"
