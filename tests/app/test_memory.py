"""What is remembered of a unit is what its stream says, or is thrown away."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from app.test_units import ADMITTED, BOUNDARY
from kit.hand_clock import HandClock
from kit.memory_ledger import MemoryLedger, MemoryRows

from unlost.app.memory import UnitMemory
from unlost.ledger.events import Event
from unlost.ledger.protocol import StreamDamaged
from unlost.unit.events import EVENTS, Blocked, Ended
from unlost.unit.facts import UnitState
from unlost.unit.fold import fold
from unlost.unit.report import unit_document


class CountingLedger(MemoryLedger):
    """Counts the events that were read."""

    count = 0

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        events = super().read(stream, after=after)
        self.count += len(events)
        return events


@pytest.fixture
def rows() -> MemoryRows:
    return MemoryRows()


@pytest.fixture
def ledger(rows: MemoryRows) -> CountingLedger:
    made = CountingLedger(rows, HandClock())
    taken = [EVENTS.new(dataclasses.replace(BOUNDARY, n=n, kind="resumed"), key=f"boundary {n}") for n in range(1, 40)]
    made.append("u-1", [EVENTS.new(ADMITTED, key="admitted"), *taken])
    return made


@pytest.fixture
def memory(tmp_path: Path) -> UnitMemory:
    return UnitMemory(folder=str(tmp_path / "remembered"))


def test_a_second_look_reads_one_event(ledger: CountingLedger, memory: UnitMemory) -> None:
    """A unit that did not move is told again from memory, after one event was compared."""
    first = memory.document(ledger, "u-1", 0.0)
    ledger.count = 0

    assert first == memory.document(ledger, "u-1", 0.0) == unit_document(_folded(ledger))
    assert list(first or ()) == list(unit_document(_folded(ledger)))
    assert ledger.count == 1 + 40 + 40


def test_what_came_since_is_folded_on(ledger: CountingLedger, memory: UnitMemory) -> None:
    """New events are added to what is remembered: the same document as a fold of everything."""
    memory.document(ledger, "u-1", 0.0)
    blocked = Blocked(reason="loss", task="one", paths=(b"\xff",), count=1)
    ledger.append("u-1", [EVENTS.new(blocked, key="blocked")])
    assert memory.document(ledger, "u-1", 0.0) == unit_document(_folded(ledger))
    ledger.append("u-1", [EVENTS.new(Ended(phase="stopped", reason="stopped"), key="ended")])

    assert memory.document(ledger, "u-1", 0.0) == unit_document(_folded(ledger))
    assert memory.document(ledger, "u-1", 0.0) == unit_document(_folded(ledger))


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"schema": 1}', "no json"])
def test_a_damaged_memory_costs_only_time(ledger: CountingLedger, memory: UnitMemory, damage: str) -> None:
    """A memory that cannot be read, or is of another version, is not believed."""
    memory.document(ledger, "u-1", 0.0)
    Path(memory.folder, "u-1.json").write_text(damage)

    assert memory.document(ledger, "u-1", 0.0) == unit_document(_folded(ledger))


def test_a_memory_of_another_stream_is_not_believed(ledger: CountingLedger, memory: UnitMemory) -> None:
    """When the event it names is not in the stream any more, everything is folded again."""
    memory.document(ledger, "u-1", 0.0)
    file = Path(memory.folder, "u-1.json")
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({**kept, "digest": "0" * 64, "document": {**kept["document"], "title": "forged"}}))

    document = memory.document(ledger, "u-1", 0.0)
    assert document is not None
    assert document["title"] == "A plan"


def test_damage_behind_the_memory_is_found(ledger: CountingLedger, memory: UnitMemory, rows: MemoryRows) -> None:
    """A stream that was cut off is damaged, whatever is remembered of it."""
    memory.document(ledger, "u-1", 0.0)
    rows.rows["u-1"].pop()

    with pytest.raises(StreamDamaged):
        memory.document(ledger, "u-1", 0.0)
    assert memory.document(ledger, "u-none", 0.0) is None


def _folded(ledger: MemoryLedger) -> UnitState:
    state = fold(ledger.read("u-1"))
    assert state is not None
    return state
