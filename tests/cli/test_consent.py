from __future__ import annotations

import io

import pytest

from unlost.cli.consent import is_agreed, require_person
from unlost.cli.invocation import Invocation
from unlost.cli.terminal import Terminal
from unlost.facts.errors import NeedsPerson


class TerminalStream(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def invocation(typed: str | None, *, assume_yes: bool = False, json: bool = False) -> Invocation:
    """A command line at a terminal where a person types this, or without a terminal (None)."""
    stdin = io.StringIO() if typed is None else TerminalStream(typed)
    stderr = io.StringIO() if typed is None else TerminalStream()
    terminal = Terminal(stdin=stdin, stdout=io.StringIO(), stderr=stderr, color="never", quiet=False, environment={})
    return Invocation(terminal=terminal, assume_yes=assume_yes, json=json)


@pytest.mark.parametrize(
    ("typed", "agreed"), [("y\n", True), ("Yes\n", True), ("n\n", False), ("\n", False), ("", False), (None, False)]
)
def test_only_a_typed_yes_agrees(typed: str | None, agreed: bool) -> None:  # noqa: FBT001  (a parameter of the test)
    """No, nothing, the end of the input and no terminal at all are a no."""
    assert is_agreed(invocation(typed), "this will happen") is agreed


def test_yes_beforehand_asks_nobody() -> None:
    """-y agrees without a terminal; a script that wants JSON is never asked."""
    assert is_agreed(invocation(None, assume_yes=True), "this will happen")
    assert not is_agreed(invocation("y\n", json=True), "this will happen")


def test_what_a_person_must_say_is_refused_to_scripts() -> None:
    """Without a terminal and without -y: exit 3."""
    require_person(invocation("anything"), "accepting")
    require_person(invocation(None, assume_yes=True), "accepting")
    with pytest.raises(NeedsPerson, match="accepting is for a person"):
        require_person(invocation(None), "accepting")
