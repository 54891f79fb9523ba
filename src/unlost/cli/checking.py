"""What `unlost check` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from unlost.cli.invoked import Invocation
from unlost.cli.naming import named_snapshot
from unlost.cli.proving import open_to_prove
from unlost.cli.render.verdict import check_text, next_steps
from unlost.facts.errors import UsageError
from unlost.host.doors import open_door
from unlost.settings import read_settings

if TYPE_CHECKING:
    from unlost.cli.render.documents import CheckDocument

ELSEWHERE: Final[Mapping[str, str]] = {"workspaces": "unlost.app.workspaces"}
"""What knows where a workspace went that lived here; opened only where there is no boundary."""

_TAKE_ONE: Final = "`unlost mark` takes the first boundary"


def carry_out(invocation: Invocation, *, since: str | None = None, paranoid: bool = False) -> int:
    """Prove every claim and tell the verdict; returns the exit code."""
    with open_to_prove(invocation) as workspace:
        snapshot = None if since is None else named_snapshot(workspace, since)
        checked = workspace.check(since=snapshot, paranoid=paranoid)
    document = cast("CheckDocument", checked.to_json())
    if document["verdict"] == "no_boundary" and not invocation.json:
        workspaces = open_door(ELSEWHERE, "workspaces")
        elsewhere = workspaces.settled_elsewhere(read_settings(invocation.environment).home, invocation.target)
        if elsewhere is not None:
            raise workspaces.lives_elsewhere(elsewhere, "check")
        raise UsageError("there is no boundary yet, so there is nothing to prove", hint=_TAKE_ONE)
    is_clean = checked.exit_code == 0
    invocation.answer(checked.to_json(), check_text(document, invocation.terminal.palette), even_quiet=not is_clean)
    hint = _TAKE_ONE if document["verdict"] == "no_boundary" else next_steps(document)
    if hint is not None:
        invocation.terminal.talk(f"{invocation.terminal.talk_palette.strong('hint:')} {hint}")
    return checked.exit_code
