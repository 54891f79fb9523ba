"""The JSON documents of contracts.md as far as text is made of them.

Text is rendered from the very object that `--json` prints, so that it can say nothing that scripts do not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from unlost.facts.quoting import JsonName


class Place(TypedDict):
    """A boundary and its snapshot; `boundary` is None for a snapshot that is no boundary."""

    boundary: int | None
    snapshot: str


class Lost(TypedDict):
    """One open loss; the record of a unit knows no more than the first three."""

    path: JsonName
    state: str
    last_seen: Place | None
    owner: NotRequired[str]
    untracked: NotRequired[bool]
    found_in: NotRequired[Sequence[str]]
    refs: NotRequired[Mapping[str, str]]
    newer: NotRequired[Sequence[str]]
    evidence: NotRequired[Sequence[str]]
    restore: NotRequired[str | None]


class Warned(TypedDict):
    """One path to look at."""

    path: JsonName
    state: str
    commit: str | None


Moved = TypedDict("Moved", {"from": JsonName, "to": JsonName, "edited": bool})
"""A claim that stands at another path."""


class Elsewhere(TypedDict):
    """A claim that stands at the tip of a live branch."""

    path: JsonName
    ref: str


class Unread(TypedDict):
    """A path that could not be read, or is not in a snapshot; `bytes` is its size where known."""

    path: JsonName
    reason: str
    bytes: NotRequired[int | None]


class LostCommit(TypedDict):
    """A commit or stash that nothing reaches any more."""

    commit: str
    subject: str
    restore: str | None


class Passed(TypedDict):
    """What came and went between two boundaries."""

    path: JsonName
    last_seen: PassedPlace
    lines: int


class PassedPlace(TypedDict):
    """The autosave that saw it last."""

    snapshot: str
    at: str


class CheckDocument(TypedDict):
    """`unlost.check/1`."""

    root: str
    since: Place | None
    verdict: str
    workspace_state: str
    lost: Sequence[Lost]
    warnings: Sequence[Warned]
    moved: Sequence[Moved]
    elsewhere: Sequence[Elsewhere]
    reformatted: Sequence[JsonName]
    passing: Sequence[Passed]
    extended: Sequence[JsonName]
    standing: int
    unproved: Sequence[Unread]
    lost_commits: Sequence[LostCommit]
    lost_stashes: Sequence[LostCommit]
    incomplete: Sequence[Unread]


class MarkDocument(TypedDict):
    """`unlost.mark/1`."""

    boundary: int
    snapshot: str
    files: int
    claims: int
    lost: int
    open_losses: int
    incomplete: Sequence[Unread]
    ms: int


class Failed(TypedDict):
    """A path that could not be put back."""

    path: JsonName
    reason: str


class RestoreDocument(TypedDict):
    """`unlost.restore/1`."""

    restored: Sequence[JsonName]
    merged: Sequence[JsonName]
    already: Sequence[JsonName]
    failed: Sequence[Failed]
    undo: str | None
    verified: bool
    removed: NotRequired[Sequence[JsonName]]
