"""The verdict table of design.md, section 5: one function a row; the first that fits decides.

Two rules run through it. Replacement by new text never trips; return to old text does. And content that still
stands anywhere live is no loss.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from unlost.facts.trees import EXECUTABLE, LINK, NESTED, REGULAR, Entry
from unlost.guard.case import Case
from unlost.guard.facts import PERSON, Finding

Row = Callable[[Case], Finding | None]

_POINTER: Final = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:[0-9a-f]{64}\n"
)
_MARKER: Final = re.compile(rb"(?:<{7}|={7}|>{7}|\|{7})(?: .*)?\r?")
_BLOCK: Final = 512


def decide(case: Case) -> Finding:
    """The finding of the first row that fits."""
    for row in ROWS:
        finding = row(case)
        if finding is not None:
            return finding
    return case.finding("rewritten", "warning")


def standing(case: Case) -> Finding | None:
    """Same content and mode; of an ignored or uncaptured path: there at all. A gained exec bit changes nothing.

    What a person accepted is superseded by that person's word until the next boundary.
    """
    claim, now = case.claim, case.now
    if claim.ignored or not claim.captured:
        return case.finding("standing", "ok") if now is not None else None
    if now == claim.entry:
        return case.finding("superseded", "ok", by=PERSON) if claim.accepted else case.finding("standing", "ok")
    if claim.entry is None or now is None or now.oid != claim.entry.oid:
        return None
    gained = (claim.entry.mode, now.mode) == (REGULAR, EXECUTABLE)
    return case.finding("standing", "ok") if gained and not _mode_is_older(case, now) else None


def moved(case: Case) -> Finding | None:
    """Gone here, and a path that had it not holds the same content, or every line the claim added."""
    return None if case.move is None else case.finding("moved", "ok", move=case.move)


def superseded(case: Case) -> Finding | None:
    """Rewritten or deleted where the task's `paths` says so, put back where its `reverts` says so."""
    author = case.rules.author
    if author is None or case.claim.opened is not None:
        return None
    excused = author.may_put_back(case.claim.path)
    if not excused and author.may_rewrite(case.claim.path):
        excused = not (case.is_back or case.undone or _is_damaged(case))
    return case.finding("superseded", "ok", by=author.task) if excused else None


def elsewhere(case: Case) -> Finding | None:
    """HEAD, as it is now, holds something else here, and the exact content stands at the tip of a live branch."""
    if case.trace.tip is None or case.head == case.claim.entry:
        return None
    return case.finding("elsewhere", "ok", tip=case.trace.tip)


def reverted(case: Case) -> Finding | None:
    """The file equals a reference older than the claim, or an earlier version in history or reflog."""
    return case.finding("reverted", "loss") if case.is_back else None


def deleted(case: Case) -> Finding | None:
    """Gone, and none of the rows above."""
    return case.finding("deleted", "loss") if case.now is None else None


def mode_or_type_changed(case: Case) -> Finding | None:
    """Content stands, the exec bit or the link type does not: a loss where it is back at a reference."""
    claim, now = case.claim.entry, case.now
    if claim is None or now is None or claim.mode == now.mode:
        return None
    if _kind(claim) != _kind(now):
        if not case.content_stands:
            return case.finding("type_changed", "loss")
        return case.finding("type_changed", "loss" if _mode_is_older(case, now) else "warning")
    gained = now.mode == EXECUTABLE and not _mode_is_older(case, now)
    if gained or not case.content_stands:
        return None
    return case.finding("mode_changed", "loss" if _mode_is_older(case, now) else "warning")


def overwritten(case: Case) -> Finding | None:
    """Emptied, an LFS pointer, only conflict markers, or a torn beginning."""
    return case.finding("overwritten", "loss") if _is_emptied(case) or _is_damaged(case) else None


def reformatted(case: Case) -> Finding | None:
    """The same text after normalisation."""
    return case.finding("reformatted", "ok") if case.is_reformatted else None


def hunks_reverted(case: Case) -> Finding | None:
    """Hunks are back to the text they replaced: all of one owner's is a loss, some a warning."""
    if not case.undone:
        return None
    whole = any(tally.hunks == tally.undone for tally in case.tallies.values() if tally.hunks)
    return case.finding("hunks_reverted", "loss" if whole else "warning")


def extended(case: Case) -> Finding | None:
    """Every hunk is still there, more besides."""
    return case.finding("extended", "ok") if case.is_extended else None


ROWS: Final[tuple[Row, ...]] = (
    standing,
    moved,
    superseded,
    elsewhere,
    reverted,
    deleted,
    mode_or_type_changed,
    overwritten,
    reformatted,
    hunks_reverted,
    extended,
)


def _kind(entry: Entry) -> str:
    """What a path is, the exec bit aside."""
    return entry.mode if entry.mode in (LINK, NESTED) else REGULAR


def _mode_is_older(case: Case, now: Entry) -> bool:
    """Whether an older reference had the present mode."""
    return any(entry is not None and entry.mode == now.mode for entry in case.older)


def _is_emptied(case: Case) -> bool:
    claimed, text = case.claimed_text, case.text
    if case.claim.entry is None or case.now is None or text is None or text.data.strip():
        return False
    return claimed is None or bool(claimed.data.strip())


def _is_damaged(case: Case) -> bool:
    """Whether the present content is what no author writes: a pointer, markers only, a content cut off."""
    text = case.text
    if case.claim.entry is None or case.now is None or text is None or not text.data.strip():
        return False
    claimed = None if case.claimed_text is None else case.claimed_text.data
    if _POINTER.match(text.data):
        return claimed is None or not _POINTER.match(claimed)
    if claimed is None:
        return False
    lines = [line for line in text.data.split(b"\n") if line.strip()]
    if all(_MARKER.fullmatch(line) for line in lines):
        return True
    # A cut between two lines is what an author may do; within a line or at the end of a disk block it is not.
    size = len(text.data)
    if size >= len(claimed) or not claimed.startswith(text.data):
        return False
    within_a_line = not text.data.endswith(b"\n") and claimed[size : size + 1] != b"\n"
    return within_a_line or size % _BLOCK == 0
