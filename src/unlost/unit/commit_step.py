"""Which commit a unit makes next, of which work: pure, over its record and the plan in force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unlost.facts.records import dataclass
from unlost.plan.facts import Plan
from unlost.publish.orders import CommitOrder, Segment
from unlost.unit.actions import Action, Block, CommitWork, SettleCommit, TakeBoundary, VerifyCommits
from unlost.unit.commit_events import CommitIntended
from unlost.unit.facts import AttemptRecord, UnitState

_FIXED_TRIES = 2
"""A hook that fixed files is followed by one more try with the fixed content."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """The work of one finished task: from the boundary that opened its first attempt to the one that closed it."""

    name: str
    task: str
    opened: int
    closed: int


def unsettled_commit(state: UnitState) -> Action | None:
    """A delivery whose supervisor died: whether the commit stands is found out before anything else."""
    return None if state.commits.open is None else SettleCommit()


def commit_action(state: UnitState, plan: Plan, *, ending: bool) -> Action | None:
    """The next commit; None when none is due. At the end, one that cannot be made waits for a person."""
    mode = plan.commit.mode
    if mode == "never" or (mode == "at_end" and not ending):
        return None
    if state.commits.unproven == len(state.boundaries):
        return TakeBoundary(kind="checks")
    pieces = pending_pieces(state)
    if not pieces:
        return VerifyCommits() if ending and _unverified(state) else None
    wanted = tuple(piece.name for piece in (pieces[:1] if mode == "each_task" else pieces))
    if _may_try(state, wanted, all_pending=len(pieces)):
        return CommitWork(pieces=wanted)
    deferred = state.commits.deferred
    assert deferred is not None
    return Block(reason="commit_refused", task=None, refusals=(deferred.refusal,)) if ending else None


def own_commit_action(state: UnitState) -> Action | None:
    """The commit that a unit publishes which commits nothing in the user's repository; None when it is made."""
    wanted = tuple(piece.name for piece in pending_pieces(state))
    if not wanted:
        return None
    if _may_try(state, wanted, all_pending=len(wanted)):
        return CommitWork(pieces=wanted, own=True)
    deferred = state.commits.deferred
    assert deferred is not None
    return Block(reason="commit_refused", task=None, refusals=(deferred.refusal,))


def pending_pieces(state: UnitState) -> tuple[Piece, ...]:
    """The finished work that no commit covers, in the order in which it was closed."""
    return tuple(piece for piece in finished_pieces(state) if piece.name not in state.commits.covered)


def finished_pieces(state: UnitState) -> tuple[Piece, ...]:
    """The work of every done task, in the order in which it was closed."""
    places = {timed.taken.n: place for place, timed in enumerate(state.boundaries)}
    found: list[Piece] = []
    for task in state.tasks:
        last = task.last
        if task.state != "done" or last is None or task.opened is None or task.opened.n not in places:
            continue
        closed = _closing_place(state, last)
        if closed is not None:
            name = f"{task.id} {last.number}"
            found.append(Piece(name=name, task=task.id, opened=places[task.opened.n], closed=closed))
    return tuple(sorted(found, key=lambda piece: piece.closed))


def commit_order(state: UnitState, plan: Plan, names: Iterable[str], *, at: int) -> CommitOrder:
    """The commit of these pieces of work, as it is asked for now."""
    pieces = [piece for piece in finished_pieces(state) if piece.name in set(names)]
    noted = state.origin.noted
    one = len(pieces) == 1 and plan.commit.mode == "each_task"
    tasks = tuple(piece.task for piece in pieces)
    body = f"Task {tasks[0]} of {plan.title}." if one else "\n".join(_listed(plan, tasks))
    return CommitOrder(
        unit=state.unit,
        name=pieces[0].name if one else f"r{state.revision} {len(state.commits.made) + 1}",
        tasks=tasks,
        segments=tuple(_segments(state, pieces, whole=not one)),
        subject=_subject(plan, tasks[0]) if one else plan.title,
        body=body,
        snapshot=state.boundaries[max(piece.closed for piece in pieces)].taken.snapshot,
        branch=None if noted is None else noted.branch,
        base=None if noted is None else noted.head,
        at=at,
        scratch=plan.scope.scratch,
        hooks=plan.commit.hooks,
        hooks_digest=None if noted is None else noted.hooks,
    )


def settling_order(unit: str, intended: CommitIntended) -> CommitOrder:
    """As much of a commit's order as finding it again needs; its tasks may have been amended away since."""
    return CommitOrder(
        unit=unit,
        name=intended.name,
        tasks=tuple(piece.rpartition(" ")[0] for piece in intended.pieces),
        segments=(),
        subject="",
        body="",
        snapshot="",
        branch=intended.branch,
        base=None,
        at=0,
    )


def _unverified(state: UnitState) -> bool:
    """Whether an agent or a person has had the repository since the branch was last looked at."""
    if not any(made.intended.branch is not None and not made.gone for made in state.commits.made):
        return False
    ends = (attempt.ended_at for task in state.tasks for attempt in task.attempts)
    return state.commits.verified_at < max(state.commits.changed_at, state.resumed_at, *ends)


def _may_try(state: UnitState, wanted: tuple[str, ...], *, all_pending: int) -> bool:
    """Whether there is a reason to try (again): never tried, a person resumed, or a hook has fixed files since."""
    record = state.commits
    deferred = record.deferred
    if (
        deferred is None
        or deferred.pieces != wanted
        or record.deferred_at < max(state.resumed_at, state.publishing.asked_at)
    ):
        return True
    if record.deferred_pending != all_pending:
        return True
    return deferred.hooks_ran and deferred.tree != state.tree_now and record.refused < _FIXED_TRIES


def _closing_place(state: UnitState, attempt: AttemptRecord) -> int | None:
    """Where among the boundaries the one stands that closed an attempt."""
    for place in range(len(state.boundaries) - 1, -1, -1):
        taken = state.boundaries[place].taken
        if (taken.kind, taken.task, taken.attempt) == ("after_task", attempt.task, attempt.number):
            return place
    return None


def _segments(state: UnitState, pieces: list[Piece], *, whole: bool) -> Iterator[Segment]:
    """The stretches of work in their order; what checks made of the unit's own paths goes with it.

    `whole`: to the newest boundary; else only what follows the last piece at once.
    """
    first, last = min(piece.closed for piece in pieces), max(piece.closed for piece in pieces)
    last = len(state.boundaries) if whole else last
    closed = {piece.closed: piece for piece in pieces}
    boundaries = [timed.taken for timed in state.boundaries]
    for place in range(first, len(boundaries)):
        piece = closed.get(place)
        if piece is not None:
            yield Segment(before=boundaries[piece.opened].tree, after=boundaries[place].tree, own=True)
        elif boundaries[place].kind == "checks":
            yield Segment(before=boundaries[place - 1].tree, after=boundaries[place].tree, own=False)
        elif place > last:
            return


def _subject(plan: Plan, task: str) -> str:
    return "Settle what the review found." if task.startswith("repair/") else plan.task(task).text


def _listed(plan: Plan, tasks: Iterable[str]) -> Iterator[str]:
    for task in tasks:
        text = next((line.strip() for line in _subject(plan, task).splitlines() if line.strip()), "")
        yield f"- {task}: {text}"
