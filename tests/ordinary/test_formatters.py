"""A corpus of formatted files: claims of 1 to 20 lines, each formatter over each; nothing may be called a loss."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from kit.formatter_corpus import FORMATTERS, Formatter
from kit.story import Story

FILES = 150
WORDS = ("total", "rows", "price", "render", "item", "parse", "width", "user", "load", "check", "first", "label")


def line_of(chance: random.Random) -> str:
    """One line of code, indented, sometimes long enough to be wrapped."""
    one, two, three = (chance.choice(WORDS) for _ in range(3))
    number = chance.randrange(1000)
    return "    " * chance.randrange(3) + chance.choice(
        (
            f"{one} = {two}({three}, {number})",
            f"if {one}_{number}: return {two}",
            f"{one}.{two}('{three} {number}', {one}_{two}, '{two}', {three}_{number})",
            f"# {one} of {two} {number}",
            f"def {one}_{number}({two}, {three}):",
            f"{one}={number}+{two}",
        )
    )


def text_of(lines: list[str]) -> str:
    """Lines as a file."""
    return "\n".join(lines) + "\n"


@pytest.mark.campaign
@pytest.mark.parametrize("formatter", FORMATTERS, ids=lambda each: str(each.__name__))
def test_a_formatter_over_claimed_files(formatter: Formatter, record_property: Callable[[str, object], None]) -> None:
    """A formatter over 150 files with claims of 1 to 20 lines: none is lost, 5 % of the paths at most are warnings."""
    chance = random.Random(11)  # noqa: S311  (a repeatable choice of texts)
    story = Story()
    claimed: dict[str, str] = {}
    for number in range(FILES):
        lines = [line_of(chance) for _ in range(chance.randrange(5, 80))]
        story.write({f"file{number}.py": text_of(lines)})
        place, size = chance.randrange(len(lines)), chance.randrange(1, 21)
        replaced = chance.randrange(min(3, len(lines) - place))
        lines[place : place + replaced] = [line_of(chance) for _ in range(size)]
        claimed[f"file{number}.py"] = text_of(lines)
    story.commit().write(claimed).boundary()
    story.write({path: formatter(text) + "# and a line more\n" for path, text in claimed.items()})
    verdict = story.verdict()
    for name, count in (("files", FILES), ("warnings", len(verdict.warnings))):
        record_property(name, count)

    assert [finding.path for finding in verdict.losses] == []
    assert len(verdict.warnings) <= 0.05 * FILES
