import operator
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.api.quantity import Family, Quantity

_FACTORS: dict[str, Fraction | int] = {
    "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1),
    "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60,
}  # fmt: skip


@pytest.mark.parametrize(
    "text, canonical",
    [
        # no fraction, the largest suffix
        ("0.5", "500m"),
        ("1.5", "1500m"),
        ("1.2345", "1234500u"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("1000m", "1"),
        ("100m", "100m"),
        ("1000000k", "1G"),
        ("1.500k", "1500"),
        ("5.", "5"),
        (".5", "500m"),
        ("+5", "5"),
        ("007", "7"),
        # binary
        ("1.5Gi", "1536Mi"),
        ("-1.5Gi", "-1536Mi"),
        ("1024Gi", "1Ti"),
        ("1023Gi", "1023Gi"),
        ("1024Ki", "1Mi"),
        ("1Ei", "1Ei"),
        ("7Ei", "7Ei"),
        ("100Gi", "100Gi"),
        # binary that is no whole number, or under 1Ki, prints decimal
        ("0.5Ki", "512"),
        ("1.1Ki", "1126400m"),
        ("0.1Ki", "102400m"),
        # a number without a suffix is decimal, whatever its value
        ("1024", "1024"),
        # exponents are kept
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("1e4", "10e3"),
        ("1.5e3", "1500"),
        ("1e0", "1"),
        ("1e-3", "1e-3"),
        ("12e6", "12e6"),
        ("1e+2", "100"),
        ("1E", "1E"),
        # zero is zero
        ("0", "0"),
        ("-0", "0"),
        ("0Gi", "0"),
        ("0e5", "0"),
        ("0.000", "0"),
        # nothing is finer than a nano, and nothing is lost to nothing
        ("0.9n", "1n"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("1.0000000001", "1000000001n"),
        ("1e-12", "1e-9"),
        ("0.00000000001Ki", "11n"),
        # binary is capped, the others are not
        ("8Ei", "9223372036854775807"),
        ("1000Ei", "9223372036854775807"),
        ("-8Ei", "-9223372036854775807"),
        ("9223372036854775807", "9223372036854775807"),
        ("18446744073709551616", "18446744073709551616"),
        ("10E", "10E"),
        ("1000E", "1e21"),
        ("1500E", "1500E"),
        ("1e99", "1e99"),
    ],
)
def test_prints_as_kubernetes_does(text, canonical):
    """A size that we write must read the same as one that kubectl or another controller wrote."""
    assert str(Quantity.parse(text)) == canonical
    assert str(Quantity.parse(canonical)) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "Ki", ".", "+", "-", "--1", "1,5", "1 Gi", " 1", "1\n", "1Gi\n", "1ki", "1KI", "1gi", "1K", "1mi", "1kk", "1i", "1Em",
        "1EiB", "1B", "1e", "1e+", "1e1.5", "1e3Gi", "e3", "1e100", "1e-100", "1e99999999999999999999999", "0x10", "1_000", "NaN", "inf",
        "-inf", "\uff11", "\u0661Gi", "1.2.3", "9" * 129,
    ],
)  # fmt: skip
def test_what_is_no_quantity_is_refused_with_words(text):
    """A typing error in a size must not become another size."""
    with pytest.raises(ValueError, match="not a quantity"):
        Quantity.parse(text)


@pytest.mark.parametrize("value", [True, False, float("nan"), float("inf"), 1e300])
def test_numbers_that_are_none_are_refused(value):
    """JSON and YAML hand over more than text."""
    with pytest.raises(ValueError, match="not a quantity"):
        Quantity.parse(value)


@pytest.mark.parametrize(
    "value, canonical", [(5, "5"), (1000, "1k"), (1.5, "1500m"), (0.1, "100m"), (-2, "-2"), (1e22, "10e21"), (2**70, str(2**70))]
)
def test_numbers_are_taken_as_json_writes_them(value, canonical):
    """YAML authors write memory: 1.5 without quotes."""
    assert str(Quantity.parse(value)) == canonical


def test_absurd_texts_are_quoted_in_part():
    """An error is a line, not a page."""
    with pytest.raises(ValueError, match="not a quantity") as refusal:
        Quantity.parse("9" * 100_000)
    assert len(str(refusal.value)) < 250


@pytest.mark.parametrize("text, whole", [("1.5", 2), ("1", 1), ("1n", 1), ("0", 0), ("-1.5", -1), ("1.5Gi", 1610612736), ("100m", 1)])
def test_whole_numbers_are_rounded_up(text, whole):
    """Half a byte needs a byte."""
    assert Quantity.parse(text).whole() == whole


def test_order_and_equality_are_those_of_the_number():
    """1Gi is 1024Mi is 1073741824, also as a key."""
    assert Quantity.parse("1Gi") == Quantity.parse("1024Mi") == Quantity.parse("1073741824")
    assert len({Quantity.parse("1000m"), Quantity.parse("1"), Quantity.parse("1e0")}) == 1
    assert sorted(map(Quantity.parse, ["1Gi", "1G", "-1", "2", "1e10", "1m"])) == list(
        map(Quantity.parse, ["-1", "1m", "2", "1G", "1Gi", "1e10"])
    )
    assert Quantity.parse("1") >= Quantity.parse("1000m") > Quantity.parse("999m") <= Quantity.parse("1")
    assert Quantity.parse("1") != 1


@pytest.mark.parametrize("one, other, order", [("1Gi", "1024Mi", 0), ("1G", "1Gi", -1), ("2", "1999m", 1)])
def test_all_comparisons_agree(one, other, order):
    """Each operator is one of six ways to ask the same."""
    a, b = Quantity.parse(one), Quantity.parse(other)

    assert (a == b, a != b) == (order == 0, order != 0)
    assert (a < b, a <= b, a > b, a >= b) == (order < 0, order <= 0, order > 0, order >= 0)


@pytest.mark.parametrize("stranger", [1, "1Gi", None])
def test_a_quantity_is_not_a_number_or_a_text(stranger):
    """Comparing bytes with a quantity is a mistake that must not pass for an answer."""
    assert Quantity.parse("1") != stranger
    assert not Quantity.parse("1") == stranger  # noqa: SIM201 - each operator is its own code
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError):
            compare(Quantity.parse("1"), stranger)


@pytest.mark.parametrize("suffix", sorted(_FACTORS))
def test_each_suffix_has_its_factor(suffix):
    """A petabyte is not an exabyte."""
    assert Quantity.parse(f"2{suffix}").nanos == 2 * _FACTORS[suffix] * 10**9


def test_sums_keep_the_family_of_the_first():
    """A sum of sizes reads as the sizes do."""
    assert str(Quantity.parse("1Gi") + Quantity.parse("1024")) == "1048577Ki"
    assert str(Quantity.parse("1G") + Quantity.parse("1Gi")) == "2073741824"
    assert str(Quantity.parse("1Gi") - Quantity.parse("512Mi")) == "512Mi"
    assert str(-Quantity.parse("1Gi")) == "-1Gi"


def test_a_sum_that_starts_at_zero_takes_the_family_of_the_second():
    """Summing up from nothing must not turn Gi into G."""
    assert str(Quantity.parse("0") + Quantity.parse("1Gi")) == "1Gi"
    assert str(Quantity.parse("0") - Quantity.parse("1Gi")) == "-1Gi"


def test_bytes_print_in_binary_units():
    """Rooms and shortfalls are computed in bytes and told to people."""
    assert str(Quantity.of_bytes(30 * 2**30)) == "30Gi"
    assert str(Quantity.of_bytes(1000)) == "1k"
    assert Quantity.of_bytes(5).family is Family.BINARY


def test_only_zero_is_false():
    """``if quantity`` asks whether there is any."""
    assert not Quantity.parse("0Gi")
    assert Quantity.parse("1n")


_DECIMALS = st.from_regex(r"[0-9]{1,12}(\.[0-9]{0,12})?", fullmatch=True)
_SUFFIXES = st.sampled_from(sorted(_FACTORS))


@given(st.sampled_from(["", "-", "+"]), _DECIMALS, _SUFFIXES)
def test_the_value_is_exact(sign, number, suffix):
    """No size is ever off by a rounding of floating point; below a nano it grows, above the cap of binary it stops."""
    exact = Fraction(number) * _FACTORS[suffix]
    nanos = -(-exact * 10**9 // 1)  # rounded up
    if suffix.endswith("i"):
        nanos = min(nanos, (2**63 - 1) * 10**9)

    assert Quantity.parse(sign + number + suffix).nanos == (-nanos if sign == "-" else nanos)


@given(st.sampled_from(["", "-"]), _DECIMALS, _SUFFIXES | st.integers(-20, 20).map("e{}".format))
def test_the_canonical_form_loses_nothing_and_is_stable(sign, number, suffix):
    """What is printed and read again is the same value and prints the same."""
    quantity = Quantity.parse(sign + number + suffix)
    again = Quantity.parse(str(quantity))

    assert again == quantity
    assert str(again) == str(quantity)
    assert "." not in str(quantity)


@given(_DECIMALS, _SUFFIXES, _DECIMALS, _SUFFIXES)
def test_adding_and_taking_away_are_opposites(one, its_suffix, other, other_suffix):
    """Books that are kept in sums and differences must add up."""
    a, b = Quantity.parse(one + its_suffix), Quantity.parse(other + other_suffix)

    assert a + b == b + a
    assert a + b - b == a
    assert a - a == Quantity.parse("0")
    assert (a < b) is (b > a)


@given(st.text(max_size=12) | st.from_regex(r"[-+0-9.eEiKMGnum]{0,12}", fullmatch=True))
def test_any_text_is_a_quantity_or_is_refused(text):
    """Sizes come from people."""
    with suppress(ValueError):
        str(Quantity.parse(text))
