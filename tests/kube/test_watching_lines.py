"""Bytes in pieces become lines, whatever the pieces and whatever the lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kube.watching import Lines


def lines_of(pieces: list[bytes]) -> list[bytes]:
    reader = Lines()
    return [line for piece in pieces for line in reader.feed(piece)]


@given(st.lists(st.binary(max_size=20).filter(lambda line: b"\n" not in line)), st.data())
def test_lines_survive_any_cutting(lines: list[bytes], data: st.DataObject):
    """The network cuts where it likes, also within a character and beside a line end."""
    stream = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert lines_of(pieces) == lines


@pytest.mark.parametrize("inside", ["\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_a_line_feed_ends_a_line(inside: str):
    """Go leaves these unescaped in strings; a reader of text lines would tear the object there."""
    line = f'{{"a":"x{inside}y"}}'.encode()

    assert lines_of([line + b"\n"]) == [line]


def test_a_line_of_many_megabytes_in_small_pieces_is_one_line():
    """No limit, and no copying of what came before with every piece: a quadratic reader would time out here."""
    piece = b"x" * 1000
    line = piece * 30_000

    assert lines_of([piece] * 30_000 + [b"\n"]) == [line]


def test_half_a_line_is_known_as_such():
    """So that a cut is told as a cut, and a trailing blank is not."""
    reader = Lines()
    reader.feed(b'{"a":1}\n \r')
    assert not reader.is_mid_line
    reader.feed(b"{")
    assert reader.is_mid_line
    reader.feed(b"}\n")
    assert not reader.is_mid_line
