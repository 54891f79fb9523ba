"""Published units in the world in memory whose target moves: maintained, killed, maintained again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.fake_publishing import MAIN
from engine.fake_world import World

from unlost.engine.advance import advance
from unlost.engine.local import Admission, admit
from unlost.engine.maintaining import maintain
from unlost.engine.maintenance_opening import MaintenanceOrder
from unlost.engine.stream import UnitStream
from unlost.ledger.events import Event
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import CommitRules, Plan, ReviewRules, Workflow
from unlost.publish.credit import newest_after
from unlost.unit.facts import UnitState
from unlost.unit.maintenance import MaintenanceAction

UNIT = "u-1"
MOVED, AGAIN = "d" * 40, "e" * 40


def publishing(plan: Plan, *steps: Any, **rules: Any) -> Plan:
    """The plan with a publish step at the end of its workflow (of `steps`); `rules` are keys of `[review]`."""
    return replace(
        plan,
        workflow=Workflow(steps=steps or ("code", "publish")),
        commit=CommitRules(mode="at_end"),
        review=ReviewRules(**rules),
    )


@dataclass
class Maintained:
    """One unit: every method is another process, with hands of its own."""

    world: World
    ledger: Ledger
    admission: Admission

    @classmethod
    def of(cls, world: World, ledger: Ledger, admission: Admission, plan: Plan) -> Maintained:
        return cls(world=world, ledger=ledger, admission=replace(admission, plan=plan))

    def publish(self) -> UnitState:
        """Run it to its published end."""
        hands = self.world.hands(self.ledger)
        self.world.remotes.refs[MAIN] = self.world.commits.head
        state = advance(admit(hands, self.admission), hands)
        assert state.phase == "done", (state.phase, state.reason)
        return state

    def move(self, commit: str = MOVED) -> None:
        """A colleague moves the target."""
        self.world.remotes.refs[MAIN] = commit

    def maintain(self, **order: Any) -> MaintenanceAction | None:
        """Look after it once."""
        stream = UnitStream(self.ledger, UNIT)
        return maintain(stream, self.world.hands(self.ledger), MaintenanceOrder(by="a person", **order))

    @property
    def state(self) -> UnitState:
        """The state as it is on record."""
        return UnitStream(self.ledger, UNIT).state

    @property
    def head(self) -> str | None:
        """What the unit's newest receipt says of its branch."""
        ref = next(name for name in self.world.remotes.refs if name != MAIN)
        return newest_after(self.state.origin.receipts, ref)

    def events(self, kind: str) -> list[Event]:
        """Every event of a kind, in order."""
        return [event for event in self.ledger.read(UNIT) if event.kind == kind]
