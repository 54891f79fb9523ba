"""The units of a ledger: found by a prefix or by their workspace, told as documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from unlost.app.memory import UnitMemory
from unlost.engine.placing import units_on
from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass
from unlost.host.environment import user_name
from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.unit.facts import ENDS, WAITS, Parked, UnitState
from unlost.unit.fold import fold
from unlost.unit.questions import as_of, is_party
from unlost.unit.report import exit_code, outcome_of, unit_document

PREFIX = "u-"


@dataclass(frozen=True)
class Unit:
    """A unit as a caller gets it: its state, its document, and the exit code that it comes to.

    `question` is the private text of its open question, `lost` are its losses as `check` tells them.
    """

    state: UnitState
    question: str | None = None
    lost: Sequence[Any] | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return self.state.unit

    @property
    def phase(self) -> str:
        """Where it is."""
        return self.state.phase

    @property
    def outcome(self) -> str | None:
        """How it ended; None until then."""
        return outcome_of(self.state)

    @property
    def exit_code(self) -> int:
        """What `run` and `resume` end with."""
        return exit_code(self.state)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The JSON of `unlost.unit/1`."""
        return unit_document(self.state, lost=self.lost, question=self.question)


@dataclass(frozen=True, kw_only=True)
class ListedUnit:
    """A unit in a list: what its document says."""

    document: dict[str, Any]

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.document["unit"])

    @property
    def workspace(self) -> str:
        """The id of the workspace that it works in."""
        return str(self.document["workspace"])

    @property
    def phase(self) -> str:
        """Where it is."""
        return str(self.document["phase"])

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.phase in ENDS

    @property
    def waits(self) -> bool:
        """Whether it waits for a person or for a budget."""
        return self.phase in WAITS


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The units of a ledger, oldest first, and the streams that are damaged: those are named and left alone."""

    states: tuple[UnitState, ...]
    damaged: tuple[StreamDamaged, ...]


def list_units(
    ledger: Ledger, memory: UnitMemory, now: float, *, workspace: str
) -> tuple[tuple[ListedUnit, ...], tuple[StreamDamaged, ...]]:
    """The units of a workspace as one looks at them, oldest first, and the streams that are damaged."""
    listed: list[ListedUnit] = []
    damaged: list[StreamDamaged] = []
    for stream in _streams(ledger, workspace):
        try:
            document = memory.document(ledger, stream, now)
        except StreamDamaged as error:
            damaged.append(error)
            continue
        if document is not None and document["workspace"] == workspace:
            listed.append(ListedUnit(document=document))
    return tuple(listed), tuple(damaged)


def read_units(ledger: Ledger, *, workspace: str | None = None, now: float | None = None) -> Listing:
    """Every unit, or those of one workspace; with `now` as they are then, should a question have expired since."""
    states: list[UnitState] = []
    damaged: list[StreamDamaged] = []
    for stream in _streams(ledger, workspace):
        try:
            state = fold(ledger.read(stream))
        except StreamDamaged as error:
            damaged.append(error)
            continue
        if state is not None and workspace in (None, state.workspace):
            states.append(state if now is None else as_of(state, now))
    return Listing(states=tuple(states), damaged=tuple(damaged))


def _streams(ledger: Ledger, workspace: str | None) -> tuple[str, ...]:
    """The streams to look at: of a workspace those that it noted, or all when that note is damaged."""
    if workspace is None:
        return ledger.streams(PREFIX)
    try:
        return units_on(ledger, workspace)
    except StreamDamaged:
        return ledger.streams(PREFIX)


def find_unit(ledger: Ledger, name: str | None, *, workspace: str | None, now: float | None = None) -> str:
    """The id of the unit that a person means: by a prefix, or the one that is open on the workspace.

    Raises UsageError when it is none or several, StreamDamaged for a unit that was named and cannot be read.
    """
    if name is not None:
        return _by_prefix(ledger, name)
    listing = read_units(ledger, workspace=workspace, now=now)
    unsettled = [state.unit for state in listing.states if not state.over]
    if len(unsettled) == 1:
        return unsettled[0]
    if len(unsettled) > 1:
        raise UsageError(f"several units are open here: {', '.join(unsettled)}", hint="name one")
    if listing.states:
        return listing.states[-1].unit
    raise UsageError("no unit was ever run here", hint="unlost run PLAN")


def private_question(ledger: Ledger, state: UnitState, operators: Collection[str] = ()) -> str | None:
    """The text of the open question, for the requester and the operators alone (R.41); None for everybody else."""
    if not isinstance(state.waiting, Parked) or not is_party(state, user_name(), operators):
        return None
    body = ledger.body(state.unit, state.waiting.body)
    return None if body is None else body.decode("utf-8", "replace")


def _by_prefix(ledger: Ledger, name: str) -> str:
    found = [stream for stream in ledger.streams(PREFIX) if stream.startswith(name)]
    if name in found:
        return name
    if len(found) == 1:
        return found[0]
    what = f"{name} could be {', '.join(found)}" if found else f"there is no unit {name}"
    raise UsageError(what, hint="unlost status")


def open_on(listing: Listing) -> Iterator[UnitState]:
    """The units that are not over."""
    return (state for state in listing.states if not state.over)
