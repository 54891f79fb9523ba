"""What carries out one action: the unit's stream and the hands, and the few words that all actions share."""

from __future__ import annotations

from unlost.engine.points import POINTS
from unlost.engine.ports import BoundaryOrder, Captured, Hands
from unlost.engine.stream import UnitStream
from unlost.facts.errors import UnlostBug
from unlost.facts.records import dataclass
from unlost.facts.words import BoundaryKind
from unlost.host.crash import crash_point
from unlost.ledger.events import Event
from unlost.plan.facts import Task
from unlost.unit.events import EVENTS, BoundaryTaken
from unlost.unit.proof import Proof


@dataclass(frozen=True, kw_only=True)
class Step:
    """One action at work. Intents are recorded by `intend`, outcomes by `record`; both pass a crash point after."""

    stream: UnitStream
    hands: Hands

    def intend(self, key: str, payload: object, *, point: str, body: bytes | None = None) -> None:
        """Record an intent, tell it, pass the point."""
        self.stream.intend(key, payload, body=body)
        self.hands.listener.recorded(payload)
        passed(point)

    def record(self, *said: tuple[str, object, bytes | None], point: str) -> tuple[Event, ...]:
        """Record outcomes as (key, payload, body) in one append, tell them, pass the point; as they are stored."""
        stored = self.stream.record(*(EVENTS.new(payload, key=key, body=body) for key, payload, body in said))
        for _, payload, _ in said:
            self.hands.listener.recorded(payload)
        passed(point)
        return stored

    def boundary(
        self,
        kind: BoundaryKind,
        captured: Captured,
        proof: Proof,
        *,
        task: Task | None = None,
        attempt: int | None = None,
    ) -> tuple[str, BoundaryTaken, None]:
        """Take a boundary in the workspace's stream; what comes back is the outcome to record in the unit's own.

        Killed in between, the workspace keeps a boundary that the unit does not know; it is as true as any other.
        """
        state = self.stream.state
        opened = state.task(task.id).opened if task is not None else None
        number = len(state.boundaries)
        taken = self.hands.watch.record(
            BoundaryOrder(
                key=f"{state.unit} boundary {number} {kind} {captured.snapshot}",
                kind=kind,
                unit=state.unit,
                plan=self.stream.plan,
                captured=captured,
                proof=proof,
                task=task,
                attempt=attempt,
                opened_by=opened.n if opened is not None else None,
            )
        )
        return f"boundary {number}", taken, None


def passed(point: str) -> None:
    """Pass a crash point of the literal list."""
    if point not in POINTS:
        raise UnlostBug(f"{point} is no crash point of the engine")
    crash_point(point)
