"""The JSON documents of plain mode, to the letter of contracts.md."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from unlost.facts.quoting import clean, path_json
from unlost.guard.facts import Finding, LostObject
from unlost.snapshot.facts import Incomplete, Snapshot

Document = dict[str, Any]


def place_json(number: int | None, snapshot: str) -> Document:
    """A boundary and its snapshot; `boundary` is None for a snapshot that is no boundary."""
    return {"boundary": number, "snapshot": snapshot}


def incomplete_json(incomplete: Iterable[Incomplete]) -> list[Document]:
    """What a snapshot could not take."""
    return [
        {"path": path_json(each.path), "reason": each.reason, **({} if each.bytes is None else {"bytes": each.bytes})}
        for each in incomplete
    ]


def paths_json(paths: Iterable[bytes]) -> list[Any]:
    """Paths, in the order given."""
    return [path_json(path) for path in paths]


def lost_object_json(lost: LostObject, restore: str | None, *, stash: bool) -> Document:
    """A lost commit, or a lost stash entry."""
    row: Document = {"commit": lost.commit, "subject": lost.subject}
    if not stash:
        row["was_on"] = lost.was_on
    return row | {"restore": restore}


def warning_json(finding: Finding) -> Document:
    """A claim to look at."""
    return {"path": path_json(finding.path), "state": finding.state, "commit": finding.commit}


def moved_json(finding: Finding) -> Document:
    """A claim that stands at another path."""
    assert finding.move is not None
    return {"from": path_json(finding.path), "to": path_json(finding.move.to), "edited": finding.move.edited}


def elsewhere_json(finding: Finding) -> Document:
    """A claim that stands at the tip of a live branch."""
    assert finding.tip is not None
    return {"path": path_json(finding.path), "ref": finding.tip.ref, "commit": finding.tip.commit}


def head_json(before: Snapshot | None, now_head: str | None, now_branch: str | None) -> Document:
    """Where HEAD stood at the boundary and where it stands; branches by their short names."""
    surroundings = None if before is None else before.surroundings
    head = None if surroundings is None else surroundings.head
    return {
        "before": head,
        "now": now_head,
        "branch_before": None if surroundings is None else short_branch(surroundings.branch),
        "branch_now": short_branch(now_branch),
        "moved": head != now_head,
    }


def short_branch(ref: str | None) -> str | None:
    """A branch as people call it."""
    return None if ref is None else ref.removeprefix("refs/heads/")


def typed(word: str | bytes) -> str | None:
    """A word as a person can type it, quoted for a shell; None when it is no text, or holds what nobody can see."""
    try:
        text = word if isinstance(word, str) else word.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return shlex.quote(text) if clean(text, one_line=True) == text else None


def command(*words: str | bytes) -> str | None:
    """A shell command line with these words; None when one of them cannot be typed."""
    line = [typed(word) for word in words]
    return None if None in line else " ".join(filter(None, line))


def restore_command(path: bytes, *, merge: bool = False) -> str:
    """The command that brings a path back; one that cannot be typed comes back with every other loss."""
    options = ("--merge",) if merge else ()
    # A name that begins with a dash would be read as an option.
    dashes = ("--",) if path.startswith(b"-") else ()
    return command("unlost", "restore", *options, *dashes, path) or "unlost restore --lost"


def counts_json(counts: Mapping[str, int]) -> Document:
    """Numbers by name."""
    return dict(counts)


def root_text(root: str) -> str:
    """A root as text that JSON can hold."""
    return os.fsencode(root).decode("utf-8", "backslashreplace")
