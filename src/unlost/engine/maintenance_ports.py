"""What maintenance needs from the world: commits carried over, conflicts settled apart, and the delta to be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from unlost.agents.protocol import AgentEvent
from unlost.attempt.facts import AttemptEnd
from unlost.engine.apart_ports import ApartOrder, Investigated, Listen, Stop
from unlost.facts.records import dataclass
from unlost.plan.facts import AgentChoice
from unlost.publish.difference import Difference
from unlost.publish.rebase import Conflict, Rebased


@dataclass(frozen=True, kw_only=True, slots=True)
class Repaired:
    """How a repair ended. `tree` is what it left, `touched` the paths that it changed.

    `tree` None: nobody knows, or (`spoiled`) what it left can be in no tree. `marked` are those of the conflict's paths
    in which its marks still stand.
    """

    end: AttemptEnd
    tree: str | None
    touched: tuple[bytes, ...] = ()
    marked: tuple[bytes, ...] = ()
    spoiled: bool = False


class Maintenance(Protocol):
    """Works in unlost's own git dir and in throw-away checkouts: the work tree is neither read nor written."""

    def left_at(self, head: str, onto: str, *, known: str | None) -> str | None:
        """The commit where `head` left the line of `onto`: the one that is known, else the newest both have."""

    def contains(self, head: str, commit: str) -> bool:
        """Whether a commit is `head` or comes before it."""

    def rebase(self, *, base: str, before: str, onto: str) -> Rebased | Conflict:
        """Carry the commits over; the same order gives the same answer. Raises UnlostError: nothing was done."""

    def resolve(self, *, base: str, before: str, conflict: Conflict, tree: str) -> str:
        """The commit of a settled conflict."""

    def keep(self, unit: str, commit: str) -> None:
        """Pin a commit of a unit, so that nothing lets go of it."""

    def difference(self, onto: str, tree: str) -> Difference:
        """What differs between the target's commit and a tree."""

    def repair(
        self,
        order: ApartOrder,
        paths: tuple[bytes, ...],
        listen: Callable[[AgentEvent], None],
        stop: Callable[[], bool],
    ) -> Repaired:
        """Run an agent in a writable checkout of a merged tree, which is marked at these paths."""

    def settle_repair(self, identity: str, agent: AgentChoice, tree: str, paths: tuple[bytes, ...]) -> Repaired:
        """How a repair ended whose supervisor died, and what it left; nothing of it runs, its checkout is gone."""

    def read(self, order: ApartOrder, listen: Listen, stop: Stop) -> Investigated:
        """Run one reviewer in a read-only checkout of a tree."""

    def settle_reading(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        """How a reviewer ended (see `Reviews.settle`)."""
