"""The workspace that a command line means, open to be marked, checked and listed: half the import of `cli.opening`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unlost.app.open_workspace import OpenWorkspace
from unlost.cli.invoked import Invocation
from unlost.cli.progress import Progress
from unlost.settings import read_settings


@contextmanager
def open_to_prove(invocation: Invocation) -> Iterator[OpenWorkspace]:
    """The workspace of `--workspace`, `-C` or the present folder, open. Raises NotARepository, UsageError."""
    settings = read_settings(invocation.environment)
    with (
        Progress(invocation.terminal) as progress,
        OpenWorkspace.open(
            invocation.target, settings, say=progress, begun=invocation.begun, leaving=invocation.leaving
        ) as workspace,
    ):
        yield workspace
