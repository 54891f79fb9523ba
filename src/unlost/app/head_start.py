"""Begin a capture before the rest of the program is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping

from unlost.facts.errors import UnlostError
from unlost.git.repository import discover
from unlost.settings import state_home
from unlost.snapshot.begun import Begun, begin
from unlost.snapshot.whereabouts import workspace_folder, workspace_of


def begin_capture(folder: str, environment: Mapping[str, str]) -> Begun | None:
    """Begin to capture the work tree around a folder, where it was marked before; None otherwise. Never raises."""
    try:
        repository = discover(os.path.abspath(folder))
        home = state_home(environment)
        workspace = workspace_of(home, repository.root)
    except (OSError, UnlostError, ValueError):
        # Whatever it is, the command that follows meets it as well, and tells it.
        return None
    return None if workspace is None else begin(workspace_folder(home, workspace), repository)
