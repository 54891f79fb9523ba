"""May coding start on a brief? Every condition, checked before an agent is started (R.30 to R.35, R.A6).

Pure: whoever asks hands in what the ledger, the checkout and the sources say. A refusal names its reason; nothing
that is unknown is taken for allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from unlost.facts.records import dataclass
from unlost.research.facts import Brief
from unlost.research.sources import SourceState
from unlost.research.standing import ResearchStanding

RefusalReason = Literal[
    "missing_research",  # nothing was submitted, or nothing of it is confirmed
    "missing_tag",  # the research was never opened in this unit, or its record is gone
    "changed_tag",  # repository, revision, requester, step or contract are not those the research was opened with
    "foreign_ledger",
    "foreign_unit",
    "foreign_attempt",
    "other_commit",  # the brief speaks of another commit than the research was opened at
    "moved_head",
    "missing_answer",  # a blocked brief without its own human answer
    "revoked_source",
    "unknown_source",
    "missing_producer",  # the unit's record names no accepted research (R.51)
    "changed_producer",  # it names another one than the research that is there now (R.55)
]


@dataclass(frozen=True, kw_only=True)
class ResearchTag:
    """What a research step is bound to when it opens, acknowledged before its model starts (R.30, R.42).

    `ledger` is the id of the ledger (the instance), `repository` the sha256 of the workspace's id, which is one work
    tree of one repository and never another's, `contract` the digest of the plan in force.
    """

    ledger: str
    unit: str
    requester: str
    step: str
    attempt: str
    repository: str
    commit: str
    contract: str


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where coding is about to start, as the controller and the attached checkout say.

    `opened` is the recorded tag of the unit's own research, `now` the same tag made from the present facts. `head` is
    the checkout's HEAD; `own_progress` are heads that this unit's own recorded commits or receipts gave (R.33).
    """

    opened: ResearchTag | None
    now: ResearchTag
    head: str | None
    own_progress: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why coding may not start on the research; `detail` is an id, never research text (R.41)."""

    reason: RefusalReason
    detail: str = ""


def refusals(
    standing: ResearchStanding,
    brief: Brief | None,
    target: Target,
    *,
    answered: bool,
    sources: Mapping[str, SourceState],
) -> tuple[Refusal, ...]:
    """Every reason why coding may not start; empty when it may.

    `brief` is the stored artifact of the standing's exportable submission, `answered` whether the unit's own question
    has its human answer, `sources` the state of each source of the brief's closure.
    """
    return tuple(_refusals(standing, brief, target, answered=answered, sources=sources))


def _refusals(
    standing: ResearchStanding,
    brief: Brief | None,
    target: Target,
    *,
    answered: bool,
    sources: Mapping[str, SourceState],
) -> Iterator[Refusal]:
    intent = standing.exportable
    if intent is None or brief is None:
        yield Refusal(reason="missing_research")
        return
    yield from _tag_refusals(target, intent.attempt)
    opened = target.opened or target.now
    if brief.commit != opened.commit or intent.commit != opened.commit:
        yield Refusal(reason="other_commit", detail=brief.commit)
    if target.head != opened.commit and target.head not in target.own_progress:
        yield Refusal(reason="moved_head", detail=target.head or "")
    if not brief.is_ready and not answered:
        yield Refusal(reason="missing_answer")
    for source, state in sources.items():
        if state == "revoked":
            yield Refusal(reason="revoked_source", detail=source)
        elif state == "unknown":
            yield Refusal(reason="unknown_source", detail=source)


def _tag_refusals(target: Target, attempt: str) -> Iterator[Refusal]:
    opened, now = target.opened, target.now
    if opened is None:
        yield Refusal(reason="missing_tag")
        return
    if opened.ledger != now.ledger:
        yield Refusal(reason="foreign_ledger", detail=opened.ledger)
    if opened.unit != now.unit:
        yield Refusal(reason="foreign_unit", detail=opened.unit)
    if opened.attempt != attempt:
        yield Refusal(reason="foreign_attempt", detail=attempt)
    for name in ("requester", "step", "repository", "contract"):
        if getattr(opened, name) != getattr(now, name):
            yield Refusal(reason="changed_tag", detail=name)
