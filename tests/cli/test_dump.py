"""Reading what kubectl printed: `explain --from` takes it as it comes."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdfast.api.longhorn import DiskSchedule, LonghornNode, Replica
from holdfast.cli.dump import read
from holdfast.plane.failure import Failure

NAMESPACE = "longhorn-system"


def schedule(object_name: str, namespace: str = NAMESPACE, **spec: Any) -> dict[str, Any]:
    metadata = {"name": object_name, "namespace": namespace, "creationTimestamp": "2026-01-02T03:04:05Z"}
    return {"apiVersion": "longhorn.io/v1beta2", "kind": "DiskSchedule", "metadata": metadata, "spec": spec}


def listed(*items: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": list(items)}


def names(source: Path) -> list[str]:
    return [found.metadata.name for found in read(source, NAMESPACE).all(DiskSchedule)]


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "dump.yaml") -> Path:
        path: Path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_list_as_json_is_read(file):
    """`kubectl get lhds -o json`."""
    assert names(file(json.dumps(listed(schedule("a"), schedule("b"))))) == ["a", "b"]


def test_a_list_as_yaml_is_read(file):
    """`kubectl get lhds -o yaml`."""
    assert names(file(yaml.safe_dump(listed(schedule("a"), schedule("b"))))) == ["a", "b"]


def test_a_single_object_is_read(file):
    """`kubectl get lhds NAME -o yaml`."""
    assert names(file(yaml.safe_dump(schedule("a")))) == ["a"]


def test_several_documents_in_one_file_are_read(file):
    """People append one command's output to another's."""
    assert names(file("---\n" + "---\n".join(yaml.safe_dump(schedule(name)) for name in "ab") + "---\n")) == ["a", "b"]


def test_a_list_of_a_kind_gives_its_items_their_kind(file):
    """`kubectl get --raw` prints what the server sends: items without a kind of their own."""
    item = {key: value for key, value in schedule("a").items() if key in {"metadata", "spec"}}
    assert names(file(json.dumps({"apiVersion": "longhorn.io/v1beta2", "kind": "DiskScheduleList", "items": [item]}))) == ["a"]


def test_an_empty_list_is_no_error(file):
    """Go writes null for it."""
    assert names(file(json.dumps({"apiVersion": "v1", "kind": "List", "items": None}))) == []


def test_a_folder_is_read_with_all_below_it(file, tmp_path):
    """A support bundle is a tree of files, and not all of them are objects."""
    (tmp_path / "deep").mkdir()
    file(yaml.safe_dump(schedule("a")), "deep/a.yml")
    file(json.dumps(schedule("b")), "b.json")
    file("not an object", "notes.txt")
    assert sorted(names(tmp_path)) == ["a", "b"]


def test_standard_input_is_read(monkeypatch):
    """`kubectl get ... -o json | holdfast explain disk X --from -`."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(schedule("a"))))
    assert names(Path("-")) == ["a"]


def test_kinds_that_we_do_not_know_are_passed_over(file):
    """A dump of a whole namespace is welcome."""
    pod = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}
    assert names(file(json.dumps(listed(pod, schedule("b"))))) == ["b"]


def test_a_node_of_longhorn_is_told_from_a_node_of_kubernetes(file):
    """Both are called Node."""
    ours = {"apiVersion": "longhorn.io/v1beta2", "kind": "Node", "metadata": {"name": "n1", "namespace": NAMESPACE}}
    theirs = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2"}}
    dump = read(file(json.dumps(listed(ours, theirs))), NAMESPACE)
    assert [node.metadata.name for node in dump.all(LonghornNode)] == ["n1"]


def test_objects_of_other_namespaces_are_left_out(file):
    """Two installations may have disks of the same name."""
    assert names(file(json.dumps(listed(schedule("a"), schedule("b", namespace="elsewhere"))))) == ["a"]


def test_of_one_object_the_last_copy_counts(file):
    """Two dumps appended: the later one is the newer."""
    dump = read(file("---\n".join(yaml.safe_dump(schedule("a", name=disk)) for disk in ("old", "new"))), NAMESPACE)
    assert [found.spec.name for found in dump.all(DiskSchedule)] == ["new"]


def test_a_time_without_quotes_stays_text(file):
    """YAML would make a date of it, which no wire type is."""
    text = yaml.safe_dump(schedule("a")).replace("'2026-01-02T03:04:05Z'", "2026-01-02T03:04:05Z")
    assert "creationTimestamp: 2026" in text
    (found,) = read(file(text), NAMESPACE).all(DiskSchedule)
    assert found.metadata.creation_timestamp == "2026-01-02T03:04:05Z"


def test_sizes_as_strings_are_read(file):
    """Longhorn sends some int64 as digits."""
    replica = {"apiVersion": "longhorn.io/v1beta2", "kind": "Replica", "metadata": {"name": "r"}, "spec": {"volumeSize": "107374182400"}}
    (found,) = read(file(yaml.safe_dump(replica)), NAMESPACE).all(Replica)
    assert found.spec.volume_size == 100 * 2**30


def test_an_object_that_can_not_be_read_is_named(file):
    """Among a thousand objects the broken one must be findable."""
    broken = file(json.dumps(listed(schedule("fine"), schedule("broken", replicas={"r": "much"}))))
    with pytest.raises(Failure, match=r"dump\.yaml: DiskSchedule broken can not be read: Expected `int`"):
        read(broken, NAMESPACE)


@pytest.mark.parametrize(
    "text, words",
    [
        ("a: [1", "neither JSON nor YAML"),
        ("\x00", "neither JSON nor YAML"),
        ("just words", "does not hold what kubectl get"),
        ("[1, 2]", "does not hold what kubectl get"),
        ("error: the server could not be reached", "does not hold what kubectl get"),
        ("[" * 100_000, "nested more than"),
        ("- " * 100_000 + "a", "nested more than"),
    ],
)
def test_what_kubectl_does_not_print_is_refused_in_words(file, text, words):
    """The wrong file is an everyday mistake."""
    with pytest.raises(Failure, match=words):
        read(file(text), NAMESPACE)


def test_a_file_that_is_not_there_is_refused_in_words(tmp_path):
    """With its name and the reason."""
    with pytest.raises(Failure, match=r"cannot read .*gone\.json: No such file"):
        read(tmp_path / "gone.json", NAMESPACE)


def test_a_file_that_is_no_text_is_refused_in_words(tmp_path):
    """A database, say."""
    (tmp_path / "blob.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Failure, match=r"no text in UTF-8"):
        read(tmp_path / "blob.yaml", NAMESPACE)


def test_an_empty_folder_is_refused_in_words(tmp_path):
    """Silence would read as: there is no such disk."""
    with pytest.raises(Failure, match="holds no file"):
        read(tmp_path, NAMESPACE)
