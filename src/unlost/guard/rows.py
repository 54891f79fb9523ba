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
_EMPTY_DOCUMENTS: Final = frozenset({b"", b"{}", b"[]", b"null"})
_BLANK: Final = b" \t\r\n\f\v\0"
"""A disk that lost what was not yet written gives back zeros."""
_ELISION: Final = re.compile(
    rb"[ \t]*(?:#|//|/\*|<!--|--|;|%|\(\*)[ \t]*(?:\.\.\.|\xe2\x80\xa6)[^\n]*"
    rb"\b(?:rest|existing|unchanged|remain\w*|same|previous|other|more)\b[^\n]*",
    re.IGNORECASE,
)
"""What a model writes instead of the lines that it did not want to repeat."""
_ELLIPSES: Final = (b"...", b"\xe2\x80\xa6")
_LETTERS: Final = re.compile(rb"[\x80-\xff]+")
_LOST_LETTERS: Final = re.compile(rb"(?:\?|\xef\xbf\xbd)+")


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
    return case.finding("moved", "ok", move=case.move) if case.move is not None and case.move.whole else None


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
    """Gone, and none of the rows above; a warning where another file took in most of its lines."""
    return case.finding("deleted", "warning" if case.move else "loss") if case.now is None else None


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
    """Emptied, an LFS pointer, only conflict markers, a torn beginning, a placeholder, or letters lost."""
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
    claimed, data = case.claimed_text, case.present_data
    if case.claim.entry is None or data is None or data.strip(_BLANK) not in _EMPTY_DOCUMENTS:
        return False
    return claimed is None or claimed.data.strip(_BLANK) not in _EMPTY_DOCUMENTS


def _is_damaged(case: Case) -> bool:
    """Whether the present content is what no author writes: a pointer, markers only, a content cut off or spoiled."""
    text = case.text
    if case.claim.entry is None or case.now is None or text is None or not text.data.strip():
        return False
    claimed = None if case.claimed_text is None else case.claimed_text.data
    if _POINTER.match(text.data):
        return claimed is None or not _POINTER.match(claimed)
    if claimed is None:
        return False
    if _has_markers_only(text.data):
        return True
    return _is_torn(claimed, text.data) or _is_elided(case, claimed, text.data) or _lost_letters(claimed, text.data)


def _has_markers_only(data: bytes) -> bool:
    """Whether nothing is left of a conflict but its markers; most files show in their first line that there is more."""
    return all(_MARKER.fullmatch(line) for line in data.lstrip().split(b"\n") if line.strip())


def _is_torn(claimed: bytes, now: bytes) -> bool:
    """Whether a content was cut within a line or at the end of a disk block; between two lines an author may cut."""
    size = len(now)
    if size >= len(claimed) or not claimed.startswith(now):
        return False
    within_a_line = not now.endswith(b"\n") and claimed[size : size + 1] != b"\n"
    return within_a_line or size % _BLOCK == 0


def _is_elided(case: Case, claimed: bytes, data: bytes) -> bool:
    """Whether a new comment such as `# ... rest of the file unchanged` stands for claimed lines that are gone."""
    if not any(mark in data for mark in _ELLIPSES):
        return False
    lines = data.split(b"\n")
    placeholders = [line for line in lines if _ELISION.fullmatch(line.rstrip()) and line.strip() not in claimed]
    return bool(placeholders) and not case.is_extended


def _lost_letters(claimed: bytes, now: bytes) -> bool:
    """Whether a conversion put question marks for the letters that it could not write."""
    marks = sum(len(run) for run in _LOST_LETTERS.findall(now)) - sum(
        len(run) for run in _LOST_LETTERS.findall(claimed)
    )
    if marks <= 0 or not _LETTERS.search(claimed):
        return False
    kept, left = (_LETTERS.sub(b"", _LOST_LETTERS.sub(b"", text)) for text in (claimed, now))
    return kept == left and len(_LETTERS.findall(now.replace(b"\xef\xbf\xbd", b"?"))) < len(_LETTERS.findall(claimed))
