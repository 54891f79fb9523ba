"""What the research step needs from the world: where the repository stands, researchers, the state of sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from unlost.agents.protocol import AgentEvent
from unlost.engine.apart_ports import ApartOrder, Investigated
from unlost.facts.records import dataclass
from unlost.plan.facts import AgentChoice
from unlost.research.sources import Origin, SourceState


@dataclass(frozen=True, kw_only=True, slots=True)
class Standpoint:
    """Where the work tree stands: HEAD's commit (None while unborn), its branch, and HEAD's tree as files hold it.

    `instance` is the ledger's id, `repository` the digest that tells this repository from another.
    """

    instance: str
    repository: str
    commit: str | None
    branch: str | None
    tree: str


class Research(Protocol):
    """Runs researchers apart from the work tree: no writer lock, no credential, nothing that is kept but the outbox."""

    def standpoint(self, snapshot: str | None = None) -> Standpoint:
        """Where the work tree stood when a snapshot of it was taken; None: where it stands now, with no tree."""

    def run(self, order: ApartOrder, listen: Callable[[AgentEvent], None], stop: Callable[[], bool]) -> Investigated:
        """Run one researcher to its end. Raises TryLater when another one runs: then nothing was started."""

    def settle(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        """How a researcher ended, with what is in its outbox; nothing of it runs, and its checkout is gone."""

    def heads(self, snapshots: Iterable[str], branch: str | None) -> frozenset[str]:
        """The commits that HEAD named, on that branch, when these snapshots were taken."""

    def sources(self, origins: Iterable[Origin], tree: str) -> Mapping[str, SourceState]:
        """Whether each source of a brief may be relied on now, by its id; `tree` is the inspected commit's."""
