"""What a check did, and what that is worth."""

from __future__ import annotations

from typing import Literal

from unlost.facts.quoting import clean
from unlost.facts.records import dataclass

CheckWord = Literal["passed", "failed", "definition_changed"]
FailureReason = Literal["exit_code", "timed_out", "not_started", "protected"]


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """One run of one check.

    `exit_code` is negative for the signal that killed it, 126 or 127 when it could not be started.
    `output` is stdout and stderr as they came, its middle left out when it was long.
    """

    name: str
    exit_code: int
    timed_out: bool
    seconds: float
    output: bytes
    started: bool = True

    @property
    def passed(self) -> bool:
        """Whether it ran, ended in time and by itself, with exit code 0."""
        return self.started and self.exit_code == 0 and not self.timed_out

    @property
    def text(self) -> str:
        """The output for a person or a prompt: no control sequences, no hidden characters; not redacted."""
        return clean(self.output.decode("utf-8", "replace"))


@dataclass(frozen=True, kw_only=True)
class CheckJudgement:
    """What the runs of a check come to.

    `definition_changed` is no pass until a person accepts exactly `definitions` (N.R7); `changed` are the
    paths behind it. `reason` tells a failure's kind.
    """

    name: str
    word: CheckWord
    reason: FailureReason | None = None
    changed: tuple[bytes, ...] = ()
    definitions: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the check counts as passed."""
        return self.word == "passed"
