"""Units with a review step in the world in memory: run, resumed, reviewed by a person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.fake_world import World

from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.readers import settled_review
from unlost.engine.stream import UnitStream
from unlost.ledger.events import Event
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Plan, ReviewRules, Workflow
from unlost.publish.findings import Findings, canonical_findings
from unlost.unit.facts import UnitState

UNIT = "u-1"


def reviewed(plan: Plan, *steps: Any, **rules: Any) -> Plan:
    """The plan with a review step after coding (or with these steps); `rules` are keys of `[review]`."""
    return replace(plan, workflow=Workflow(steps=steps or ("code", "review")), review=ReviewRules(**rules))


@dataclass
class Reviewed:
    """One unit: every method is another process, with hands of its own."""

    world: World
    ledger: Ledger
    admission: Admission
    epoch: int = 1

    @classmethod
    def of(cls, world: World, ledger: Ledger, admission: Admission, plan: Plan) -> Reviewed:
        return cls(world=world, ledger=ledger, admission=replace(admission, plan=plan))

    def run(self) -> UnitState:
        """Admit and carry on; a death comes through."""
        hands = self.world.hands(self.ledger)
        return advance(admit(hands, self.admission), hands)

    def resume(self) -> UnitState:
        """A person resumes."""
        self.epoch += 1
        stream = UnitStream(self.ledger, UNIT)
        return resume(stream, self.world.hands(self.ledger), Resumption(by="a person", epoch=self.epoch))

    def say(self, findings: Findings) -> None:
        """A person gives findings, or the word that there are none."""
        stream = self.stream
        number = (stream.state.review.number if stream.state.review else 0) + 1
        settled = settled_review(number, stream.state.tree_now, findings, by="a person")
        stream.intend(f"review {number} settled", settled, body=canonical_findings(findings))

    @property
    def stream(self) -> UnitStream:
        """The unit's stream, read now."""
        return UnitStream(self.ledger, UNIT)

    @property
    def state(self) -> UnitState:
        """The state as it is on record."""
        return self.stream.state

    def events(self, kind: str) -> list[Event]:
        """Every event of a kind, in order."""
        return [event for event in self.ledger.read(UNIT) if event.kind == kind]

    def prompts(self, task: str) -> list[str]:
        """What each attempt of a task was told."""
        return [order.prompt.decode() for order in self.world.orders if order.task == task]
