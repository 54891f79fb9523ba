"""What `unlost workspace restore` does."""

from __future__ import annotations

import os
import shlex

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.moving import restore_to
from unlost.app.workspaces import on_this_machine
from unlost.cli.invoked import Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.moved import restored_root_text
from unlost.workspace.failures import RestoreFailed, RestoreRefused, RestoreSuperseded, RestoreUnreachable
from unlost.workspace.transports.targets import read_target


def carry_out(
    invocation: Invocation,
    *,
    name: str,
    to: str,
    place: str | None = None,
    allow_empty: bool = False,
    private: bool = False,
    abandon: bool = False,
    through: str | None = None,
) -> int:
    """Make the root and tell it; returns the exit code."""
    refuse_inside_attempt()
    prefix = () if through is None else tuple(shlex.split(through))
    target = read_target(to, folder=os.path.abspath(invocation.folder), prefix=prefix)
    with Progress(invocation.terminal) as progress, on_this_machine(invocation.environment) as machine:
        try:
            restored = restore_to(
                machine,
                name,
                target,
                place=place,
                allow_empty=allow_empty,
                private=private,
                abandon=abandon,
                say=progress,
            )
        except (RestoreRefused, RestoreSuperseded, RestoreUnreachable, RestoreFailed) as error:
            if not invocation.json:
                raise
            invocation.terminal.document(error.report.to_json())
            return error.exit_code
    invocation.answer(restored.report.to_json(), restored_root_text(restored))
    return 0
