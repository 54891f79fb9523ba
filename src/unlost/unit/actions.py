"""What can be done next for a unit: what `decide` returns and `engine/` carries out."""

from __future__ import annotations

from typing import Literal

from unlost.facts.records import dataclass
from unlost.facts.words import BoundaryKind
from unlost.plan.facts import Check
from unlost.unit.terms import AttemptResult, BlockReason, PauseReason


@dataclass(frozen=True, kw_only=True, slots=True)
class TakeBoundary:
    """Capture the tree, hold it against every claim, record a boundary.

    With `judged`, the newest attempt's judged capture is recorded and nothing is captured again.
    """

    kind: BoundaryKind
    task: str | None = None
    attempt: int | None = None
    judged: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RunResearch:
    """Store the request, start a researcher in a throw-away checkout and wait for its end."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SettleResearch:
    """Find out from evidence how a researcher ended whose supervisor died; nothing of it runs afterwards."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmitBrief:
    """Store what the researcher left, or make good what of that is stored already; record what it came to."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AskAboutBrief:
    """Park the unit with the decision that its blocked brief says is missing."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunReview:
    """Store the request, start a reviewer in a read-only checkout of the work and wait for its end."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SettleReview:
    """Find out from evidence how a reviewer ended whose supervisor died; nothing of it runs afterwards."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmitFindings:
    """Store what the reviewer handed in, and record what the review came to."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenRepair:
    """Make a coding round of the findings of a review: one more task."""

    round: int
    review: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunAttempt:
    """Compose the prompt, store it, start an agent for a task and wait for its end."""

    task: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SettleAttempt:
    """Find out from evidence how an attempt ended whose supervisor died; nothing of it runs afterwards."""

    task: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeAttempt:
    """Capture the tree that an ended attempt left and hold it against every claim and the scope."""

    task: str
    number: int
    round: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCheck:
    """Run one check and capture what it left: of a task after an attempt, or (`task` None) of the plan."""

    check: Check
    task: str | None
    attempt: int | None
    round: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CloseAttempt:
    """Record the boundary after an attempt and what the attempt came to."""

    task: str
    number: int
    result: AttemptResult


@dataclass(frozen=True, kw_only=True, slots=True)
class FailTask:
    """Record that a task is given up."""

    task: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyHandoff:
    """Take what an attempt hands over, asked or derived, and find out what became of its work."""

    task: str
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BringBack:
    """Put an attempt's work back from where it is kept; what stands there now is kept first."""

    task: str
    attempt: int
    paths: tuple[bytes, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoreLost:
    """Put lost paths back by merge: the plan, or the person who resumed, said so beforehand."""

    paths: tuple[bytes, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitWork:
    """Commit these pieces of finished work: on the branch that HEAD is on, or (`own`) in unlost's own store alone."""

    pieces: tuple[str, ...]
    own: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SettleCommit:
    """Find out whether a commit stands whose supervisor died, and tidy up what it left half done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyCommits:
    """Look whether the branch still holds every commit of the unit: an agent may have moved it back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Publish:
    """Push this commit to the unit's own branch, when that holds what the unit's own record says."""

    commit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SettlePush:
    """Ask the remote what became of a push that nobody heard the end of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeepRequest:
    """Write the text of the pull request for a published commit, and open one where a program for it is at hand."""

    commit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AskPerson:
    """Park the unit with what the agent reported as its question."""

    task: str
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Wait for a person; `count` is how many paths it is about, `paths` the first of them.

    `refusals`: more exactly why, in the words of `publish.outcomes`.
    """

    reason: BlockReason
    task: str | None
    paths: tuple[bytes, ...] = ()
    count: int = 0
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Pause:
    """Wait for a larger budget."""

    reason: PauseReason


@dataclass(frozen=True, kw_only=True, slots=True)
class AwaitReset:
    """Wait until a provider takes more: `until` is in seconds since 1970."""

    until: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Finish:
    """End the unit."""

    phase: Literal["done", "failed", "stopped", "expired"]
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rest:
    """Nothing can be done now: the unit is over or waits for a person."""


Action = (
    TakeBoundary
    | RunResearch
    | SettleResearch
    | SubmitBrief
    | AskAboutBrief
    | RunReview
    | SettleReview
    | SubmitFindings
    | OpenRepair
    | RunAttempt
    | SettleAttempt
    | JudgeAttempt
    | RunCheck
    | CloseAttempt
    | FailTask
    | VerifyHandoff
    | BringBack
    | RestoreLost
    | CommitWork
    | SettleCommit
    | VerifyCommits
    | Publish
    | SettlePush
    | KeepRequest
    | AskPerson
    | Block
    | Pause
    | AwaitReset
    | Finish
    | Rest
)
