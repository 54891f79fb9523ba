"""A unit as text: its tasks, what is lost, what was spent, what moves it on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NotRequired, TypedDict

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import columns, count, listed
from unlost.cli.render.documents import Lost
from unlost.cli.render.maintenance import MaintenanceRow, maintenance_lines
from unlost.cli.render.published import CommitsPart, PublishPart, commit_lines, publish_lines
from unlost.cli.render.review import ReviewPart, review_lines
from unlost.cli.render.verdict import loss_text
from unlost.facts.durations import duration_text
from unlost.facts.quoting import JsonName, clean, cut, path_from_json, path_text

_MOST_LOSSES: Final = 20
_LONGEST_TEXT: Final = 400
_MOST_PATHS: Final = 5
_HANDOFF_WORDS: Final[tuple[tuple[Literal["restored", "recoverable", "lost"], str], ...]] = (
    ("restored", "brought back"),
    ("recoverable", "recoverable"),
    ("lost", "lost"),
)
_GOOD: Final = frozenset({"done", "no_change"})
_BAD: Final = frozenset({"lost", "failed", "blocked", "expired"})
ENDS: Final = frozenset({"done", "failed", "stopped", "expired"})
"""Phases in which nothing more happens by itself or by `resume`."""


class TaskPart(TypedDict):
    """One task of `unlost.unit/1`."""

    id: str
    state: str
    attempts: int
    claims: Mapping[str, int]


class Question(TypedDict):
    """What a person was asked; `text` is there only for who may read it."""

    id: str
    text: NotRequired[str]


class ResearchPart(TypedDict):
    """Where research stands, without a word of it."""

    state: str
    discarded: int
    refused: Sequence[str]


class HandoffPart(TypedDict):
    """What one attempt handed over, and what became of it."""

    task: str
    attempt: int
    source: str
    refused: int
    recoverable: Sequence[JsonName]
    lost: Sequence[JsonName]
    restored: Sequence[JsonName]


class UnitDocument(TypedDict):
    """`unlost.unit/1` as far as text is made of it."""

    unit: str
    title: str
    revision: int
    digest: str
    phase: str
    outcome: str | None
    reason: str | None
    requester: str
    tasks: Sequence[TaskPart]
    lost: Sequence[Lost]
    question: Question | None
    spent: Mapping[str, float | None]
    budget: Mapping[str, object]
    next: str | None
    research: NotRequired[ResearchPart]
    review: NotRequired[ReviewPart]
    handoffs: NotRequired[Sequence[HandoffPart]]
    commits: NotRequired[CommitsPart]
    publish: NotRequired[PublishPart]
    maintenance: NotRequired[Sequence[MaintenanceRow]]


def unit_text(document: UnitDocument, palette: Palette) -> str:
    """The whole unit: a headline, a line a task, losses, the open question, what was spent, what to type next."""
    lines = [headline(document, palette), *_research(document, palette), *_tasks(document["tasks"], palette)]
    lines += [_handoff(handoff, palette) for handoff in document.get("handoffs", ())]
    if "review" in document:
        lines += review_lines(document["review"], palette)
    if "commits" in document:
        lines += commit_lines(document["commits"], document["unit"], palette)
    if "publish" in document:
        lines += publish_lines(document["publish"], document["unit"], palette)
    lines += maintenance_lines(document.get("maintenance", ()), palette)
    lines += listed([loss_text(lost, palette) for lost in document["lost"]], _MOST_LOSSES)
    lines.append(f"spent     {spent_text(document['spent'], document['budget'])}")
    lines += _next(document, palette)
    return "\n".join(lines)


def headline(document: UnitDocument, palette: Palette) -> str:
    """`u-3f9c2a7b1d04  Drop the legacy parser  blocked (loss)`."""
    word = document["outcome"] or document["phase"]
    dress = palette.good if word == "done" else palette.loss if word in _BAD else palette.warning
    title = cut(clean(document["title"], one_line=True), _LONGEST_TEXT)
    reason = f" ({document['reason'].replace('_', ' ')})" if document["reason"] else ""
    revision = f" · revision {document['revision']}" if document["revision"] > 1 else ""
    return f"{palette.faint(document['unit'])}  {palette.strong(title)}  {dress(word)}{reason}{revision}"


def spent_text(spent: Mapping[str, float | None], budget: Mapping[str, object]) -> str:
    """`14m2s · 31 turns · 52,000 tokens · $1.20 of $20.00`; what nobody told is left out, never called zero."""
    parts = [duration_text(spent.get("seconds") or 0.0), count(int(spent.get("turns") or 0), "turn")]
    if spent.get("tokens"):
        parts.append(count(int(spent["tokens"] or 0), "token"))
    usd, cap = spent.get("usd"), budget.get("cost_usd")
    if usd is not None:
        parts.append(f"${usd:.2f} of ${cap:.2f}" if isinstance(cap, int | float) else f"${usd:.2f}")
    return " · ".join(parts)


def _tasks(tasks: Sequence[TaskPart], palette: Palette) -> list[str]:
    rows = [(task["state"].replace("_", " "), task["id"], _attempts(task)) for task in tasks]
    lines = []
    for task, line in zip(tasks, columns([(" " * 8, "", ""), *rows])[1:], strict=True):
        state = task["state"]
        dress = palette.good if state in _GOOD else palette.loss if state in _BAD else palette.faint
        word = state.replace("_", " ")
        lines.append(dress(word) + line[len(word) :])
    return lines


def _attempts(task: TaskPart) -> str:
    if not task["attempts"]:
        return ""
    told = [count(task["attempts"], "attempt")]
    claims = task["claims"]
    standing = claims.get("standing", 0) + claims.get("moved", 0) + claims.get("extended", 0)
    if standing:
        told.append(count(standing, "claim stands", "claims stand"))
    told += [f"{claims[word]:,} {word}" for word in ("superseded", "warnings", "lost") if claims.get(word)]
    return " · ".join(told)


def question_line(document: UnitDocument) -> str:
    """`parked: QUESTION`; who may not read it is told who may."""
    question = document["question"]
    text = question.get("text") if question is not None else None
    if text is None:
        return f"parked: a question to {clean(document['requester'], one_line=True)}"
    return f"parked: {cut(clean(text, one_line=True), _LONGEST_TEXT)}"


def _next(document: UnitDocument, palette: Palette) -> Iterator[str]:
    """What to type next; under a question it is the answer."""
    if document["question"] is not None:
        yield question_line(document)
        yield f"answer: {palette.strong(document['next'] or '')}"
    elif document["next"]:
        yield f"next      {palette.strong(document['next'])}"


def _handoff(handoff: HandoffPart, palette: Palette) -> str:
    """`handoff   rename/1 derived · brought back: main.rs`; where it was taken from, and what became of its work."""
    told = [f"{handoff['task']}/{handoff['attempt']} {handoff['source']}"]
    if handoff["refused"]:
        told.append(f"its own was refused for {count(handoff['refused'], 'fault')}")
    told += [f"{word}: {_names(handoff[key])}" for key, word in _HANDOFF_WORDS if handoff[key]]
    dress = palette.warning if handoff["recoverable"] or handoff["lost"] else palette.faint
    return f"{dress('handoff')}   {' · '.join(told)}"


def _names(paths: Sequence[JsonName]) -> str:
    more = f" and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else ""
    return ", ".join(path_text(path_from_json(path)) for path in paths[:_MOST_PATHS]) + more


def _research(document: UnitDocument, palette: Palette) -> Iterator[str]:
    research = document.get("research")
    if research is None:
        return
    told = [research["state"], *(reason.replace("_", " ") for reason in research["refused"])]
    if research["discarded"]:
        told.append(f"{count(research['discarded'], 'path')} written outside the outbox, discarded")
    dress = palette.good if research["state"] == "ready" and not research["refused"] else palette.warning
    yield f"{dress('research')}  {' · '.join(told)}"
