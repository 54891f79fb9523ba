"""The maintenance of a unit as its record tells it."""

from __future__ import annotations

from unlost.attempt.facts import NEVER_RAN
from unlost.facts.records import dataclass
from unlost.unit.maintenance_events import (
    MaintenanceMerged,
    MaintenanceOpened,
    MaintenanceRepairEnded,
    MaintenanceRepairIntended,
    MaintenanceResolved,
    MaintenanceSettled,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceAction:
    """One action so far; `prompt` is the sequence of the event whose body holds the repair's prompt.

    `review` is the number of the delta review that belongs to it, 0 while there is none.
    """

    opened: MaintenanceOpened
    merged: MaintenanceMerged | None = None
    intended: MaintenanceRepairIntended | None = None
    prompt: int = 0
    ended: MaintenanceRepairEnded | None = None
    resolved: MaintenanceResolved | None = None
    review: int = 0
    settled: MaintenanceSettled | None = None

    @property
    def commit(self) -> str | None:
        """The commit that the action came to so far: the clean rebase's, or the settled conflict's."""
        if self.resolved is not None:
            return self.resolved.commit
        return None if self.merged is None else self.merged.commit

    @property
    def tree(self) -> str | None:
        """The tree of that commit."""
        if self.resolved is not None:
            return self.resolved.tree
        return None if self.merged is None else self.merged.tree

    def has_landed(self, head: str) -> bool:
        """Whether the target was found to hold all that this head has: nothing is left to be put onto it."""
        return self.settled is not None and self.settled.result == "landed" and self.opened.before == head

    @property
    def is_paid(self) -> bool:
        """Whether a repair was charged, however it ended; one that never ran, or was sent away, takes no round."""
        if self.intended is None or self.ended is None:
            return self.intended is not None
        return self.ended.reason not in NEVER_RAN and not self.ended.limited


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceRecord:
    """Every action of a unit, the oldest first; the newest is open until it is settled."""

    actions: tuple[MaintenanceAction, ...] = ()

    @property
    def open(self) -> MaintenanceAction | None:
        """The action that is not settled yet."""
        last = self.actions[-1] if self.actions else None
        return last if last is not None and last.settled is None else None

    @property
    def paid_rounds(self) -> int:
        """How many repairs were charged."""
        return sum(action.is_paid for action in self.actions)

    def tried(self, before: str, onto: str) -> MaintenanceAction | None:
        """The settled action about exactly these commits whose outcome stays (R.63), whoever asks again."""
        for action in self.actions:
            same = (action.opened.before, action.opened.onto) == (before, onto)
            if same and action.settled is not None and action.settled.result in KEPT:
                return action
        return None


KEPT = frozenset({"agent_failed", "unresolved", "out_of_scope", "unknown", "findings"})
"""Results that paying again would not change: the same commits are not tried again."""
