"""What a fresh worker is told about each file and fix: one marker, and what to do about it (H.17, H.23).

Markers are instruction, so every word of them is unlost's own: ids are hex, paths are quoted (decision 5).
"""

from __future__ import annotations

import shlex
from typing import Final

from unlost.facts.quoting import path_literal
from unlost.handoff.report import FileState, FixState, Place

PRESENT: Final = "[PRESENT — verify only, do not rewrite]"
REAPPLY: Final = "[REAPPLY]"
CREATE: Final = "[REAPPLY: create]"
STASH: Final = "[RECOVERABLE (git stash)]"
CONFLICT: Final = "[CONFLICT]"

MEANINGS: Final = {
    PRESENT: "the work stands in the tree; read it, do not make it again",
    REAPPLY: "the edit is gone; make it again exactly as given below",
    CREATE: "the new file is gone; create it again",
    CONFLICT: "somebody changed the file so that neither text stands; keep what is there and fit the edit in by hand",
}
_RECOVERABLE: Final = "the work is kept there whole; take it from there, and do not write it anew"


def marker(state: FixState | FileState, where: Place | None) -> str:
    """The marker of a fix or a file in this state."""
    if state in ("applied", "untracked_survivors"):
        return PRESENT
    if state == "missing_new_files":
        return CREATE
    if state == "conflicting":
        return CONFLICT
    if where is None:
        return REAPPLY
    if where.state == "stashed":
        return STASH
    if where.state == "snapshot":
        return f"[RECOVERABLE (snapshot {where.name})]"
    return f"[RECOVERABLE ({where.name if ' ' in where.name or where.name == 'index' else 'commit ' + where.name})]"


def meaning(of: str) -> str:
    """What a marker asks of the worker."""
    return MEANINGS.get(of, _RECOVERABLE)


def how_to_read(path: bytes, where: Place | None) -> str | None:
    """The command that prints the kept content, where a shell can spell the path; it changes nothing."""
    literal = path_literal(path)
    if where is None or "\\" in literal:
        return None
    text = literal[1:-1]
    if where.state == "snapshot":
        return f"unlost show {shlex.quote(f'{where.name}:{text}')}"
    if where.name.startswith("blob "):
        return f"git show {where.name.removeprefix('blob ')}"
    name = "" if where.name == "index" else where.name
    return f"git show {shlex.quote(f'{name}:{text}')}"
