"""The status of a workspace: what needs a person first, then the units, then what happened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from unlost.app.news import UnitNews
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
    lines = [*_news(status, palette, now), _place(status, palette, now), *_needs(status, palette)]
    open_units = [unit for unit in status.units if not unit.over]
    over = [unit for unit in status.units if unit.over]
    lines += [line for unit in open_units for line in _unit(unit, palette, is_driven=unit.id in status.driven)]
    lines += [headline(cast("UnitDocument", unit.document), palette) for unit in over[-_MOST_UNITS:]]
    lines += [
        palette.loss(f"{name}: its record is damaged; snapshots and restore still work") for name in status.damaged
    ]
    return "\n".join(lines)


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
        # A loss that no boundary has seen yet is on no record: this must not read as a proof.
        yield f"{palette.good('nothing on record needs you')}; `unlost check` proves that it stands"


def _unit(unit: ListedUnit, palette: Palette, *, is_driven: bool) -> Iterator[str]:
    document = cast("UnitDocument", unit.document)
    yield headline(document, palette)
    if is_driven and not unit.waits:
        yield f"  it is worked on; {palette.strong(f'unlost watch {unit.id}')} follows it"
    elif document["next"]:
        yield f"  next: {palette.strong(document['next'])}"


def _news(status: Status, palette: Palette, now: float) -> Iterator[str]:
    """What happened since this person last looked: what units did, then the boundaries, then nothing more of it."""
    if status.since is None or not (status.news or status.happened):
        return
    yield palette.strong(f"since you last looked ({duration_text(now - status.since)} ago):")
    for unit in status.happened:
        yield f"  {_happened(unit, palette)}"
    if status.news:
        newest = status.news[-1]
        # The label of a unit's boundary is its unit, which is told above.
        named = newest.task if newest.unit is not None else newest.label
        label = cut(clean(named or newest.kind.replace("_", " "), one_line=True), 60)
        told = count(len(status.news), "boundary", "boundaries")
        yield palette.faint(f"  {told}, the last {duration_text(now - newest.at)} ago: {label}")


def _happened(unit: UnitNews, palette: Palette) -> str:
    parts = [f"{palette.faint(unit.unit)}  {cut(clean(unit.title, one_line=True), 60)}"]
    for tasks, word in ((unit.finished, "finished"), (unit.failed, "failed")):
        if tasks:
            more = f" and {len(tasks) - _MOST_NEWS} more" if len(tasks) > _MOST_NEWS else ""
            parts.append(f"{word}: {', '.join(tasks[:_MOST_NEWS])}{more}")
    reason = f" ({unit.reason.replace('_', ' ')})" if unit.reason else ""
    dress = palette.good if unit.phase == "done" else palette.warning
    parts.append(f"now {dress(unit.phase)}{reason}")
    return " · ".join(parts)
