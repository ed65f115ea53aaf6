import pytest

from holdfast.api import core, kinds, longhorn
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.meta import Object, ObjectMeta


@pytest.mark.parametrize(
    "kind, arguments, path",
    [
        (kinds.NODE, {}, "/api/v1/nodes"),
        (kinds.NODE, {"name": "n1"}, "/api/v1/nodes/n1"),
        (kinds.NODE, {"namespace": "ignored", "name": "n1"}, "/api/v1/nodes/n1"),
        (kinds.NAMESPACE, {"name": "a", "subresource": "status"}, "/api/v1/namespaces/a/status"),
        (kinds.CONFIG_MAP, {}, "/api/v1/configmaps"),
        (kinds.CONFIG_MAP, {"namespace": "a"}, "/api/v1/namespaces/a/configmaps"),
        (kinds.LEASE, {"namespace": "a", "name": "l"}, "/apis/coordination.k8s.io/v1/namespaces/a/leases/l"),
        (
            kinds.DISK_SCHEDULE,
            {"namespace": "longhorn-system", "name": "u", "subresource": "status"},
            "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/diskschedules/u/status",
        ),
        (kinds.CUSTOM_RESOURCE_DEFINITION, {"name": "x"}, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x"),
    ],
)
def test_paths_are_those_of_the_kubernetes_api(kind, arguments, path):
    """Client and embedded server take them from here, real servers have them fixed."""
    assert kind.path(**arguments) == path


def test_the_two_nodes_are_two_kinds():
    """Longhorn's Node and the machine share kind and plural, not their group."""
    assert kinds.kind_of(core.Node).resource == "nodes"
    assert kinds.kind_of(longhorn.LonghornNode).resource == "nodes.longhorn.io"
    assert kinds.LONGHORN_NODE.name == kinds.NODE.name == "Node"


def test_an_object_is_sent_with_its_kind():
    """A server refuses a body that does not say what it is."""
    schedule = longhorn.DiskSchedule(metadata=ObjectMeta(name="u"), spec=DiskScheduleSpec(node_id="n1"))

    assert kinds.to_wire(schedule) == {
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "DiskSchedule",
        "metadata": {"name": "u"},
        "spec": {"nodeID": "n1"},
    }
    assert kinds.to_wire(core.Namespace(metadata=ObjectMeta(name="a")))["apiVersion"] == "v1"


def test_every_name_stands_for_one_kind():
    """Kubectl get takes the plural, the singular or a short name; within a group none may mean two."""
    for group in {kind.group for kind in kinds.ALL}:
        names = [name for kind in kinds.ALL if kind.group == group for name in {kind.plural, kind.singular, *kind.short_names}]
        assert len(names) == len(set(names))


def test_short_names_are_those_that_people_type():
    """Longhorn's own short names, and Kubernetes'."""
    assert kinds.LONGHORN_NODE.short_names == ("lhn",)
    assert kinds.SETTING.short_names == ("lhs",)
    assert kinds.REPLICA.short_names == ("lhr",)
    assert kinds.BACKING_IMAGE.short_names == ("lhbi",)
    assert kinds.DISK_SCHEDULE.short_names == ("lhds",)
    assert kinds.NODE.short_names == ("no",)


def test_the_groups_of_kinds_do_not_overlap():
    """A kind is built in, read only, or a CRD."""
    assert len(kinds.ALL) == len(set(map(id, kinds.ALL))) == len(kinds.BUILT_IN) + len(kinds.FOREIGN) + len(kinds.CUSTOM)
    assert {kind.group for kind in kinds.CUSTOM} == {kinds.LONGHORN_GROUP}
    assert all(kind.has_status and kind.namespaced for kind in kinds.CUSTOM)


def test_a_type_that_is_not_registered_is_a_mistake():
    """Nobody may invent a path."""

    class Unknown(Object):
        pass

    with pytest.raises(KeyError):
        kinds.kind_of(Unknown)
