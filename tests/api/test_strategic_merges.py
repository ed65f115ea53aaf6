from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.json_documents import DOCUMENTS, MAPS, containers_of

from holdfast.api import kinds, merge_patch
from holdfast.api.json_values import same
from holdfast.api.strategic_merge import MERGE_KEYS, SCALARS, MergeKeys, apply

ACCOUNT = MERGE_KEYS["serviceaccounts"]
NODE = MERGE_KEYS["nodes"]
NESTED: MergeKeys = {("items",): "name", ("items", "ports"): "port", ("items", "tags"): SCALARS}


def secrets(*names: str) -> dict[str, Any]:
    return {"secrets": [{"name": name, "was": "there"} for name in names]}


def names(document: dict[str, Any]) -> list[str]:
    return [item["name"] for item in document["secrets"]]


def test_every_kind_that_kubectl_sends_them_for_is_known():
    """Kubectl sends a strategic merge patch for each kind that it knows itself."""
    assert {kind.resource for kind in kinds.BUILT_IN} == MERGE_KEYS.keys()


def test_maps_merge_and_null_removes():
    """Kubectl label, annotate and apply of a ConfigMap."""
    patched = apply(
        {"metadata": {"labels": {"a": None, "b": "2"}}, "data": {"k": None, "absent": None}},
        {"metadata": {"labels": {"a": "1", "c": "3"}, "name": "n"}, "data": {"k": "v"}},
        MERGE_KEYS["configmaps"],
    )

    assert patched == {"metadata": {"labels": {"b": "2", "c": "3"}, "name": "n"}, "data": {}}


def test_items_merge_by_their_key():
    """Two writers of two conditions of one node do not undo each other."""
    patched = apply(
        {"status": {"conditions": [{"type": "Ready", "status": "False"}, {"type": "New", "status": "True"}]}},
        {"status": {"conditions": [{"type": "Disk", "status": "False"}, {"type": "Ready", "status": "True", "reason": "up"}]}},
        NODE,
    )

    assert patched["status"]["conditions"] == [
        {"type": "Disk", "status": "False"},
        {"type": "Ready", "status": "False", "reason": "up"},
        {"type": "New", "status": "True"},
    ]


@pytest.mark.parametrize(
    "keys, place",
    [(NODE, ("spec", "taints")), (ACCOUNT, ("imagePullSecrets",)), (NODE, ("status", "images")), (NODE, ("metadata", "managedFields"))],
)
def test_other_lists_are_replaced(keys, place):
    """As on a real server: taints are one value."""
    document: Any = [{"name": "old", "key": "old"}]
    patch: Any = [{"name": "new", "key": "new"}]
    for part in reversed(place):
        document, patch = {part: document}, {part: patch}

    assert apply(patch, document, keys) == patch


def test_owners_merge_by_uid():
    """Two owners may have one name."""
    document = {"metadata": {"ownerReferences": [{"uid": "1", "name": "a"}, {"uid": "2", "name": "a"}]}}

    patched = apply({"metadata": {"ownerReferences": [{"uid": "2", "name": "b"}]}}, document, ACCOUNT)

    assert patched["metadata"]["ownerReferences"] == [{"uid": "1", "name": "a"}, {"uid": "2", "name": "b"}]


def test_scalars_merge_as_a_set():
    """Two controllers each add their finalizer."""
    patched = apply({"metadata": {"finalizers": ["c", "a"]}}, {"metadata": {"finalizers": ["a", "b"]}}, ACCOUNT)

    assert sorted(patched["metadata"]["finalizers"]) == ["a", "b", "c"]
    assert patched["metadata"]["finalizers"].index("c") < patched["metadata"]["finalizers"].index("a")


def test_scalars_are_deleted_by_name():
    """Kubectl apply that took one finalizer out of its file."""
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b", "absent"], "finalizers": ["d"]}}

    patched = apply(patch, {"metadata": {"finalizers": ["a", "b", "c"]}}, ACCOUNT)

    assert sorted(patched["metadata"]["finalizers"]) == ["a", "c", "d"]


def test_deleting_from_a_list_that_is_not_there_makes_none():
    """A directive alone adds nothing."""
    assert apply({"metadata": {"$deleteFromPrimitiveList/finalizers": ["b"]}}, {"metadata": {}}, ACCOUNT) == {"metadata": {}}
    assert apply({"$setElementOrder/secrets": [{"name": "a"}]}, {}, ACCOUNT) == {}


def test_items_that_share_a_key_are_not_lost():
    """A list may hold two owners of one uid; a patch of something else in it must not take one of them away."""
    live = secrets(*"aba")

    assert names(apply({"secrets": [{"name": "c"}]}, live, ACCOUNT)) == ["c", "a", "a", "b"]
    assert apply({"secrets": [{"name": "a", "new": 1}]}, live, ACCOUNT)["secrets"][:2] == [
        {"name": "a", "was": "there", "new": 1},
        {"name": "a", "was": "there"},
    ]
    assert names(apply({"secrets": [{"name": "a", "$patch": "delete"}]}, live, ACCOUNT)) == ["b"]


def test_an_item_is_deleted_by_its_key():
    """Kubectl apply that took one item out of its file."""
    patched = apply({"secrets": [{"$patch": "delete", "name": "b"}, {"$patch": "delete", "name": "absent"}]}, secrets(*"abc"), ACCOUNT)

    assert names(patched) == ["a", "c"]


def test_a_list_is_replaced_on_demand():
    """The directive turns a merged list into a plain one."""
    patched = apply({"secrets": [{"$patch": "replace"}, {"name": "x"}]}, secrets(*"abc"), ACCOUNT)

    assert patched == {"secrets": [{"name": "x"}]}


def test_a_map_is_replaced_or_emptied_on_demand():
    """The directive turns a merged map into a plain one."""
    document = {"metadata": {"labels": {"a": "1"}}, "data": {"k": "v", "l": "w"}}

    assert apply({"data": {"$patch": "replace", "m": "x"}}, document, {}) == {**document, "data": {"m": "x"}}
    assert apply({"data": {"$patch": "delete", "m": "x"}}, document, {}) == {**document, "data": {}}


def test_other_keys_go_on_demand():
    """A union, where one member stands for the absence of the others."""
    patched = apply({"spec": {"$retainKeys": ["kept", "new"], "new": 1, "gone": None}}, {"spec": {"kept": 1, "gone": 2, "also": 3}}, {})

    assert patched == {"spec": {"kept": 1, "new": 1}}


@pytest.mark.parametrize(
    "live, patch, order, expected",
    [
        ("abc", "", "cba", "cba"),
        ("abc", "d", "dabc", "dabc"),
        ("abc", "d", "cda", "bcda"),
        ("abcd", "", "ca", "bcad"),
        ("ab", "cd", "", "cdab"),
        ("", "ba", "ba", "ba"),
        ("abc", "ca", None, "bca"),
        ("abc", "xb", None, "xabc"),
        ("ab", "c", None, "cab"),
    ],
)
def test_the_wanted_order_wins_over_that_of_the_patch_and_that_over_the_live_one(live, patch, order, expected):
    """The order of a person's file is kept, and items of others stay before what they stood before."""
    directive = {} if order is None else {"$setElementOrder/secrets": [{"name": name} for name in order]}

    patched = apply({"secrets": [{"name": name} for name in patch], **directive}, secrets(*live), ACCOUNT)

    assert "".join(names(patched)) == expected


def test_scalars_take_an_order_too():
    """Finalizers run in any order, but people read them."""
    patch = {"metadata": {"$setElementOrder/finalizers": ["c", "a", "n"], "finalizers": ["n"]}}

    assert apply(patch, {"metadata": {"finalizers": ["a", "b", "c"]}}, ACCOUNT)["metadata"]["finalizers"] == ["b", "c", "a", "n"]


def test_lists_within_items_merge_too():
    """A merged item is a map like any other, with lists of its own."""
    document = {"items": [{"name": "a", "ports": [{"port": 1, "x": 1}, {"port": 2}], "tags": ["t"]}]}
    patch = {"items": [{"name": "a", "ports": [{"port": 1, "y": 1}, {"port": 2, "$patch": "delete"}], "tags": ["u"], "z": None}]}

    assert apply(patch, document, NESTED) == {"items": [{"name": "a", "ports": [{"port": 1, "x": 1, "y": 1}], "tags": ["u", "t"]}]}


def test_what_is_new_is_taken_as_it_is_but_for_nulls():
    """What says how to merge with something is no part of what is there for the first time."""
    patch = {
        "items": [{"name": "a", "gone": None, "ports": [{"port": 1}, {"port": 2, "$patch": "delete"}]}],
        "map": {"$patch": "replace", "k": 1},
        "tags": ["t", "t"],
    }

    assert apply(patch, {}, NESTED) == {"items": [{"name": "a", "ports": [{"port": 1}]}], "tags": ["t", "t"]}


def test_what_replaces_a_map_is_taken_to_the_letter():
    """Null is a value there: nothing is merged that it could take away."""
    assert apply({"map": {"$patch": "replace", "k": None}}, {"map": {"l": 1}}, NESTED) == {"map": {"k": None}}


def test_keys_of_items_compare_as_json():
    """A port 1 is not a port true."""
    assert apply({"items": [{"name": True}]}, {"items": [{"name": 1}]}, NESTED) == {"items": [{"name": 1}, {"name": True}]}
    assert apply({"items": [{"name": 1.0}]}, {"items": [{"name": 1}]}, NESTED) == {"items": [{"name": 1.0}]}


@given(MAPS, MAPS)
def test_without_merged_lists_and_directives_it_is_a_merge_patch(patch, document):
    """One meaning for maps, nulls and plain lists in both kinds of patch; but for nulls within lists, which say nothing here."""
    assert same(_plain(apply(patch, document, {})), _plain(merge_patch.apply(patch, document)))


def _plain(value: Any, *, in_list: bool = False) -> Any:
    if isinstance(value, list):
        return [_plain(item, in_list=True) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, in_list=in_list) for key, item in value.items() if item is not None or not in_list}
    return value


_LISTS = st.lists(st.sampled_from("abcdef"), max_size=5, unique=True)


@given(_LISTS, _LISTS, _LISTS)
def test_a_merge_loses_nobody_and_keeps_both_orders(live, patch, removed):
    """Whatever the interleaving: each item once, those of the patch in its order, the others in theirs."""
    items = [{"name": name} for name in patch if name not in removed]
    items += [{"name": name, "$patch": "delete"} for name in removed]

    result = names(apply({"secrets": items}, secrets(*live), ACCOUNT) | {"other": 1}) if live or items else []

    wanted = [name for name in patch if name not in removed]
    assert sorted(result) == sorted((set(live) | set(patch)) - set(removed))
    assert [name for name in result if name in wanted] == wanted
    assert [name for name in result if name not in wanted] == [name for name in live if name not in wanted and name not in removed]


def test_items_of_a_merged_list_are_not_shared():
    """Neither those that the patch names nor the others: what is stored must not change with the result."""
    document = {"items": [{"name": "a", "other": [1], "ports": [{"port": 1, "more": {}}]}, {"name": "b", "other": {"x": []}}]}
    patch = {"items": [{"name": "a", "new": {"y": []}}, {"name": "c", "new": [[]]}]}

    patched = apply(patch, document, NESTED)

    assert not containers_of(patched) & (containers_of(patch) | containers_of(document))


@given(DOCUMENTS)
def test_an_empty_patch_changes_nothing(document):
    """Not even the order of lists."""
    assert same(apply({}, {"items": document}, NESTED), {"items": document})
