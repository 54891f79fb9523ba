"""From events to a unit's line of origin: pure. What cannot be so, such as a second producer, damages the stream.

Only the events that are named here, and those that carry a pointer or a receipt in their own payload, touch it: a
resume, a revision or anything else that is said of a unit keeps producer and writer as they are (R.54).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.publish.facts import Receipt, WriterPointer
from unlost.unit import origin_events as said
from unlost.unit.facts import UnitState


def with_writer(state: UnitState, writer: WriterPointer) -> UnitState:
    """The state after a coding attempt was admitted on the producer's brief; KeyError for one on another's (R.52)."""
    producer = state.origin.producer
    if producer is None or writer.unit != state.unit:
        raise KeyError("writer")
    if (writer.producer, writer.brief) != (producer.attempt, producer.brief):
        raise KeyError("writer")
    return replace(state, origin=replace(state.origin, writer=writer))


def with_receipt(state: UnitState, receipt: Receipt) -> UnitState:
    """The state after a head advanced by the unit's own doing; KeyError for a receipt of another unit or producer."""
    producer = None if state.origin.producer is None else state.origin.producer.attempt
    if receipt.unit != state.unit or receipt.producer != producer:
        raise KeyError("receipt")
    return replace(state, origin=replace(state.origin, receipts=(*state.origin.receipts, receipt)))


def _noted(state: UnitState, _event: Event, payload: said.RepositoryNoted) -> UnitState:
    return replace(state, origin=replace(state.origin, noted=payload))


def _trusted(state: UnitState, _event: Event, payload: said.RemoteTrusted) -> UnitState:
    noted = state.origin.noted or said.RepositoryNoted(branch=None, head=None, remotes={}, hooks=None)
    noted = replace(noted, remotes={**noted.remotes, payload.remote: payload.url})
    return replace(state, origin=replace(state.origin, noted=noted))


def _producer(state: UnitState, _event: Event, payload: said.ProducerAccepted) -> UnitState:
    producer = payload.producer
    if state.origin.producer is not None or producer.unit != state.unit:
        raise KeyError("producer")
    return replace(state, origin=replace(state.origin, producer=producer))


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.RepositoryNoted: _noted,
    said.RemoteTrusted: _trusted,
    said.ProducerAccepted: _producer,
}
