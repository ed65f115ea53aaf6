"""What an object can be called, as Kubernetes has it."""

import pytest

from holdfast.api.names import can_name_an_object


@pytest.mark.parametrize("name", ["a", "0", "pvc-1-r-2", "a.b.c", "124673a8-a0eb-8dfe-aeb3-d94e80785f7e", "x" * 253])
def test_names_of_objects(name):
    """What an object may be called must be looked for."""
    assert can_name_an_object(name)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "../../nodes/n1", "%2e", "A", "a b", "a_b", "-a", "a-", "a.", ".a", "a..b", "a\n", "ü", "x" * 254, "a?b=c"],
)
def test_what_no_object_is_called(name):
    """Free text that is no name must never get into a path."""
    assert not can_name_an_object(name)
