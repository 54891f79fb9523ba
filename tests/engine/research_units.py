"""Units with a research step in the world in memory, over the real ledger: run, killed, answered, resumed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.fake_research import BLOCKED
from engine.fake_world import World

from unlost.app.questions import answer_question
from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.stream import UnitStream
from unlost.ledger.events import Event
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Plan, ResearchRules, Workflow
from unlost.unit.facts import UnitState
from unlost.unit.questions import Offer

UNIT, REQUESTER, ANSWER = "u-1", "a person", "Yes, until 3.0."


def researched(plan: Plan, **rules: Any) -> Plan:
    """The plan with a research step; `rules` are keys of `[research]`."""
    return replace(plan, workflow=Workflow(steps=("research", "code")), research=ResearchRules(**rules))


@dataclass
class Researched:
    """One unit: every method is another process, with hands of its own."""

    world: World
    ledger: Ledger
    admission: Admission
    epoch: int = 1

    def run(self) -> UnitState:
        """Admit and carry on; a death comes through."""
        hands = self.world.hands(self.ledger)
        return advance(admit(hands, self.admission), hands)

    def resume(self, **words: Any) -> UnitState:
        """Take the unit over."""
        self.epoch += 1
        order = Resumption(by=REQUESTER, epoch=self.epoch, **words)
        return resume(UnitStream(self.ledger, UNIT), self.world.hands(self.ledger), order)

    def go_on(self) -> UnitState:
        """Run, or resume when the unit was admitted."""
        return self.resume() if self.ledger.read(UNIT) else self.run()

    def answer(self, text: str = ANSWER, *, by: str = REQUESTER, question: str | None = None) -> UnitState:
        """Answer now."""
        offer = Offer(by=by, text=text, at=self.world.clock.now(), question=question)
        return answer_question(self.ledger, UNIT, offer, ("operator",))

    def park(self) -> UnitState:
        """A unit that waits for the answer to its blocked brief."""
        self.world.research.brief = BLOCKED
        return self.run()

    @property
    def state(self) -> UnitState:
        """The unit now."""
        return UnitStream(self.ledger, UNIT).state

    def events(self, kind: str) -> list[Event]:
        """Its events of a kind."""
        return [event for event in self.ledger.read(UNIT) if event.kind == kind]

    def prompts(self) -> list[str]:
        """What every coding attempt was told."""
        return [order.prompt.decode() for order in self.world.orders]

    def researchers(self) -> int:
        """How many model calls research cost."""
        return len(self.world.research.orders)
