"""Maintenance for people: one unit by command, or every published unit of a workspace for as long as one watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.supervised import Supervisor
from unlost.app.units import Unit, read_units
from unlost.engine.maintaining import maintain
from unlost.engine.maintenance_opening import MaintenanceOrder
from unlost.engine.stream import UnitStream
from unlost.facts.errors import Interrupted, NeedsPerson, UnlostError
from unlost.facts.records import dataclass
from unlost.host.environment import user_name
from unlost.unit.facts import UnitState
from unlost.unit.maintenance import MaintenanceAction
from unlost.unit.origin_step import published_ref
from unlost.unit.questions import is_party

_GOOD: Final = frozenset({"rebased", "landed"})
EVERY: Final = 300.0
"""Seconds between two looks at the remotes while watching."""


@dataclass(frozen=True, kw_only=True)
class Maintained:
    """A unit after it was looked after; `action` None: its work stands on the target as it is."""

    unit: Unit
    action: MaintenanceAction | None

    @property
    def exit_code(self) -> int:
        """0 when the work stands on the target, else it waits for a person."""
        if self.action is None or (self.action.settled is not None and self.action.settled.result in _GOOD):
            return 0
        return NeedsPerson.exit_code


def maintain_unit(
    supervisor: Supervisor, unit: str | None, *, extend: float = 0.0, raise_cost: float = 0.0
) -> Maintained:
    """Put a published unit's work onto its target where that moved (see `engine.maintaining.maintain`).

    Raises what that raises; NeedsPerson for who is neither requester nor operator, TryLater while somebody drives the
    workspace.
    """
    refuse_inside_attempt()
    name, by = supervisor.find(unit), user_name()
    stream = UnitStream(supervisor.ledger, name)
    if not is_party(stream.state, by, supervisor.settings.operators):
        raise NeedsPerson(f"{by} is neither the requester of {name} nor an operator; nothing was changed")
    with supervisor.driving():
        order = MaintenanceOrder(by=by, extend=extend, raise_cost=raise_cost)
        action = maintain(stream, supervisor.hands_of(stream), order)
    return Maintained(unit=supervisor.show(name), action=action)


def sweep(supervisor: Supervisor, unit: str | None) -> Iterator[tuple[str, Maintained | UnlostError]]:
    """Look after a unit, or every published one here, once: through the very admission of the command."""
    names = [supervisor.find(unit)] if unit is not None else published_units(supervisor)
    for name in names:
        try:
            yield name, maintain_unit(supervisor, name)
        except Interrupted:
            raise
        except UnlostError as error:
            # One remote that is away, or one unit that waits for a person, keeps no other one from being looked after.
            yield name, error


def watch(
    supervisor: Supervisor,
    unit: str | None,
    tell: Callable[[str, Maintained | UnlostError], None],
    *,
    every: float = EVERY,
    rounds: int | None = None,
) -> None:
    """Sweep again and again, telling what is new; until the person ends it, or for so many `rounds`."""
    told: dict[str, str] = {}
    swept = 0
    while rounds is None or swept < rounds:
        if swept:
            supervisor.clock.wait(every)
        for name, found in sweep(supervisor, unit):
            words = found.message if isinstance(found, UnlostError) else _words(found.action)
            if told.get(name) != words:
                told[name] = words
                tell(name, found)
        swept += 1


def published_units(supervisor: Supervisor) -> list[str]:
    """The units of this workspace whose work stands at a remote, the oldest first."""
    states = read_units(supervisor.ledger, workspace=supervisor.place.workspace).states
    return [state.unit for state in states if _is_published(state)]


def _is_published(state: UnitState) -> bool:
    return state.phase == "done" and published_ref(state) is not None


def _words(action: MaintenanceAction | None) -> str:
    return "" if action is None or action.settled is None else f"{action.opened.action} {action.settled.result}"
