from __future__ import annotations

import time

import pytest

from unlost.plan.facts import MAXIMUM_BYTES
from unlost.plan.parse import read_plan

pytestmark = pytest.mark.slow

TASK = '[[task]]\nid = "one"\ntext = "Do it."\n'


def filled(start: str, piece: str, end: str = "") -> str:
    """A text of just under the bound, of one piece again and again."""
    room = MAXIMUM_BYTES - len(start.encode()) - len(end.encode())
    return start + piece * (room // len(piece.encode())) + end


@pytest.mark.parametrize("name", ["plan.toml", "plan.md"])
@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"x" * (MAXIMUM_BYTES + 1), None, f"the file has {MAXIMUM_BYTES + 1} bytes; a plan has at most"),
        (b"a = 1\nb = '\xff'\n", 2, "the file is not UTF-8 text"),
        (b"a = 1\n\n# \0\n", 3, "the character U+0000 hides or reorders text"),
        ("a = 1\n# \u202e\n".encode(), 2, "the character U+202E hides or reorders text"),
        (b"a = 1\n# \x1b[2J\n", 2, "the character U+001B hides or reorders text"),
        (b"a = 1\rb = 2\n", 1, "the character U+000D hides or reorders text"),
        ("# \U000e0041\n".encode(), 1, "the character U+E0041 hides or reorders text"),
        ("a = 1\n# \ud800\n".encode("utf-8", "surrogatepass"), 2, "the file is not UTF-8 text"),
    ],
)
def test_bytes_that_deceive_or_overflow_are_refused(name: str, data: bytes, line: int | None, what: str) -> None:
    """N.R3: too big, not UTF-8, NUL, control, bidi and tag characters are told with their line, in both formats."""
    (problem,) = read_plan(data, name=name).problems

    assert problem.line == line
    assert problem.what.startswith(what)


@pytest.mark.parametrize("key", ["goal", "title"])
@pytest.mark.parametrize("escape", ["\\u0000", "\\u202e", "\\u2028", "\\u001b[2J", "\\r"])
def test_escaped_characters_are_refused_in_prose(key: str, escape: str) -> None:
    """What TOML escapes would bring into a prompt or a terminal is refused like the raw character."""
    (problem,) = read_plan(f'{key} = "a{escape}b"\n{TASK}'.encode(), name="plan.toml").problems

    assert problem.line == 1
    assert "hides or reorders text" in problem.what


def test_emoji_and_right_to_left_letters_are_welcome() -> None:
    """Joiners, variation selectors and Hebrew letters are ordinary text."""
    assert read_plan(f"goal = 'ship ✔️ 👩‍💻 שלום'\n{TASK}".encode(), name="plan.toml").problems == ()


def test_names_in_problems_are_harmless() -> None:
    """N.R3: a key that the file invented is shown as an ASCII JSON string, cut."""
    hostile = '"\\u001b[31m\\u202e\\nDONE" = 1\n"' + "k" * 5000 + '" = 1\n'
    problems = read_plan((hostile + TASK).encode(), name="plan.toml").problems

    assert all(problem.what.isascii() or "…" in problem.what for problem in problems)
    assert all(len(problem.what) < 300 and problem.what.isprintable() for problem in problems)
    assert [problem.line for problem in problems] == [1, 2]


def test_flood_of_problems_is_cut() -> None:
    """N.R1: a hundred problems are shown and the rest are counted."""
    text = "".join(f"key{number} = 1\n" for number in range(1000)) + TASK
    problems = read_plan(text.encode(), name="plan.toml").problems

    assert len(problems) == 101
    assert problems[-1].what == "and 900 more problems"


@pytest.mark.parametrize(
    "text",
    [
        filled("a = ", "["),
        filled("a = ", "{a="),
        filled("", "a.", "a = 1"),
        filled("[", "a.", "a]"),
        filled("", "[[a]]\n"),
        filled("", "[["),
        filled("a = [", "1,", "]"),
        filled('a = """', '"a'),
        filled("a = ", "9"),
        filled("", '"'),
        filled("", "\\"),
        filled("## ", " ", "x"),
        filled("## a", " #"),
        filled("## a\n- b\n", "  c\n"),
        filled("## a\nAcceptance\n- b\n", "  c\n"),
        filled("## a\nAcceptance\n- b\n  ", " "),
        filled("", "## a\n"),
        filled("", "```\n"),
        filled("", "`"),
        filled("```toml\n", "a = [\n"),
        filled("*", "*acceptance"),
        filled(TASK + "[scope]\npaths = [", '"a",', "]"),
        filled(TASK + '[scope]\npaths = ["', "*", '"]'),
        filled(TASK + '[budget]\nidle = "', "1", '"'),
        filled(TASK + '[budget]\nidle = "', "1s", '"'),
        filled(TASK + "[budget]\ncost_usd = ", "9"),
        filled(TASK + "[[check]]\nname = 'a'\nrun = [", "1,", "]"),
    ],
)
@pytest.mark.parametrize("name", ["plan.toml", "plan.md"])
def test_largest_hostile_file_is_told_soon(name: str, text: str) -> None:
    """N.R1: no file within the bound costs more than a few seconds, exhausts the stack or ends in a traceback."""
    started = time.process_time()
    file = read_plan(text.encode(), name=name)

    assert (file.plan is None) == bool(file.problems)
    # Four seconds for the worst of them here; what explodes takes minutes everywhere.
    assert time.process_time() - started < 60
