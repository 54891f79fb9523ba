"""What a unit's research came to, and what every brief rests on: for lists without text, and for who may read it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from unlost.app.units import read_units
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import dataclass
from unlost.ledger.protocol import Ledger
from unlost.research.facts import Brief
from unlost.research.reading import stored_brief
from unlost.research.sources import SOURCES_STREAM, VOCABULARY, Origin, SourceRevoked, revoked_sources
from unlost.unit.facts import UnitState
from unlost.unit.questions import is_party
from unlost.unit.research import ResearchRecord


@dataclass(frozen=True, kw_only=True)
class BriefShown:
    """The research of one unit; `brief` only for who asked for it and may read it. `revoked` are ids of its sources."""

    unit: str
    record: ResearchRecord
    revoked: frozenset[str]
    brief: Brief | None


@dataclass(frozen=True, kw_only=True)
class SourceShown:
    """One source of one unit's brief; `ref` (a path, a URL, an id) is research text and only there when asked for."""

    unit: str
    id: str
    kind: str
    revoked: bool
    ref: str | None


def show_brief(ledger: Ledger, unit: str, *, body: bool, reader: str, operators: Collection[str]) -> BriefShown:
    """The research of a unit. Raises UsageError for a unit without, NeedsPerson for a body that is not the reader's."""
    state = UnitStream(ledger, unit).state
    if state.research is None:
        raise UsageError(f"{unit} has no research", hint='[workflow] steps = ["research", "code"] in its plan')
    brief = None
    if body:
        _refuse_stranger(state, reader, operators)
        brief = stored_brief(ledger, unit, state.research.standing)
    revoked = revoked_sources(ledger.read(SOURCES_STREAM))
    return BriefShown(unit=unit, record=state.research, revoked=revoked, brief=brief)


def list_sources(ledger: Ledger, *, body: bool, reader: str, operators: Collection[str]) -> tuple[SourceShown, ...]:
    """Every source of every unit's brief, units oldest first.

    With `body` what each names is shown for the units whose bodies the reader may read.
    """
    revoked = revoked_sources(ledger.read(SOURCES_STREAM))
    return tuple(
        SourceShown(
            unit=state.unit,
            id=origin.id,
            kind=origin.kind,
            revoked=origin.id in revoked,
            ref=origin.ref if body and is_party(state, reader, operators) else None,
        )
        for state in read_units(ledger).states
        for origin in _origins(ledger, state)
    )


def revoke_source(ledger: Ledger, source: str, *, by: str, operators: Collection[str]) -> str:
    """Withdraw a source, named by its id or the start of it, from every brief; the id. Revoking again is harmless.

    Raises UsageError for a source that no brief names, NeedsPerson when the person has no part in a unit that uses it.
    """
    users = [
        (state, name)
        for state in read_units(ledger).states
        for name in (state.research.settled.sources if state.research and state.research.settled else ())
        if name.startswith(source)
    ]
    names = {name for _, name in users}
    if len(names) != 1:
        what = f"{source} could be {', '.join(sorted(names))}" if names else f"no brief rests on {source}"
        raise UsageError(f"{what}; nothing was revoked", hint="unlost sources list")
    if not any(is_party(state, by, operators) for state, _ in users):
        raise NeedsPerson(
            f"{by} is neither the requester of a unit that rests on {source} nor an operator; nothing was revoked"
        )
    (name,) = names
    if name not in revoked_sources(ledger.read(SOURCES_STREAM)):
        ledger.append(SOURCES_STREAM, [VOCABULARY.new(SourceRevoked(source=name, by=by), key=f"revoked {name} {by}")])
    return name


def _origins(ledger: Ledger, state: UnitState) -> Iterator[Origin]:
    record = state.research
    if record is None or record.settled is None or not record.settled.sources:
        return
    told = UnitStream(ledger, state.unit).remains(record.settled_at)
    for origin in told["origins"]:
        yield Origin(id=origin["id"], kind=origin["kind"], ref=origin["ref"], commit=origin["commit"])


def _refuse_stranger(state: UnitState, reader: str, operators: Collection[str]) -> None:
    if not is_party(state, reader, operators):
        raise NeedsPerson(
            f"{reader} is neither the requester of {state.unit} nor an operator, and may not read its research",
            hint=f"unlost brief show {state.unit} tells what is public",
        )
