"""What `unlost check` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from unlost.cli.invoked import Invocation
from unlost.cli.naming import named_snapshot
from unlost.cli.proving import open_to_prove
from unlost.cli.render.verdict import check_text, next_steps
from unlost.facts.errors import UsageError

if TYPE_CHECKING:
    from unlost.cli.render.documents import CheckDocument

_TAKE_ONE: Final = "`unlost mark` takes the first boundary"


def carry_out(invocation: Invocation, *, since: str | None = None, paranoid: bool = False) -> int:
    """Prove every claim and tell the verdict; returns the exit code."""
    with open_to_prove(invocation) as workspace:
        snapshot = None if since is None else named_snapshot(workspace, since)
        checked = workspace.check(since=snapshot, paranoid=paranoid)
    document = cast("CheckDocument", checked.to_json())
    if document["verdict"] == "no_boundary" and not invocation.json:
        raise UsageError("there is no boundary yet, so there is nothing to prove", hint=_TAKE_ONE)
    is_clean = checked.exit_code == 0
    invocation.answer(checked.to_json(), check_text(document, invocation.terminal.palette), even_quiet=not is_clean)
    hint = _TAKE_ONE if document["verdict"] == "no_boundary" else next_steps(document)
    if hint is not None:
        invocation.terminal.talk(f"{invocation.terminal.talk_palette.strong('hint:')} {hint}")
    return checked.exit_code
