"""What the guard skips because nothing can come of it: with and without the short ways, the answers are the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.story import Story

from unlost.guard import claims as fold
from unlost.guard.facts import Claims, Finding
from unlost.guard.known_contents import KnownContents

VERSIONS = (
    None,
    "one\ntwo\nthree\n",
    "one\nmine\nthree\n",
    "one\nmine\nthree\nmore of it\n",
    "zero\none\ntwo\nthree\nfour\n",
    "other words altogether\n",
)
Step = Callable[[Story], object]


def writes(path: str, version: str | None) -> Step:
    return lambda story: story.write({path: version})


def commits(story: Story) -> Story:
    return story.commit()


def marks(story: Story) -> Story:
    return story.boundary()


def admits(story: Story) -> Story:
    return story.boundary("admission", unit="u-1")


def attempts(story: Story) -> Story:
    return story.boundary("attempt_end", unit="u-1", attempt="one-1")


def finishes(story: Story) -> Story:
    return story.done("one") if story.claims.boundaries else story.boundary()


def accepts(path: str) -> Step:
    return lambda story: story.accept(path) if story.claims.boundaries else story


paths = st.sampled_from(["a", "b", "docs/c"])
steps = st.lists(
    st.one_of(
        st.builds(writes, paths, st.sampled_from(VERSIONS)),
        st.sampled_from([commits, marks, marks, admits, attempts, finishes]),
        st.builds(accepts, paths),
    ),
    max_size=24,
)


def told(story: Story, taken: list[Step]) -> list[tuple[Claims, tuple[Finding, ...]]]:
    """Claims and findings after each step of a story."""
    answers = []
    for step in taken:
        step(story)
        answers.append((story.claims, story.verdict().findings))
    return answers


@given(steps)
def test_short_ways_give_the_same_claims_and_verdicts(taken: list[Step]) -> None:
    """G.8: whatever persons, tasks and commits do in whatever order, no short way changes a claim or a finding."""
    short = told(Story(), taken)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fold, "_is_as_before", lambda _claims, _boundary: False)
        patched.setattr(fold, "_unlike", lambda start, _carried, step: step.reader.changes(start, step.boundary.tree))
        patched.setattr(KnownContents, "__contains__", lambda _known, _oid: True)
        whole = told(Story(), taken)

    assert short == whole


def test_known_contents_never_say_no_to_what_they_hold() -> None:
    """Contents are known once they came; one that never came is not, unless the first eight bytes of its id are."""
    ids = [f"{number:040x}" for number in (1 << 100, 1 << 120, 1 << 150)]
    known = KnownContents().grown(ids)

    assert all(oid in known for oid in ids)
    assert f"{1 << 140:040x}" not in known
    assert f"{(1 << 150) + 1:040x}" in known
    assert known.grown(ids) is known
    assert KnownContents(known.data).data == known.data


def test_too_many_contents_are_all_known() -> None:
    """Past its bound the set gives up saying no: then the trees are looked into, and nothing is overlooked."""
    known = KnownContents().grown(f"{number:016x}{'0' * 24}" for number in range(65_536))
    assert "a" * 40 not in known

    full = known.grown(["f" * 40])

    assert full.full
    assert "a" * 40 in full
    assert full.data == b""
    assert full.grown(["e" * 40]) is full
