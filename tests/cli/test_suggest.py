from __future__ import annotations

import pytest

from unlost.cli.app import COMMANDS
from unlost.cli.suggest import OTHER_WORDS, suggest_command, suggest_option


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        ("checkpoint", "mark"),
        ("save", "mark"),
        ("snapshot", "mark"),
        ("rollback", "rewind"),
        ("revert", "restore"),
        ("list", "status"),
        ("ls", "status"),
        ("verify", "check"),
        ("continue", "resume"),
        ("chekc", "check"),
        ("Restore", "restore"),
    ],
)
def test_other_tools_words_and_near_names_get_a_hint(word: str, ours: str) -> None:
    """What another tool calls it, or a slip of the hand, leads to our command."""
    assert f"`unlost {ours}`" in (suggest_command(word, COMMANDS) or "")


def test_a_word_with_two_meanings_names_both() -> None:
    """`recover` may mean one path or the whole tree: the hint tells restore and rewind apart."""
    hint = suggest_command("revert", COMMANDS) or ""

    assert "restore" in hint
    assert "rewind" in hint


def test_no_hint_names_a_command_that_does_not_exist() -> None:
    """A foreign word whose counterpart is not there yet falls back to near names, or to nothing."""
    assert suggest_command("clean", {"mark": "x"}) is None
    assert suggest_command("xyzzy", COMMANDS) is None
    assert not set(OTHER_WORDS) & set(COMMANDS)


def test_a_near_option_is_named() -> None:
    """`--jsno` leads to `--json`."""
    assert suggest_option("--jsno", ["--json", "--since"]) == "did you mean --json?"
    assert suggest_option("--zzz", ["--json"]) is None
