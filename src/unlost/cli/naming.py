"""The paths and moments that a command line means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from unlost.app.open_workspace import OpenWorkspace
from unlost.cli.files import path_below
from unlost.cli.invoked import Invocation
from unlost.cli.when import Moment, parse_when_time, resolve_when
from unlost.facts.durations import parse_instant
from unlost.host.clock import SystemClock

_WHOLE_ID: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def named_paths(invocation: Invocation, workspace: OpenWorkspace, arguments: Sequence[str]) -> list[bytes]:
    """The paths that a person names: below where they stand, or below the root of a `--workspace`."""
    folder = None if invocation.workspace else invocation.folder
    return [path_below(argument, root=workspace.found.root, folder=folder) for argument in arguments]


def named_snapshot(workspace: OpenWorkspace, when: str) -> str:
    """The id of the snapshot that WHEN names; a whole id needs no record, which may be damaged. Raises UsageError."""
    if _WHOLE_ID.fullmatch(when):
        return when
    return resolve_when(when, moments_of(workspace), now=SystemClock().now()).snapshot


def named_instant(workspace: OpenWorkspace, when: str) -> float:
    """The instant that WHEN names, in seconds since 1970; a time needs no boundary. Raises UsageError."""
    now = SystemClock().now()
    instant = parse_when_time(when, now=now)
    return instant if instant is not None else resolve_when(when, moments_of(workspace), now=now).at


def moments_of(workspace: OpenWorkspace) -> list[Moment]:
    """Everything that WHEN can name: boundaries, and snapshots that are none; the oldest first."""
    boundaries = [
        Moment(snapshot=row["snapshot"], at=parse_instant(row["at"]), boundary=row["n"], label=row["label"] or None)
        for row in workspace.boundaries().rows
        if row["kept"]
    ]
    others = [
        Moment(snapshot=row["snapshot"], at=parse_instant(row["at"]), label=row["label"] or None)
        for row in workspace.snapshots().rows
        if row["boundary"] is None
    ]
    return sorted([*boundaries, *others], key=lambda moment: moment.at)
