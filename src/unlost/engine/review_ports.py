"""What review needs from the world: what changed as text, and readers in a checkout of the work."""

from __future__ import annotations

from typing import Protocol

from unlost.engine.apart_ports import ApartOrder, Investigated, Listen, Stop
from unlost.facts.records import dataclass
from unlost.plan.facts import AgentChoice
from unlost.publish.difference import Difference


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchWork:
    """An existing branch: what it has beyond the commit where it left `target` (a full ref; None: HEAD's own commit).

    `commit` is that commit. What is not committed yet is part of the work.
    """

    target: str | None
    commit: str
    difference: Difference


class Reviews(Protocol):
    """Reads work for a reviewer, and runs reviewers apart from the work tree, as researchers are run."""

    def difference(self, before: str, after: str) -> Difference:
        """What differs between two captured trees. Raises SnapshotUnreadable."""

    def mine(self, snapshot: str) -> tuple[bytes, ...]:
        """The paths in which a captured tree differed from what HEAD held then: a person's own work."""

    def branch(self, snapshot: str, remote: str) -> BranchWork | None:
        """What the branch of a captured work tree holds; None when nothing is committed. Raises SnapshotUnreadable."""

    def run(self, order: ApartOrder, listen: Listen, stop: Stop) -> Investigated:
        """Run one reviewer to its end. Raises TryLater when another one runs: then nothing was started."""

    def settle(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        """How a reviewer ended, with what is in its outbox; nothing of it runs, and its checkout is gone."""
