from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unlost.attempt.lines import LineCutter, Tail

pieces = st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"x", b"\n")), max_size=20)


@given(pieces=pieces)
def test_lines_do_not_depend_on_the_chunks(pieces: list[bytes]) -> None:
    """However the output was cut into chunks, the lines are those of the whole."""
    cutter = LineCutter(limit=1000)
    lines = [line for piece in pieces for line in cutter.feed(piece)] + list(cutter.finish())

    whole = b"".join(pieces).split(b"\n")
    assert [line.text for line in lines] == (whole if whole[-1] else whole[:-1])


@given(pieces=pieces)
def test_long_lines_are_counted(pieces: list[bytes]) -> None:
    """What is kept and what is dropped add up to what came, and no line keeps more than the limit."""
    cutter = LineCutter(limit=5)
    lines = [line for piece in pieces for line in cutter.feed(piece)] + list(cutter.finish())

    came = b"".join(pieces)
    assert sum(len(line.text) + line.dropped for line in lines) == len(came) - came.count(b"\n")
    assert all(len(line.text) <= 5 for line in lines)


def test_tail_keeps_what_is_newest() -> None:
    """The tail of a stream is its last bytes."""
    tail = Tail(limit=4)
    for piece in (b"abc", b"d", b"efg"):
        tail.feed(piece)

    assert tail.kept() == b"defg"
