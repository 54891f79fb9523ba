"""What happens in a unit while it happens, one line an event; what a person need not see has no line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.agents.protocol import AgentEvent, Said, ToolCall
from unlost.cli.palette import Palette
from unlost.cli.render import happening_publish, happening_review, maintenance
from unlost.cli.render.amounts import count
from unlost.cli.render.row import WIDTH, named_paths, row
from unlost.facts.durations import duration_text
from unlost.facts.quoting import clean, cut
from unlost.unit import attempt_events, events
from unlost.unit import handoff_events as handoff
from unlost.unit import research_events as research

_LONGEST: Final = 160


def event_line(payload: object, palette: Palette) -> str | None:
    """The line of an event of `unit.events`, or None."""
    write = _LINES.get(type(payload))
    return None if write is None else write(payload, palette)


def agent_line(event: AgentEvent, palette: Palette) -> str | None:
    """The line of what an agent said or did, cleaned and cut; or None."""
    match event:
        case Said(text=text):
            told = text
        case ToolCall(name=name, detail=detail):
            told = f"{name}: {detail}" if detail else name
        case _:
            return None
    line = cut(clean(told, one_line=True).strip(), _LONGEST)
    return palette.faint(f"{'':{WIDTH}} │ {line}") if line else None


def _admitted(event: events.Admitted, palette: Palette) -> str:
    title = cut(clean(event.title, one_line=True), _LONGEST)
    return row("unit", f"{title}  {palette.faint(count(len(event.tasks), 'task'))}", palette.strong)


def _researching(event: research.ResearchOpened, palette: Palette) -> str:
    return row("research", f"at {event.tag.commit[:10]}  {palette.faint(f'attempt {event.number}')}", palette.strong)


def _researched(event: research.ResearchEnded, palette: Palette) -> str | None:
    if event.discarded_count:
        told = f"wrote outside its outbox, discarded: {named_paths(event.discarded)}"
        return row("research", told, palette.warning)
    if event.reason == "exited" and not event.failed:
        return None
    return row("research", f"ended: {event.reason.replace('_', ' ')}", palette.warning)


def _settled_research(event: research.ResearchSettled, palette: Palette) -> str:
    failure = f"  {event.failure.replace('_', ' ')}" if event.failure else ""
    dress = palette.good if event.result == "ready" else palette.warning
    return row("research", f"{event.result}{failure}", dress)


def _intended(event: attempt_events.AttemptIntended, palette: Palette) -> str:
    return row("task", f"{event.task}  {palette.faint(f'attempt {event.attempt}')}", palette.strong)


def _ended(event: attempt_events.AttemptEnded, palette: Palette) -> str | None:
    if event.reason == "exited" and not event.failed:
        return None
    why = "ended with an error" if event.reason == "exited" else f"ended: {event.reason.replace('_', ' ')}"
    return row("agent", f"{why} after {duration_text(event.seconds)}", palette.warning)


def _check(event: attempt_events.CheckEnded, palette: Palette) -> str:
    if event.passed:
        return row("check", f"{event.name} passed", palette.good)
    why = "ran out of time" if event.timed_out else f"failed ({event.exit_code})"
    return row("check", f"{event.name} {why}", palette.loss)


def _settled(event: attempt_events.TaskSettled, palette: Palette) -> str:
    good = event.state in {"done", "no_change"}
    where = f"  {palette.faint(f'boundary {event.boundary}')}" if event.boundary is not None else ""
    reason = f"  {event.reason.replace('_', ' ')}" if event.reason else ""
    return row(event.state.replace("_", " "), f"{event.task}{reason}{where}", palette.good if good else palette.loss)


def _restored(event: events.RestoreDone, palette: Palette) -> str:
    return row("restored", named_paths(event.restored), palette.good)


def _handed_over(event: handoff.HandoffTaken, palette: Palette) -> str:
    refused = f"  its own was refused for {count(event.refused, 'fault')}" if event.refused else ""
    return row("handoff", f"{event.source}, attempt {event.attempt} of {event.task}{refused}", palette.faint)


def _looked_after(event: handoff.HandoffVerified, palette: Palette) -> str | None:
    found = (("recoverable", event.recoverable), ("lost", event.lost))
    told = [f"{word}: {named_paths(paths)}" for word, paths in found if paths]
    return row("handoff", " · ".join(told), palette.warning) if told else None


def _brought_back(event: handoff.HandoffRestored, palette: Palette) -> str:
    left = f"  not back: {named_paths(event.left)}" if event.left else ""
    return row("restored", f"{named_paths(event.restored)}{left}".strip(), palette.warning if left else palette.good)


def _blocked(event: events.Blocked, palette: Palette) -> str:
    paths = f"  {named_paths(event.paths)}" if event.paths else ""
    during = f"  {palette.faint(f'during {event.task}')}" if event.task else ""
    refusals = f": {', '.join(event.refusals).replace('_', ' ')}" if event.refusals else ""
    sources = f"  {', '.join(event.sources)}" if event.sources else ""
    return row("blocked", f"{event.reason.replace('_', ' ')}{refusals}{sources}{paths}{during}", palette.loss)


def _paused(event: events.Paused, palette: Palette) -> str:
    return row("paused", event.reason.replace("_", " "), palette.warning)


def _asked(event: events.QuestionAsked, palette: Palette) -> str:
    return row("parked", f"{event.task or 'research'} asks a person", palette.warning)


def _resumed(event: events.Resumed, palette: Palette) -> str:
    return row("resumed", f"by {clean(event.by, one_line=True)}", palette.strong)


def _over(event: events.Ended, palette: Palette) -> str:
    dress = palette.good if event.phase == "done" else palette.loss
    return row(event.phase, event.reason.replace("_", " "), dress).rstrip()


_LINES: Final[Mapping[type, Callable[[Any, Palette], str | None]]] = {
    events.Admitted: _admitted,
    research.ResearchOpened: _researching,
    research.ResearchEnded: _researched,
    research.ResearchSettled: _settled_research,
    **happening_review.LINES,
    **maintenance.LINES,
    **happening_publish.LINES,
    attempt_events.AttemptIntended: _intended,
    attempt_events.AttemptEnded: _ended,
    attempt_events.CheckEnded: _check,
    attempt_events.TaskSettled: _settled,
    events.RestoreDone: _restored,
    handoff.HandoffTaken: _handed_over,
    handoff.HandoffVerified: _looked_after,
    handoff.HandoffRestored: _brought_back,
    events.Blocked: _blocked,
    events.Paused: _paused,
    events.QuestionAsked: _asked,
    events.Resumed: _resumed,
    events.Ended: _over,
}
