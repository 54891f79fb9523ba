"""What `unlost workspace save` does."""

from __future__ import annotations

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.saving import save_here
from unlost.app.workspaces import on_this_machine
from unlost.cli.invoked import Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.moved import saved_text


def carry_out(invocation: Invocation, *, place: str | None = None, private: bool = False) -> int:
    """Save the workspace and tell it; returns the exit code."""
    refuse_inside_attempt()
    named = place or invocation.environment.get("UNLOST_PLACE") or None
    with Progress(invocation.terminal) as progress, on_this_machine(invocation.environment) as machine:
        saved = save_here(machine, invocation.target, place=named, private=private, say=progress)
    invocation.answer(saved.to_json(), saved_text(saved))
    return 0
