"""Research on this machine, as the engine asks for it: researchers in throw-away checkouts, and what their sources are.

Nothing here takes the workspace's writer lock: a researcher has a folder of records, and a lock, of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final

from unlost.agents.protocol import AgentEvent
from unlost.app.apart import Apart
from unlost.app.desk import Desks
from unlost.engine.apart_ports import ApartOrder, Investigated
from unlost.engine.research_ports import Standpoint
from unlost.facts.errors import NotARepository, UsageError
from unlost.facts.records import dataclass
from unlost.git.repository import head_of, open_repository
from unlost.host.clock import Clock
from unlost.host.ids import new_id
from unlost.ledger.instance import instance_of
from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.plan.facts import AgentChoice
from unlost.research.sources import SOURCES_STREAM, Origin, SourceState, cited_path, revoked_sources, state_of
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import SnapshotUnreadable

TASK: Final = "research"
"""What a researcher's environment and records call its task: it has none of the plan's."""


@dataclass(frozen=True)
class LocalResearch:
    """`engine.research_ports.Research` for one workspace; `folder` is research's own in the workspace's folder."""

    archive: Archive
    ledger: Ledger
    workspace: str
    folder: str
    plan_folder: str
    clock: Clock
    desks: Desks | None = None

    def standpoint(self, snapshot: str | None = None) -> Standpoint:
        """Where the work tree stood or stands (see `Research.standpoint`)."""
        if snapshot is not None:
            found = self.archive.find(snapshot)
            return self._standpoint(found.surroundings.head, found.surroundings.branch, found.base)
        try:
            head = head_of(open_repository(self.archive.root))
        except (NotARepository, UsageError):
            return self._standpoint(None, None, "")
        return self._standpoint(head.oid, head.branch, "")

    def run(self, order: ApartOrder, listen: Callable[[AgentEvent], None], stop: Callable[[], bool]) -> Investigated:
        """Run one researcher to its end (see `Research.run`)."""
        return self._apart.run(order, listen, stop)

    def settle(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        """How a researcher ended (see `Research.settle`)."""
        return self._apart.settle(identity, agent, tree)

    def heads(self, snapshots: Iterable[str], branch: str | None) -> frozenset[str]:
        """The commits that HEAD named then (see `Research.heads`); a snapshot that is gone gives no credit."""
        found = set()
        for snapshot in snapshots:
            try:
                around = self.archive.find(snapshot).surroundings
            except UsageError:
                continue
            if around.head is not None and around.branch == branch:
                found.add(around.head)
        return frozenset(found)

    def sources(self, origins: Iterable[Origin], tree: str) -> Mapping[str, SourceState]:
        """Whether each source may be relied on now (see `Research.sources`)."""
        revoked = revoked_sources(self.ledger.read(SOURCES_STREAM))

        def has_file(_commit: str, ref: str) -> bool:
            return self._has_file(tree, ref)

        return {
            origin.id: state_of(origin, revoked=revoked, has_file=has_file, has_run=self._has_run) for origin in origins
        }

    @cached_property
    def _instance(self) -> str:
        return instance_of(self.ledger, new_id)

    @property
    def _apart(self) -> Apart:
        return Apart(
            trees=self.archive,
            folder=self.folder,
            plan_folder=self.plan_folder,
            clock=self.clock,
            step="research",
            task=TASK,
            desks=self.desks,
        )

    def _standpoint(self, commit: str | None, branch: str | None, tree: str) -> Standpoint:
        # A workspace is one work tree of one repository: where another one comes to stand, it gets another id.
        repository = hashlib.sha256(self.workspace.encode()).hexdigest()
        return Standpoint(instance=self._instance, repository=repository, commit=commit, branch=branch, tree=tree)

    def _has_file(self, tree: str, ref: str) -> bool:
        path = cited_path(ref)
        if path is None:
            return False
        try:
            if self.archive.entry(tree, path) is not None:
                return True
            return any(found.startswith(path + b"/") for found, _ in self.archive.walk(tree))
        except SnapshotUnreadable:
            return False

    def _has_run(self, ref: str) -> bool:
        """Whether a unit, or an attempt of one, is on record in this ledger."""
        unit = "-".join(ref.split("-")[:2])
        try:
            events = self.ledger.read(unit)
        except StreamDamaged:
            return False
        return bool(events) and (ref == unit or any(event.facts.get("identity") == ref for event in events))
