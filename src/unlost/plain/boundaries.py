"""Boundaries of one workspace: capture, prove every claim, record. Plain mode and units both stand on this.

Nothing here waits for a writer: a boundary can be taken during a run, and inside an agent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from unlost.facts.errors import UnlostBug
from unlost.facts.quoting import canonical_json
from unlost.facts.records import replace
from unlost.facts.trees import Change
from unlost.git.formats import format_of
from unlost.git.repository import Repository
from unlost.guard.claims import IsScratch, with_boundary
from unlost.guard.committed_facts import Committed
from unlost.guard.facts import Boundary, Claims, Present, Rules
from unlost.guard.late_claims import tally_of
from unlost.guard.record import Found, found_json
from unlost.guard.sight import Evidence, GoneCommit
from unlost.guard.verdict import Verdict, prove
from unlost.host.doors import open_door
from unlost.ledger.protocol import StreamMoved
from unlost.plain.events import EVENTS, BoundaryTaken
from unlost.plain.facts import Order, Proven, Recorded
from unlost.plain.late_evidence import EVIDENCE, LateEvidence
from unlost.plain.looking import Looking
from unlost.plain.moment import Moment
from unlost.plain.record import Record, Told
from unlost.plain.trees import Trees, base_of, nothing_like, present_of, private_of
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot, Surroundings
from unlost.snapshot.surroundings import NOWHERE, read_surroundings

Running = Callable[[], tuple[str, str] | None]
"""Which unit and attempt run in this workspace now."""

_MOST_TRIES: Final = 5


class Boundaries:
    """The boundaries of one workspace.

    `repository` is what is left of the user's repository: the one at the root, else the one that the work tree
    belonged to, else None. `at_root` tells whether the root is a work tree of it now.
    """

    def __init__(
        self,
        *,
        archive: Archive,
        trees: Trees,
        record: Record,
        repository: Repository | None,
        at_root: bool,
        scratch: str,
        is_scratch: IsScratch,
        running: Running,
    ) -> None:
        self.archive = archive
        self.trees = trees
        self.record = record
        self._repository = repository
        self._at_root = at_root
        self._scratch = scratch
        self._is_scratch = is_scratch
        self._running = running
        self._snapshots: dict[str, Snapshot] = {}

    def snapshot(self, oid: str) -> Snapshot:
        """A snapshot by its id or the beginning of it. Raises UsageError."""
        if oid not in self._snapshots:
            self._snapshots[oid] = self.archive.find(oid)
        return self._snapshots[oid]

    def looking(self) -> Looking:
        """A look into the repository that opens when it is needed; use it as a context manager."""
        return Looking(self._repository, scratch=self._scratch)

    def claims(self) -> Claims:
        """The claims as of the newest boundary and word."""
        return self.record.read().claims

    def changed(self, before: str, after: str) -> tuple[Change, ...]:
        """What differs between two captured trees."""
        return self.trees.changes(before, after)

    def prove(
        self, snapshot: Snapshot | None, looking: Looking, rules: Rules | None = None, *, until: int | None = None
    ) -> Proven:
        """Hold a snapshot (None: the root is gone) against every claim made up to a boundary, by default the newest.

        Raises what ledger and snapshots raise.
        """
        told = self.record.read() if until is None else self.record.read_until(until)
        claims, last = told.claims, told.claims.last
        now = self._surroundings(snapshot)
        if snapshot is not None:
            self._snapshots[snapshot.id] = snapshot
        if last is None:
            return replace(self.unproved(snapshot), told=told)
        present = nothing_like(last.tree) if snapshot is None else self._present(snapshot)
        before = replace(
            self._moment(last.number, claims), lost_commits=claims.lost_commits, lost_stashes=claims.lost_stashes
        )
        nested = self._gone_nested(last, snapshot)
        verdict = prove(
            claims,
            present,
            reader=self.trees,
            evidence=self._evidence(claims, present, before, looking, nested),
            rules=rules or Rules(),
            history_moved=_history(now) != _history(before.surroundings)
            or bool(nested or claims.lost_commits or claims.lost_stashes),
            is_scratch=self._is_scratch,
        )
        return Proven(told=told, snapshot=snapshot, present=present, now=now, before=before, verdict=verdict)

    def unproved(self, snapshot: Snapshot | None) -> Proven:
        """A snapshot held against nothing, for a restore when the record cannot be read."""
        now = self._surroundings(snapshot)
        return Proven(
            told=Told(),
            snapshot=snapshot,
            present=Present(tree="", base="", private="") if snapshot is None else self._present(snapshot),
            now=now,
            before=Moment(surroundings=now),
            verdict=Verdict(findings=(), standing=0, committed=Committed()),
        )

    def take(self, snapshot: Snapshot, order: Order, rules: Rules | None = None) -> Recorded:
        """Put a boundary on record, with what became of earlier claims in its snapshot.

        Raises StreamMoved when others record here all the time, and what ledger and snapshots raise.
        """
        for attempt in range(_MOST_TRIES):
            with self.looking() as looking:
                proven = self.prove(snapshot, looking, rules)
            known = proven.told.numbers.get(order.key or "")
            if known is not None:
                boundary = next(each for each in proven.claims.boundaries if each.number == known)
                return Recorded(boundary=boundary, claims=proven.claims, proven=None)
            try:
                return self._record(snapshot, order, proven)
            except StreamMoved:
                if attempt == _MOST_TRIES - 1:
                    raise
        raise UnlostBug("a boundary was neither recorded nor refused")

    def _record(self, snapshot: Snapshot, order: Order, proven: Proven) -> Recorded:
        last, verdict = proven.claims.last, proven.verdict
        number = 0 if last is None else last.number + 1
        found = Found(
            findings=verdict.findings,
            lost_commits=verdict.committed.lost_commits,
            lost_stashes=verdict.committed.lost_stashes,
            skipped=tuple((each.path, each.reason) for each in snapshot.incomplete),
            label=order.label,
        )
        boundary = self._boundary(number, snapshot, order, found)
        claims = with_boundary(
            proven.claims,
            boundary,
            found.findings,
            reader=self.trees,
            is_scratch=self._is_scratch,
            lost_commits=found.lost_commits,
            lost_stashes=found.lost_stashes,
        )
        taken = BoundaryTaken(
            number=number,
            kind=boundary.kind,
            snapshot=boundary.snapshot,
            tree=boundary.tree,
            base=boundary.base,
            private=boundary.private,
            at=boundary.at,
            unit=boundary.unit,
            task=boundary.task,
            attempt=boundary.attempt,
            opened_by=boundary.opened_by,
            files=snapshot.files,
            claims=len(claims.by_path),
            lost=tally_of(claims.by_path).open_losses,
            verdict=verdict.word,
        )
        key = order.key or f"boundary {number}"
        event = EVENTS.new(taken, key=key, body=canonical_json(found_json(found)))
        self.record.append(event, after=proven.told, claims=claims)
        return Recorded(boundary=boundary, claims=claims, proven=proven)

    def _boundary(self, number: int, snapshot: Snapshot, order: Order, found: Found) -> Boundary:
        running = self._running() if order.unit is None else None
        unit, attempt = running or (order.unit, order.attempt)
        return Boundary(
            number=number,
            kind=order.kind,
            snapshot=snapshot.id,
            tree=snapshot.tree,
            base=base_of(snapshot),
            private=private_of(snapshot),
            at=snapshot.at,
            label=order.label,
            unit=unit,
            task=order.task,
            attempt=attempt,
            opened_by=order.opened_by,
            skipped=found.skipped,
        )

    def _present(self, snapshot: Snapshot) -> Present:
        present = present_of(snapshot)
        # Without a repository at the root nothing is clean: no HEAD holds anything here.
        return present if self._at_root else replace(present, base=format_of(snapshot.tree).empty_tree)

    def _surroundings(self, snapshot: Snapshot | None) -> Surroundings:
        if snapshot is not None and self._at_root:
            return snapshot.surroundings
        return NOWHERE if self._repository is None else replace(read_surroundings(self._repository), head=None)

    def _moment(self, number: int, claims: Claims) -> Moment:
        """What the repository looked like at a boundary; for one that is yet to come, at the newest."""
        at = next((each for each in claims.boundaries if each.number == number), claims.boundaries[-1])
        return Moment(surroundings=self.snapshot(at.snapshot).surroundings, at=at.at)

    def _gone_nested(self, last: Boundary, snapshot: Snapshot | None) -> tuple[GoneCommit, ...]:
        """Commits of nested repositories that went since the boundary; the outer repository knows nothing of them."""
        if snapshot is not None and snapshot.tree == last.tree:
            return ()
        before = self.trees.nested(last.base)
        now = self.trees.nested(base_of(snapshot)) if before and snapshot is not None else {}
        if not before:
            return ()
        tree = nothing_like(last.tree).tree if snapshot is None else snapshot.tree
        gone: tuple[GoneCommit, ...] = open_door(EVIDENCE, "nested").gone_from_nested(
            self.trees, before, now, tree, scratch=self._scratch
        )
        return gone

    def _evidence(
        self, claims: Claims, present: Present, before: Moment, looking: Looking, nested: tuple[GoneCommit, ...]
    ) -> Evidence:
        def open_evidence() -> Evidence:
            inspection = looking.inspection
            if inspection is None:
                name_of = format_of(claims.boundaries[-1].snapshot).name_of
                nothing: Evidence = open_door(EVIDENCE, "nothing").NoRepository(self.archive.root, before, name_of)
                return nothing
            evidence: Evidence = open_door(EVIDENCE, "repository").RepositoryEvidence(
                inspection,
                reader=self.trees,
                moment_of=cache(lambda number: self._moment(number, claims)),
                newest=before,
                present=lambda path: self.trees.entry(present.tree, path),
            )
            return evidence

        return LateEvidence(open_evidence, nested)


def _history(surroundings: Surroundings) -> tuple[object, ...]:
    """What has to be equal for no commit and no stash entry to have gone."""
    return (surroundings.head, dict(surroundings.refs), surroundings.stashes)
