"""kubectl's ways to change things."""

import json

import pytest
from tests.support.widgets import widget


async def spec_of(kubectl, name="w1"):
    return (await kubectl("get", "widget", name, "-o", "json")).json["spec"]


async def test_what_is_applied_is_created_changed_and_taken_back(widgets):
    """``apply`` removes a field that the manifest no longer has, and leaves alone what others wrote."""
    await widgets("apply", "-f", "-", given=widget(color="green", parts={"a": 1, "b": 2}))
    await widgets("patch", "wt", "w1", "--type=merge", "-p", '{"spec":{"parts":{"theirs":3}}}')

    changed = await widgets("apply", "-f", "-", given=widget(size=4, parts={"a": 1}))
    again = await widgets("apply", "-f", "-", given=widget(size=4, parts={"a": 1}))

    assert "configured" in changed.out
    assert "unchanged" in again.out
    assert await spec_of(widgets) == {"size": 4, "color": "red", "parts": {"a": 1, "theirs": 3}}


async def test_built_in_kinds_are_applied_too(kubectl):
    """Their patches are strategic ones."""
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "labels": {"l": "1"}}, "data": {"a": "1", "b": "2"}}
    await kubectl("apply", "-f", "-", given=config)
    config |= {"data": {"a": "3"}}

    await kubectl("apply", "-f", "-", given=config)

    assert (await kubectl("get", "cm", "c", "-o", "json")).json["data"] == {"a": "3"}


async def test_a_rehearsal_changes_nothing(widgets):
    """``--dry-run=server`` goes through every check."""
    assert "server dry run" in (await widgets("apply", "--dry-run=server", "-f", "-", given=widget())).out
    refused = await widgets.says("apply", "--dry-run=server", "-f", "-", given=widget(size=0))

    assert (await widgets("get", "wt", "-o", "name")).out == ""
    assert refused.code == 1
    assert "should be greater than or equal to 1" in refused.err


async def test_a_difference_is_shown(widgets):
    """People look before they apply."""
    await widgets("apply", "-f", "-", given=widget())

    difference = await widgets.says("diff", "-f", "-", given=widget(size=5))

    assert difference.code == 1
    assert "+  size: 5" in difference.out


async def test_objects_are_patched_in_three_ways(widgets):
    """Merge and JSON patches for every kind, strategic ones for built-in kinds alone."""
    await widgets("create", "-f", "-", given=widget())
    await widgets("create", "configmap", "c", "--from-literal=a=b")

    await widgets("patch", "wt", "w1", "--type=merge", "-p", '{"spec":{"parts":{"a":1}}}')
    grow = '[{"op":"test","path":"/spec/size","value":3},{"op":"replace","path":"/spec/size","value":8}]'
    await widgets("patch", "wt", "w1", "--type=json", "-p", grow)
    await widgets("patch", "cm", "c", "-p", '{"data":{"$patch":"replace","x":"y"}}')
    strategic = await widgets.says("patch", "wt", "w1", "-p", '{"spec":{"size":9}}')
    failed = await widgets.says("patch", "wt", "w1", "--type=json", "-p", '[{"op":"test","path":"/spec/size","value":3}]')

    assert await spec_of(widgets) == {"size": 8, "color": "red", "parts": {"a": 1}}
    assert (await widgets("get", "cm", "c", "-o", "json")).json["data"] == {"x": "y"}
    assert "strategic-merge-patch+json is not supported" in strategic.err
    assert failed.code == 1


async def test_an_object_is_replaced(widgets):
    """What was read, changed and sent back is written; what is old is refused."""
    await widgets("create", "-f", "-", given=widget(parts={"a": 1}))
    read = (await widgets("get", "wt", "w1", "-o", "json")).json
    read["spec"] = {"size": 5}

    await widgets("replace", "-f", "-", given=read)
    late = await widgets.says("replace", "-f", "-", given=read)

    assert await spec_of(widgets) == {"size": 5, "color": "red"}
    assert "the object has been modified" in late.err


async def test_an_object_is_labelled_and_annotated(widgets):
    """Metadata changes do not count as changes of what is wanted."""
    await widgets("create", "-f", "-", given=widget())

    await widgets("label", "wt", "w1", "shelf=a", "row=1")
    await widgets("label", "wt", "w1", "row-")
    await widgets("annotate", "wt", "w1", "note=fragile")
    refused = await widgets.says("label", "wt", "w1", "shelf=b")

    metadata = (await widgets("get", "wt", "w1", "-o", "json")).json["metadata"]
    assert (metadata["labels"], metadata["annotations"]) == ({"shelf": "a"}, {"note": "fragile"})
    assert metadata["generation"] == 1
    assert refused.code == 1


async def test_an_object_is_edited(widgets, tmp_path):
    """``kubectl edit`` with an editor that knows what it wants."""
    await widgets("create", "-f", "-", given=widget())
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/color: red/color: green/" "$1"\n')
    editor.chmod(0o700)

    await widgets("edit", "wt", "w1", KUBE_EDITOR=str(editor))

    assert (await spec_of(widgets))["color"] == "green"


async def test_an_object_that_is_held_goes_when_it_is_let_go(widgets):
    """A finalizer keeps it; who deletes can wait or not."""
    held = widget()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    await widgets("create", "-f", "-", given=held)

    await widgets("delete", "wt", "w1", "--wait=false")
    leaving = (await widgets("get", "wt", "w1", "-o", "json")).json["metadata"]
    waiting = await widgets.start("wait", "--for=delete", "wt/w1", "--timeout=20s")
    await widgets("patch", "wt", "w1", "--type=json", "-p", '[{"op":"remove","path":"/metadata/finalizers"}]')
    _, err = await waiting.communicate()

    assert leaving["deletionTimestamp"]
    assert waiting.returncode == 0, err
    assert (await widgets.says("get", "wt", "w1")).code == 1


@pytest.mark.parametrize("cascade,left", [("background", []), ("orphan", ["configmap/child"])])
async def test_what_an_object_owns_goes_with_it_unless_it_is_orphaned(widgets, cascade, left):
    """Owners are how things are cleaned up."""
    await widgets("create", "-f", "-", given=widget())
    uid = (await widgets("get", "wt", "w1", "-o", "json")).json["metadata"]["uid"]
    owner = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w1", "uid": uid}
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "child", "ownerReferences": [owner]}}
    await widgets("create", "-f", "-", given=child)

    await widgets("delete", "wt", "w1", f"--cascade={cascade}")
    if not left:
        await widgets("wait", "--for=delete", "cm/child", "--timeout=20s")

    assert (await widgets("get", "cm", "-o", "name")).out.split() == left


async def test_a_state_can_be_waited_for(widgets):
    """Scripts wait for a condition or a value."""
    await widgets("create", "-f", "-", given=widget())
    waiting = [
        await widgets.start("wait", "--for=condition=Ready", "wt/w1", "--timeout=20s"),
        await widgets.start("wait", "--for=jsonpath={.spec.size}=7", "wt/w1", "--timeout=20s"),
    ]

    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    await widgets("patch", "wt", "w1", "--subresource=status", "--type=merge", "-p", json.dumps(ready))
    await widgets("patch", "wt", "w1", "--type=merge", "-p", '{"spec":{"size":7}}')

    for process in waiting:
        _, err = await process.communicate()
        assert process.returncode == 0, err


async def test_everything_of_a_selection_is_deleted(widgets):
    """Cleaning up by label is a daily habit."""
    await widgets("create", "-f", "-", given=[widget("w1"), widget("w2"), widget("w3")])
    await widgets("label", "wt", "w1", "w2", "old=yes")

    await widgets("delete", "wt", "-l", "old=yes")
    assert (await widgets("get", "wt", "-o", "name")).out.split() == ["widget.example.com/w3"]

    await widgets("delete", "wt", "--all")
    assert (await widgets("get", "wt", "-o", "name")).out == ""


async def test_a_namespace_goes_with_what_is_in_it(widgets):
    """The quickest way to forget an experiment."""
    await widgets("create", "namespace", "attic")
    await widgets("create", "-n", "attic", "-f", "-", given=widget())

    await widgets("delete", "namespace", "attic", "--timeout=20s")

    assert (await widgets("get", "wt", "-A", "-o", "name")).out == ""
    assert "attic" not in (await widgets("get", "namespaces", "-o", "name")).out
