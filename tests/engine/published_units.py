"""Units that commit and publish in the world in memory: each method is another process with hands of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.fake_world import Killed, World

from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.stream import UnitStream
from unlost.facts.errors import UnlostError
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import CommitMode, CommitRules, PublishRules, Workflow
from unlost.unit.facts import UnitState

UNIT = "u-1"
REF = "refs/heads/topic"


@dataclass
class Published:
    """One unit of three tasks."""

    world: World
    ledger: Ledger
    admission: Admission
    epoch: int = 1

    @classmethod
    def of(cls, world: World, ledger: Ledger, admission: Admission, *, mode: CommitMode) -> Published:
        """The plan of the tests, with commits of this mode and a push at the end."""
        plan = replace(
            admission.plan,
            commit=CommitRules(mode=mode),
            workflow=Workflow(steps=("code", "publish")),
            publish=PublishRules(branch="topic"),
        )
        return cls(world=world, ledger=ledger, admission=replace(admission, plan=plan))

    def go_on(self) -> UnitState:
        """Run, or resume when it was admitted; a death comes through."""
        hands = self.world.hands(self.ledger)
        if not self.ledger.read(UNIT):
            return advance(admit(hands, self.admission), hands)
        self.epoch += 1
        return resume(UnitStream(self.ledger, UNIT), hands, Resumption(by="a person", epoch=self.epoch))

    def insist(self) -> UnitState:
        """Go on after each death or error, as a person would."""
        return insist(self.go_on)

    def kinds(self, beginning: str) -> list[str]:
        """The kinds of its events that begin so, in their order."""
        return [event.kind for event in self.ledger.read(UNIT) if event.kind.startswith(beginning)]


def insist(deed: Callable[[], UnitState]) -> UnitState:
    """Do it again after a death or an error."""
    for _ in range(4):
        try:
            return deed()
        except (Killed, UnlostError):
            continue
    return deed()
