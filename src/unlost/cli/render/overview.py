"""The status of a workspace: what needs a person first, then the units, then what happened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from unlost.app.status import Status
from unlost.app.units import ListedUnit
from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count, size_text
from unlost.cli.render.unit import UnitDocument, headline
from unlost.cli.render.verdict import STATES
from unlost.facts.durations import duration_text
from unlost.facts.quoting import clean, cut

_MOST_UNITS: Final = 5
_MOST_NEWS: Final = 5


def status_text(status: Status, palette: Palette, *, now: float) -> str:
    """The whole status."""
    lines = [_place(status, palette, now), *_needs(status, palette)]
    open_units = [unit for unit in status.units if not unit.over]
    over = [unit for unit in status.units if unit.over]
    lines += [line for unit in open_units for line in _unit(unit, palette)]
    lines += [headline(cast("UnitDocument", unit.document), palette) for unit in over[-_MOST_UNITS:]]
    lines += [
        palette.loss(f"{name}: its record is damaged; snapshots and restore still work") for name in status.damaged
    ]
    lines += _news(status, palette, now)
    return "\n".join(lines)


def status_line(status: Status) -> str:
    """One line for a prompt: `boundary 3 · 1 loss · u-3f9c2a7b1d04 blocked`."""
    if status.last is None:
        return "no boundary"
    parts = [f"boundary {status.last.number}"]
    if status.open_losses:
        parts.append(count(status.open_losses, "loss", "losses"))
    parts += [f"{unit.id} {unit.phase}" for unit in status.units if not unit.over]
    return " · ".join(parts)


def _place(status: Status, palette: Palette, now: float) -> str:
    root = palette.strong(clean(status.root, one_line=True))
    if status.last is None:
        return f"{root}  no boundary yet; `unlost mark` takes the first one"
    age = duration_text(now - status.last.at)
    kept = size_text(status.kept)
    where = f"boundary {status.last.number}, {age} ago · {count(status.claims, 'claim')} · {kept} kept"
    return f"{root}  {where}  {palette.faint(status.workspace or '')}".rstrip()


def _needs(status: Status, palette: Palette) -> Iterator[str]:
    if status.state in STATES:
        yield palette.warning(f"{STATES[status.state]}: `unlost check`")
    if status.open_losses:
        lost = palette.loss(count(status.open_losses, "open loss", "open losses"))
        yield f"{lost}: `unlost check` names them, `unlost restore --lost` brings back what is kept"
    elif status.last is not None and not any(unit.waits for unit in status.units):
        yield palette.good("nothing needs you")


def _unit(unit: ListedUnit, palette: Palette) -> Iterator[str]:
    document = cast("UnitDocument", unit.document)
    yield headline(document, palette)
    if document["next"]:
        yield f"  next: {palette.strong(document['next'])}"


def _news(status: Status, palette: Palette, now: float) -> Iterator[str]:
    if status.since is None or not status.news:
        return
    ago = duration_text(now - status.since)
    yield palette.faint(f"since you last looked ({ago} ago): {count(len(status.news), 'boundary', 'boundaries')}")
    for boundary in status.news[-_MOST_NEWS:]:
        label = cut(clean(boundary.label or boundary.task or "", one_line=True), 60)
        yield palette.faint(f"  boundary {boundary.number}  {boundary.kind.replace('_', ' ')}  {label}".rstrip())
