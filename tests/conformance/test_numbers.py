"""How numbers are read, judged and given back: as Go does it, which tells 1000.0 from 1000 only until it has written it."""

import pytest
from tests.support.conformance_kinds import define, definition

from holdfast.process import Randomness


def _kind(**fields):
    made = definition(f"{Randomness().suffix(8)}.example.com", "scales", "Scale")
    version = made["spec"]["versions"][0]
    del version["selectableFields"], version["additionalPrinterColumns"]
    version["schema"]["openAPIV3Schema"] = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    return made


async def _written(home, made, spec):
    """What comes of an object with this spec, which is JSON as it is sent."""
    group = made["spec"]["group"]
    body = f'{{"apiVersion": "{group}/v1", "kind": "Scale", "metadata": {{"name": "s-{Randomness().suffix(8)}"}}, "spec": {spec}}}'
    return await home.post(f"/apis/{group}/v1/namespaces/{home.namespace}/scales", body.encode())


async def test_a_number_with_a_point_is_judged_as_one_and_kept_without(home):
    """A factor below one is cut to nothing beside a whole number, and then nothing is a multiple of it."""
    made = _kind(ratio={"type": "number", "multipleOf": 0.5})
    await define(home, made)

    assert repr((await _written(home, made, '{"ratio": 1000.0}')).body["spec"]["ratio"]) == "1000"
    assert (await _written(home, made, '{"ratio": 1000}')).code == 422
    assert (await _written(home, made, '{"ratio": 0.3}')).code == 422


@pytest.mark.parametrize(
    "sent, given",
    [
        ("1e3", "1000"),
        ("1e20", "100000000000000000000"),
        ("123456789012345678901", "123456789012345680000"),
        ("1e21", "1e+21"),
        ("0.25", "0.25"),
        ("9007199254740993", "9007199254740993"),
        ("9.007199254740993e15", "9007199254740992"),
    ],
)
async def test_numbers_are_given_back_as_go_writes_them(home, sent, given):
    """Who compares texts of manifests must see no change where there is none."""
    made = _kind(free={"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    await define(home, made)
    assert repr((await _written(home, made, f'{{"free": {{"n": {sent}}}}}')).body["spec"]["free"]["n"]) == given


async def test_a_number_that_is_not_exact_is_no_integer(home):
    """Another number would be kept than was meant."""
    made = _kind(bytes={"type": "integer", "format": "int64"})
    await define(home, made)

    assert (await _written(home, made, '{"bytes": 1e15}')).body["spec"] == {"bytes": 10**15}
    assert (await _written(home, made, '{"bytes": 1e17}')).code == 422
    assert (await _written(home, made, '{"bytes": 100000000000000000000}')).code == 422


async def test_a_number_with_a_point_is_no_whole_one_for_kubernetes_own_kinds(home):
    """Go reads them into a type."""
    body = b'{"metadata": {"name": "l"}, "spec": {"leaseDurationSeconds": 15.0}}'
    assert (await home.post(home.at("leases"), body)).code == 400
