"""What unlost itself tells an agent: constants, and lists that it derived (decisions 5 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from unlost.facts.paths import check_path
from unlost.facts.quoting import path_literal
from unlost.facts.records import dataclass

LOOP_RULES: Final = """\
Rules of this workspace:
- Finished work of earlier tasks, and a person's own edits, are in this tree, uncommitted. They are not \
yours to discard.
- Never discard a file's uncommitted work: no `git checkout -- PATH`, no `git restore`, `git reset`, `git revert`, \
`git stash` or `git clean`, in no spelling. They throw away everybody's edits of a file, not only yours.
- To undo an edit of your own, edit those lines back.
- When a file is beyond repair, stop and report it (outcome `blocked`). Do not start it over from HEAD.
- Stay within the scope. When the task needs a change outside it, report `scope_change` and name the paths."""
"""G.1, G.2: the loop rules; why, and the hunk-level undo, stand beside the ban."""

REPORTING: Final = """\
When you end, say how it went: write JSON to `$UNLOST_OUTBOX/report.json`: {"outcome": "completed" | "blocked" | \
"no_change" | "scope_change", "reason": text, "paths": [text]}. `no_change` needs a reason. The report \
proves nothing: the tree and the checks decide."""

DONE_UNCOMMITTED: Final = "Definition of done: complete in the tree, uncommitted; unlost has taken it at the boundary"
DONE_COMMITTED: Final = "Definition of done: COMMIT (unlost commits for you; leave the tree complete)"
DONE_BY_COMMIT: Final = "Definition of done: COMMIT"
"""Decision 2: the first two in a unit by its commit mode, the third for handoff commands outside one."""

AUTOMATIC_RESUME: Final = """\
This attempt continues automatically after the earlier one of this task was interrupted by an error, not by you and \
not by a person. What it changed is still in the tree. Look at it before you edit, and go on from there."""
"""N.5: constant in text and conditions, whatever other note applies."""

RETAINED_WORK: Final = """\
An earlier coding attempt already changed the files listed below in this workspace. It may have been interrupted, \
recovered, or stopped for this amendment. Read those files and the plan's acceptance before you edit. Build on those \
changes. Do not redo or revert them unless the plan requires it. If an earlier change contradicts the plan, report \
it; never discard it silently."""
"""N.9 to N.14, in one fixed text that names no absolute path."""

MAXIMUM_LISTED: Final = 20


@dataclass(frozen=True, kw_only=True)
class RetainedWorkNote:
    """The note and its counts (N.24): eligible files, those listed, and changed ones that may not be listed."""

    text: str
    files: int
    listed: int
    excluded: int

    @property
    def told(self) -> str:
        """The line for people and logs: at most 200 bytes, no path in it."""
        return f"retained-work instruction given: {self.files} files ({self.listed} listed)"


def retained_work_note(changed: Sequence[bytes], in_scope: Callable[[bytes], bool]) -> RetainedWorkNote | None:
    """The note for an attempt of a later revision that starts on a changed tree; None when nothing is changed (N.3).

    `changed` are the paths of the capture that was compared with the paused tree, in its order (N.15, N.16); they are
    listed as ASCII JSON strings (N.20) when they pass the path check (N.18) and are in scope (N.19), at most 20
    of them (N.17).
    """
    if not changed:
        return None
    eligible = [path for path in changed if _is_legal(path) and in_scope(path)]
    listed = eligible[:MAXIMUM_LISTED]
    lines = [RETAINED_WORK, *(f"- {path_literal(path)}" for path in listed)]
    if not eligible:
        lines.append(f"{len(changed)} files changed; none may be listed")
    elif len(eligible) > len(listed):
        lines.append(f"and {len(eligible) - len(listed)} more")
    return RetainedWorkNote(
        text="\n".join(lines), files=len(eligible), listed=len(listed), excluded=len(changed) - len(eligible)
    )


def _is_legal(path: bytes) -> bool:
    try:
        check_path(path)
    except ValueError:
        return False
    return True
