"""The workspace that a command line means, open with everything that brings contents back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unlost.app.plain import Workspace
from unlost.cli.invoked import Invocation
from unlost.cli.progress import Progress
from unlost.settings import read_settings


@contextmanager
def open_workspace(invocation: Invocation) -> Iterator[Workspace]:
    """The workspace of `--workspace`, `-C` or the present folder, open. Raises NotARepository, UsageError."""
    settings = read_settings(invocation.environment)
    with (
        Progress(invocation.terminal) as progress,
        Workspace.open(invocation.target, settings, say=progress) as workspace,
    ):
        yield workspace
