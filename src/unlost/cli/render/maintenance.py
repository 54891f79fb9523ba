"""Maintenance as text: a line an action in a unit, and a line an event while it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypedDict

from unlost.app.maintenance import Maintained
from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count
from unlost.cli.render.row import named_paths, row
from unlost.facts.errors import UnlostError
from unlost.facts.quoting import JsonName, path_from_json
from unlost.unit import maintenance_events as maintenance

_SHORT: Final = 10
_GOOD: Final = frozenset({"rebased", "landed"})


class MaintenanceRow(TypedDict):
    """One action in a unit's document."""

    target: str
    onto: str
    after: str | None
    conflicts: int
    paid: bool
    result: str | None
    refused: Sequence[str]
    paths: Sequence[JsonName]


def maintenance_lines(actions: Sequence[MaintenanceRow], palette: Palette) -> Iterator[str]:
    """`rebased   onto main at 3f9c2a7b1d, now 51d0c8e2aa`, one line an action."""
    for action in actions:
        result = (action["result"] or "open").replace("_", " ")
        told = [f"onto {_branch(action['target'])} at {action['onto'][:_SHORT]}"]
        if action["after"]:
            told.append(f"now {action['after'][:_SHORT]}")
        if action["conflicts"]:
            paid = ", settled by an agent" if action["paid"] and action["after"] else ", paid" if action["paid"] else ""
            told.append(f"{count(action['conflicts'], 'conflict')}{paid}")
        told += [reason.replace("_", " ") for reason in action["refused"]]
        if action["paths"] and action["result"] != "rebased":
            told.append(named_paths(tuple(path_from_json(name) for name in action["paths"])))
        dress = palette.good if action["result"] in _GOOD else palette.warning
        yield f"{dress(result.ljust(9))} {', '.join(told)}"


def watched_line(unit: str, found: Maintained | UnlostError, palette: Palette) -> str | None:
    """What a look at one unit came to while watching; None when nothing moved."""
    if isinstance(found, UnlostError):
        return row("waits", f"{unit}  {found.message}", palette.warning)
    if found.action is None or found.action.settled is None:
        return None
    result = found.action.settled.result.replace("_", " ")
    dress = palette.good if result in _GOOD else palette.warning
    return row("maintain", f"{unit}  {dress(result)}")


def _opened(event: maintenance.MaintenanceOpened, palette: Palette) -> str:
    told = f"{_branch(event.target)} moved to {event.onto[:_SHORT]}"
    return row("maintain", f"{told}  {palette.faint(f'action {event.number}')}", palette.strong)


def _merged(event: maintenance.MaintenanceMerged, palette: Palette) -> str:
    if event.commit is not None:
        return row("maintain", f"rebased as {event.commit[:_SHORT]}", palette.good)
    return row("conflict", named_paths(event.conflicts), palette.warning)


def _repairing(event: maintenance.MaintenanceRepairIntended, palette: Palette) -> str:
    return row("repair", f"an agent settles the conflict  {palette.faint(f'action {event.number}')}", palette.strong)


def _repaired(event: maintenance.MaintenanceRepairEnded, palette: Palette) -> str | None:
    if event.known and not event.failed:
        return None
    told = "ended with an error" if event.known else "nobody knows how it ended; it counts as paid"
    return row("repair", told, palette.warning)


def _settled(event: maintenance.MaintenanceSettled, palette: Palette) -> str:
    told = event.result.replace("_", " ")
    refused = f": {', '.join(event.refusals).replace('_', ' ')}" if event.refusals else ""
    paths = f"  {named_paths(event.paths)}" if event.paths else ""
    return row("maintain", f"{told}{refused}{paths}", palette.good if event.result in _GOOD else palette.warning)


def _branch(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


LINES: Final[Mapping[type, Callable[[Any, Palette], str | None]]] = {
    maintenance.MaintenanceOpened: _opened,
    maintenance.MaintenanceMerged: _merged,
    maintenance.MaintenanceRepairIntended: _repairing,
    maintenance.MaintenanceRepairEnded: _repaired,
    maintenance.MaintenanceSettled: _settled,
}
