"""What became of hunks: undone, kept or rewritten."""

from __future__ import annotations

import random

import pytest

from unlost.hunks.fate import Fate, added_lines, fates, lines_only_in, made_hunks
from unlost.hunks.text import Text

OLD = "def total(rows):\n    result = 0\n    for row in rows:\n        result += row\n    return result\n"
PRICED = OLD.replace("+= row", "+= price(row)")
FOR = "    for row in rows:\n"
WITH_NOTE = OLD.replace(FOR, "    # TODO: look at the rows\n" + FOR)
WITHOUT = OLD.replace("    result = 0\n", "")


def fates_of(old: str, mine: str, now: str) -> tuple[Fate, ...]:
    """The fates of all hunks from `old` to `mine` in `now`."""
    texts = [Text(text.encode()) for text in (old, mine, now)]
    return fates(made_hunks(texts[0], texts[1]), *texts)


@pytest.mark.parametrize(
    ("name", "mine", "now", "fate"),
    [
        ("replaced, back", PRICED, OLD, "undone"),
        ("replaced, there", PRICED, "# note\n" + PRICED, "kept"),
        ("replaced by new text", PRICED, OLD.replace("+= row", "+= cost(row)"), "rewritten"),
        ("inserted, gone", OLD + "CHECKED = True\n", "import os\n" + OLD, "undone"),
        ("inserted, moved in the file", OLD + "CHECKED = True\n", "CHECKED = True\n" + OLD, "kept"),
        ("inserted, renamed", OLD + "def fresh(x): return x\n", OLD + "def parse(x): return x\n", "rewritten"),
        ("inserted, other text there", OLD + "user = 'payment fix'\n", OLD + "title: agents\n", "undone"),
        ("inserted, new text there", WITH_NOTE, OLD.replace(FOR, "    checked(rows)\n" + FOR), "rewritten"),
        ("inserted, gone from the middle", WITH_NOTE, "import os\n" + OLD, "undone"),
        ("inserted, parts of names", OLD + "print(LIMIT, WAIT)\n", OLD + "print(LIMIT_ROWS, WAIT_S)\n", "rewritten"),
        ("deleted, back", WITHOUT, "# x\n" + OLD, "undone"),
        ("deleted, still gone", WITHOUT, OLD.replace("    result = 0\n", "    n = 1\n"), "kept"),
        ("quotes and wrapping", OLD + "log('a', 'b', 'c')\n", OLD + 'log(\n    "a",\n    "b",\n    "c",\n)\n', "kept"),
        ("brackets of a formatter", OLD + "value = one + two\n", OLD + "value = (\n    one + two\n)\n", "kept"),
        ("line ends", OLD + "CHECKED = True\n", OLD.replace("\n", "\r\n") + "CHECKED = True\r\n", "kept"),
    ],
)  # fmt: skip
def test_one_hunk(name: str, mine: str, now: str, fate: Fate) -> None:
    """Return to old text is undone; a line that moved or was only reformatted is kept; new text rewrites."""
    assert fates_of(OLD, mine, now) == (fate,)


def test_changes_of_form_are_no_hunks() -> None:
    """A contribution that only reformats makes no hunk, so nothing of it can be undone."""
    assert made_hunks(Text(b"a( 1, 2 )\n"), Text(b"a(\n  1,\n  2,\n)\n")) == ()


def test_short_lines_alone_decide_only_when_nothing_else_can() -> None:
    """A closing bracket that stands everywhere does not keep a hunk alive whose telling lines are gone."""
    mine = OLD.replace("    return result\n", "    if result:\n        {\n        }\n    return result\n")

    assert fates_of(OLD, mine, "{\n}\n" + OLD) == ("undone",)


def test_each_hunk_has_its_own_fate() -> None:
    """One file, three hunks: one undone, one kept, one rewritten."""
    lines = [f"line {number}" for number in range(60)]
    mine, now = list(lines), list(lines)
    mine[5], mine[30], mine[50] = "first change", "second change", "third change"
    now[30], now[50] = "second change", "rewritten later"

    assert fates_of(*("\n".join(text) for text in (lines, mine, now))) == ("undone", "kept", "rewritten")


def test_no_undone_hunk_is_missed_and_none_invented() -> None:
    """Over 300 random files all undone hunks are found and no kept or rewritten one is called undone."""
    chance = random.Random(7)  # noqa: S311  (a repeatable choice of cases)
    for number in range(300):
        lines = [f"{chance.randrange(40)} x{place}" for place in range(120)]
        mine, places = list(lines), sorted(chance.sample(range(2, 118, 6), 5))
        for place in places:
            mine[place] = f"P{place}-{number}"
        now, lost = list(mine), set(chance.sample(places, chance.randrange(0, 4)))
        for place in lost:
            now[place] = lines[place]
        for place in [place for place in places if place not in lost][:1]:
            now[place] = f"C{place}"
        now[:0] = [f"new {number}"] * chance.randrange(3)
        old, owned, present = (Text("\n".join(text).encode()) for text in (lines, mine, now))
        hunks = made_hunks(old, owned)

        found = {
            hunk.place.old_start
            for hunk, fate in zip(hunks, fates(hunks, old, owned, present), strict=True)
            if fate == "undone"
        }

        assert found == lost


def test_lines_the_present_has_beyond_the_snapshot() -> None:
    """Lines written since are named in order, without their ends, and no more than asked for."""
    now = b"one\r\nnew a\r\ntwo\r\nnew b\r\nnew c\r\n"

    assert lines_only_in(now, b"one\ntwo\n", 2) == (b"new a", b"new b")


def test_added_lines_are_the_telling_ones() -> None:
    """What a move has to carry: the lines the claim added, short ones aside."""
    assert added_lines(Text(b"a line\n"), Text(b"a line\n}\nnew line\n")) == (b"newline",)
