"""kubectl get: tables, forms, selection, watching."""

import pytest
from tests.support.widgets import widget

TWO = [widget("w1", size=3), widget("w2", size=1, color="green")]


READY = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'


@pytest.fixture
async def two(widgets):
    """Two widgets, one of which is labelled and ready."""
    await widgets("create", "-f", "-", given=TWO)
    await widgets("label", "wt", "w1", "shelf=a")
    await widgets("patch", "wt", "w1", "--subresource=status", "--type=merge", "-p", READY)
    return widgets


async def test_a_list_is_a_table_with_the_columns_of_the_kind(two):
    """The first thing that anybody does."""
    plain, wide = await two("get", "widgets"), await two("get", "wt", "-o", "wide")

    assert plain.out.splitlines()[0].split() == ["NAME", "SIZE", "READY", "AGE"]
    assert wide.out.splitlines()[0].split() == ["NAME", "SIZE", "READY", "COLOR", "AGE"]
    assert [row[:3] for row in plain.rows] == [["w1", "3", "True"], ["w2", "1", plain.rows[1][2]]]
    assert [row[-2] for row in wide.rows] == ["red", "green"]


async def test_objects_are_given_in_every_form(two):
    """Scripts take what they need from an object."""
    assert (await two("get", "wt", "w1", "-o", "json")).json["spec"] == {"size": 3, "color": "red"}
    assert "  size: 3\n" in (await two("get", "wt", "w1", "-o", "yaml")).out
    assert (await two("get", "wt", "-o", "name")).out.split() == ["widget.example.com/w1", "widget.example.com/w2"]
    assert (await two("get", "wt", "-o", "jsonpath={.items[*].spec.size}")).out == "3 1"
    assert (await two("get", "wt", "-o", "custom-columns=N:.metadata.name,C:.spec.color")).rows == [["w1", "red"], ["w2", "green"]]


async def test_objects_are_selected_and_sorted(two):
    """Selection happens in the server, sorting in kubectl: both need what the server sends."""
    by_label = await two("get", "wt", "-l", "shelf in (a)", "-o", "name")
    without = await two("get", "wt", "-l", "!shelf", "-o", "name")
    by_field = await two("get", "wt", "--field-selector", "metadata.name=w2", "-o", "name")
    by_size = await two("get", "wt", "--sort-by=.spec.size", "-o", "name")
    labelled = await two("get", "wt", "-L", "shelf")

    assert by_label.out.split() == ["widget.example.com/w1"]
    assert without.out.split() == by_field.out.split() == ["widget.example.com/w2"]
    assert by_size.out.split() == ["widget.example.com/w2", "widget.example.com/w1"]
    assert labelled.out.splitlines()[0].split()[-1] == "SHELF"


async def test_all_namespaces_are_listed_with_their_names(two):
    """``-A`` and categories go across what is there."""
    await two("create", "namespace", "attic")
    await two("create", "-n", "attic", "-f", "-", given=widget("w3"))

    everywhere = await two("get", "wt", "-A")

    assert [row[:2] for row in everywhere.rows] == [["attic", "w3"], ["default", "w1"], ["default", "w2"]]
    assert (await two("get", "toys", "-o", "name")).out.split() == ["widget.example.com/w1", "widget.example.com/w2"]


async def test_built_in_kinds_have_the_tables_that_people_know(kubectl):
    """And ``kubectl create`` makes them, in whatever form it sends them."""
    await kubectl("create", "configmap", "c", "--from-literal=a=b", "--from-literal=c=d")
    await kubectl("create", "secret", "generic", "s", "--from-literal=a=b")
    await kubectl("create", "serviceaccount", "robot")

    assert (await kubectl("get", "namespaces")).rows[0][:2] == ["default", "Active"]
    assert (await kubectl("get", "cm")).rows[0][:2] == ["c", "2"]
    assert (await kubectl("get", "secrets")).rows[0][:3] == ["s", "Opaque", "1"]
    assert (await kubectl("get", "sa")).rows[0][0] == "robot"
    assert (await kubectl("get", "crd,nodes,events,leases")).out == ""


async def test_a_watch_shows_changes_as_they_come(two):
    """People wait for a verdict with ``get -w``."""
    watching = await two.start("get", "wt", "-w")
    assert watching.stdout is not None
    try:
        first = [await watching.stdout.readline() for _ in range(3)]
        await two("patch", "wt", "w2", "--type=merge", "-p", '{"spec":{"size":77}}')
        changed = await watching.stdout.readline()
    finally:
        watching.terminate()
        await watching.communicate()

    assert first[0].split()[0] == b"NAME"
    assert changed.split()[:2] == [b"w2", b"77"]


async def test_watched_objects_come_whole_when_asked_for(two):
    """Scripts follow one field of one object."""
    watching = await two.start("get", "wt", "w1", "-w", "-o", "jsonpath={.spec.size}{'\\n'}")
    assert watching.stdout is not None
    try:
        assert await watching.stdout.readline() == b"3\n"
        await two("patch", "wt", "w1", "--type=merge", "-p", '{"spec":{"size":4}}')
        assert await watching.stdout.readline() == b"4\n"
    finally:
        watching.terminate()
        await watching.communicate()


async def test_one_object_is_described_with_what_happened_to_it(two):
    """``describe`` finds the events of an object by its uid."""
    uid = (await two("get", "wt", "w1", "-o", "json")).json["metadata"]["uid"]
    about = {"apiVersion": "example.com/v1", "kind": "Widget", "namespace": "default", "name": "w1", "uid": uid}
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e1"},
        "involvedObject": about,
        "reason": "Painted",
        "type": "Normal",
    }
    await two("create", "-f", "-", given=event | {"message": "it is red now", "source": {"component": "painter"}})

    first, second = await two("describe", "wt", "w1"), await two("describe", "wt", "w2")

    assert {"Name:         w1", "  Size:   3"} <= set(first.out.splitlines())
    assert "it is red now" in first.out
    assert second.out.split()[-2:] == ["Events:", "<none>"]
    assert (await two("get", "events")).rows[0][1:] == ["Normal", "Painted", "widget/w1", "it", "is", "red", "now"]
