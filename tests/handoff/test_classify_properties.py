"""Properties of classifying, over random texts and random edits."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from unlost.handoff.classify import Body, Wording, classify_file
from unlost.handoff.derive import derive_fixes

# Few different lines: duplicates, lines within lines and blank lines are the hard cases.
LINE = st.sampled_from(["a", "ab", "b", "", "  a", "x = 1", "x = 12", "def f():", "return a", "return a + b", "}"])
TEXT = st.lists(LINE, max_size=14).map(lambda lines: "".join(f"{line}\n" for line in lines).encode())
EDITS = st.lists(
    st.tuples(st.integers(0, 13), st.sampled_from(["replace", "insert", "delete"]), LINE), min_size=1, max_size=4
)


def edited(text: bytes, edits: list[tuple[int, str, str]]) -> bytes:
    """A text after some edits of whole lines."""
    lines = text.splitlines(keepends=True)
    for place, kind, line in edits:
        at = min(place, len(lines))
        end = at if kind == "insert" else min(at + 1, len(lines))
        lines[at:end] = [] if kind == "delete" else [f"{line}\n".encode()]
    return b"".join(lines)


@settings(max_examples=400)
@given(TEXT, EDITS)
def test_applying_and_resetting(old: bytes, edits: list[tuple[int, str, str]]) -> None:
    """H.11: for random edits every derived fix is applied in the edited text, and not applied after a reset."""
    new = edited(old, edits)
    wordings = [Wording.of(fix) for fix in derive_fixes(b"file", old, new)]

    assert set(classify_file(Body(new), wordings)) <= {"applied"}
    assert "applied" not in classify_file(Body(old), wordings)
    assert bool(wordings) == (old != new)


@settings(max_examples=200)
@given(TEXT, EDITS, EDITS, st.randoms(use_true_random=False))
def test_order_does_not_matter(
    old: bytes, edits: list[tuple[int, str, str]], others: list[tuple[int, str, str]], chance: random.Random
) -> None:
    """The state of a fix never depends on where it stands among the fixes of its file."""
    text = Body(edited(edited(old, edits), others))
    wordings = [Wording.of(fix) for fix in derive_fixes(b"file", old, edited(old, edits))]
    wordings += [Wording.of(fix) for fix in derive_fixes(b"file", edited(old, edits), text.data)]
    order = list(range(len(wordings)))
    chance.shuffle(order)

    straight = classify_file(text, wordings)
    shuffled = classify_file(text, [wordings[index] for index in order])

    assert [straight[index] for index in order] == list(shuffled)


@settings(max_examples=200)
@given(st.binary(max_size=60), st.binary(max_size=30), st.binary(max_size=30), st.binary(max_size=10))
def test_any_bytes(text: bytes, before: bytes, after: bytes, anchor: bytes) -> None:
    """Any texts at all get an answer."""
    wording = Wording(anchor=anchor, before=before, after=after)

    assert classify_file(Body(text), [wording])[0] in ("applied", "open", "neither")
