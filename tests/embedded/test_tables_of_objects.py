"""kubectl shows what the server puts into tables."""

import pytest

from holdfast.api.errors import BadRequest
from holdfast.embedded.columns import of_definition
from holdfast.embedded.durations import human_duration
from holdfast.embedded.resources import Resource
from holdfast.embedded.tables import Include, include_of, table

NOW = 1_700_000_000.0
CREATED = "2023-11-14T22:08:20Z"  # five minutes before
WIDGETS = Resource(
    group="example.com",
    plural="widgets",
    singular="widget",
    kind="Widget",
    is_custom=True,
    columns=of_definition(
        [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
            {"name": "Parts", "type": "string", "jsonPath": ".spec.parts", "priority": 1},
            {"name": "Seen", "type": "date", "jsonPath": ".status.seen"},
            {"name": "Ratio", "type": "number", "jsonPath": ".spec.ratio"},
            {"name": "On", "type": "boolean", "jsonPath": ".spec.on"},
        ]
    ),
)


def built_in(plural: str, kind: str, group: str = "") -> Resource:
    return Resource(plural=plural, singular=kind.lower(), kind=kind, group=group)


def shown(resource: Resource, obj: dict[str, object]) -> dict[str, object]:
    found = table(resource, [{"metadata": {"name": "x", "creationTimestamp": CREATED}, **obj}], NOW)
    return dict(zip([column["name"] for column in found["columnDefinitions"]], found["rows"][0]["cells"], strict=True))


def test_a_custom_kind_shows_the_columns_of_its_definition():
    """The size of a disk and whether it is ready are seen without reading YAML."""
    cells = shown(
        WIDGETS,
        {
            "spec": {"size": 3.0, "parts": {"a": 1}, "ratio": 0.5, "on": True},
            "status": {"seen": CREATED, "conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]},
        },
    )

    assert cells == {"Name": "x", "Size": 3, "Ready": "True", "Parts": '{"a":1}', "Seen": "5m", "Ratio": 0.5, "On": True}


def test_a_cell_whose_value_is_missing_or_of_another_type_is_empty():
    """One odd object must not keep the list from being shown."""
    cells = shown(WIDGETS, {"spec": {"size": "many", "ratio": True, "on": "yes"}, "status": {"seen": "soon", "conditions": "none"}})

    assert cells == {"Name": "x", "Size": None, "Ready": None, "Parts": None, "Seen": "<invalid>", "Ratio": None, "On": None}


def test_columns_after_one_that_can_not_be_read_are_left_out():
    """A mistake in a definition costs columns, not the list."""
    columns = of_definition(
        [
            {"name": "A", "type": "string", "jsonPath": ".a"},
            {"name": "B", "type": "string", "jsonPath": ".b["},
            {"name": "C", "type": "string", "jsonPath": ".c"},
        ]
    )

    assert [column.name for column in columns] == ["Name", "A"]


def test_a_custom_kind_without_columns_shows_its_age():
    """As in a cluster."""
    assert [column.name for column in of_definition([])] == ["Name", "Age"]


@pytest.mark.parametrize(
    "resource,obj,cells",
    [
        (built_in("namespaces", "Namespace"), {"status": {"phase": "Active"}}, {"Status": "Active", "Age": "5m"}),
        (built_in("configmaps", "ConfigMap"), {"data": {"a": "b"}, "binaryData": {"c": "ZA=="}}, {"Data": 2}),
        (built_in("secrets", "Secret"), {"type": "Opaque", "data": {"a": "b"}}, {"Type": "Opaque", "Data": 1}),
        (built_in("serviceaccounts", "ServiceAccount"), {}, {"Age": "5m"}),
        (built_in("leases", "Lease", "coordination.k8s.io"), {"spec": {"holderIdentity": "m1"}}, {"Holder": "m1"}),
        (
            built_in("nodes", "Node"),
            {
                "spec": {"unschedulable": True},
                "metadata": {"name": "n", "labels": {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge"}},
                "status": {
                    "conditions": [{"type": "Ready", "status": "True"}],
                    "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
                    "nodeInfo": {"kubeletVersion": "v1", "kernelVersion": "6", "architecture": "arm64"},
                },
            },
            {
                "Status": "Ready,SchedulingDisabled", "Roles": "edge,worker", "Age": "<unknown>", "Version": "v1",
                "Internal-IP": "10.0.0.1", "External-IP": "<none>", "Kernel-Version": "6 (arm64)", "OS-Image": "<unknown>",
            },
        ),
        (
            built_in("events", "Event"),
            {
                "involvedObject": {"kind": "Disk", "name": "d"}, "reason": "Full", "message": " no room \n", "type": "Warning", "count": 3,
                "lastTimestamp": CREATED, "source": {"component": "holdfast", "host": "n1"},
            },
            {
                "Object": "disk/d", "Reason": "Full", "Message": "no room", "Last Seen": "5m", "First Seen": "<unknown>", "Count": 3,
                "Source": "holdfast, n1", "Name": "x",
            },
        ),
        (
            built_in("customresourcedefinitions", "CustomResourceDefinition", "apiextensions.k8s.io"),
            {},
            {"Name": "x", "Created At": CREATED},
        ),
    ],
    ids=lambda value: value.plural if isinstance(value, Resource) else "",
)  # fmt: skip
def test_a_built_in_kind_shows_the_columns_that_people_know(resource, obj, cells):
    """``kubectl get nodes`` looks the same wherever it is run."""
    assert cells.items() <= shown(resource, obj).items()


def test_a_row_carries_as_much_of_its_object_as_was_asked_for():
    """Sorting and selecting by kubectl need the metadata, or all of it."""
    obj = {"metadata": {"name": "x"}, "data": {"a": "b"}}
    rows = {include: table(built_in("configmaps", "ConfigMap"), [obj], NOW, include=include)["rows"][0]["object"] for include in Include}

    assert rows[Include.NONE] is None
    assert rows[Include.OBJECT] == obj
    assert rows[Include.METADATA] == {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "x"}}


def test_only_the_first_table_of_a_watch_names_its_columns():
    """Otherwise kubectl prints the headers again with every change."""
    assert table(WIDGETS, [], NOW, has_headers=False)["columnDefinitions"] is None


def test_an_unknown_wish_for_rows_is_refused():
    """A misspelt parameter must not quietly mean the default."""
    with pytest.raises(BadRequest, match="includeObject"):
        include_of("Everything")


@pytest.mark.parametrize(
    "seconds,text",
    [
        (-5, "<invalid>"), (-1, "0s"), (0, "0s"), (119.9, "119s"), (120, "2m"), (130, "2m10s"), (599, "9m59s"), (600, "10m"),
        (10799, "179m"), (10800, "3h"), (11000, "3h3m"), (28800, "8h"), (172799, "47h"), (172800, "2d"), (180000, "2d2h"), (691200, "8d"),
        (2 * 365 * 86400, "2y"), (3 * 365 * 86400 + 86400, "3y1d"), (9 * 365 * 86400, "9y"),
    ],
)  # fmt: skip
def test_an_age_is_told_in_two_figures(seconds, text):
    """Every kubectl shows ages like this, whoever computed them."""
    assert human_duration(seconds) == text
