"""The error tree: what a caller can catch, and the exit code that each error ends a command with.

    UnlostError                1   something failed; the message says what is safe
      UsageError               2   bad input; nothing was started or changed
        NotARepository         2   no git work tree here
        FileInvalid            2   a plan, settings or handoff file does not parse; carries `problems`
      NeedsPerson              3   parked, blocked or refused until a person acts
      WorkLost                 4   work is gone; wins over every other code
      Paused                   5   a budget or a limit was reached
      TryLater                75   somebody else holds what this command needs
        SupersededWriter      75   a newer epoch owns the workspace
      UnlostBug               70   an assumption of unlost itself does not hold
      Interrupted            130   the person pressed Ctrl-C

Every error may carry a `hint`: the next thing to type.
"""

from __future__ import annotations

from typing import ClassVar

from unlost.facts.records import dataclass


class UnlostError(Exception):
    """Something failed and was told; the root of every expected error."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(UnlostError):
    """The input cannot be used; nothing was started or changed."""

    exit_code = 2


class NotARepository(UsageError):
    """There is no git work tree where one is needed."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One fault of a file that a person wrote; `line` counts from 1, None when no line can be named."""

    line: int | None
    what: str


class FileInvalid(UsageError):
    """A file does not parse or breaks its rules; `problems` names every fault at once."""

    def __init__(self, message: str, *, problems: tuple[Problem, ...], hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems


class NeedsPerson(UnlostError):
    """A person has to decide before this can go on; the work is kept."""

    exit_code = 3


class WorkLost(UnlostError):
    """Claimed work is gone from the tree; it is recoverable where the report says so."""

    exit_code = 4


class Paused(UnlostError):
    """A budget or a limit was reached; nothing is lost and the run can be resumed."""

    exit_code = 5


class TryLater(UnlostError):
    """Another process holds what this command needs; nothing was changed."""

    exit_code = 75


class SupersededWriter(TryLater):
    """A newer epoch owns the workspace; this writer may change nothing any more."""


class UnlostBug(UnlostError):
    """An assumption of unlost does not hold: a bug in unlost, not in what the user did."""

    exit_code = 70


class Interrupted(UnlostError):
    """The person interrupted the command; what was durable before stays."""

    exit_code = 130
