"""Commands that drive or follow units: the supervisor they open, what they tell meanwhile, what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from unlost.agents.protocol import AgentEvent
from unlost.app.supervised import Supervisor
from unlost.app.units import Unit
from unlost.cli.invocation import Invocation
from unlost.cli.render.happening import agent_line, event_line
from unlost.cli.render.story import story_document, story_text
from unlost.cli.render.unit import UnitDocument, question_line, unit_text
from unlost.cli.terminal import Terminal
from unlost.host.clock import SystemClock
from unlost.settings import read_settings
from unlost.unit.story import Moment


class Narrator:
    """A listener of the engine that writes a line an event; the agent's own talk only where a person sees it."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def recorded(self, payload: object) -> None:
        """Tell an event of the unit."""
        self._tell(event_line(payload, self._terminal.talk_palette))

    def heard(self, event: AgentEvent) -> None:
        """Tell what the agent said or did."""
        if self._terminal.tells_all:
            self._tell(agent_line(event, self._terminal.talk_palette))

    def noted(self, text: str) -> None:
        """Tell what did not go well beside the unit."""
        self._terminal.complain(f"unlost: {text}")

    def _tell(self, line: str | None) -> None:
        if line is not None:
            self._terminal.talk(line)


def open_supervisor(invocation: Invocation) -> Supervisor:
    """The supervisor of the workspace that is meant, telling on stderr what happens. Close it when done."""
    settings = read_settings(invocation.environment)
    return Supervisor.open(invocation.target, settings, listener=Narrator(invocation.terminal))


def answer_unit(invocation: Invocation, unit: Unit) -> int:
    """Answer with a unit, and return the exit code that it comes to; a question is told with `-q`, too (R.15)."""
    if invocation.quiet and not invocation.json and unit.phase == "parked":
        invocation.terminal.data(question_line(cast("UnitDocument", unit.document)))
    else:
        show_unit(invocation, unit)
    return unit.exit_code


def show_unit(invocation: Invocation, unit: Unit, story: Sequence[Moment] | None = None) -> None:
    """Answer with a unit, and with its story when there is one to tell."""
    palette = invocation.terminal.palette
    document, text = unit.document, unit_text(cast("UnitDocument", unit.document), palette)
    if story is not None:
        document = {**document, "story": story_document(story)}
        text = f"{text}\n{story_text(story, palette, now=SystemClock().now())}"
    invocation.answer(document, text)
