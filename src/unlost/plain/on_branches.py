"""Work that was committed since a boundary on a branch that HEAD is not on now: it is elsewhere, not lost.

People commit on a feature branch and go back to main; meanwhile they extend the work, rename it, or write it better.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.git.reader import ObjectMissing
from unlost.git.trees import find_file
from unlost.guard.facts import Tip
from unlost.guard.sight import TEXT_LIMIT, Suspect, TreeReader
from unlost.hunks.fate import added_lines
from unlost.hunks.text import Text, is_binary
from unlost.traces.facts import Version
from unlost.traces.history import changes_by, missing, only_reachable_from, reachable
from unlost.traces.inspection import Inspection

_MOST_COMMITS: Final = 200
"""New commits that are looked into, the newest first."""
_MOST_BRANCHES: Final = 50


class NewOnBranches:
    """What commits made since a moment, that HEAD does not reach, hold; `known` are the tips of that moment.

    `tips` are (ref, commit, tree) of live branches.
    """

    def __init__(
        self,
        inspection: Inspection,
        reader: TreeReader,
        tips: Sequence[tuple[str, str, str]],
        known: Iterable[str],
    ) -> None:
        self._inspection = inspection
        self._reader = reader
        old = {*known, *([inspection.head] if inspection.head else [])}
        self._known = old - missing(inspection, old)
        self._tips = [tip for tip in tips if tip[1] not in old][:_MOST_BRANCHES]

    def holds(self, suspect: Suspect, forms: Collection[str]) -> Tip | None:
        """A branch that keeps the claimed content (blob ids: `forms`): as it is, renamed, or with more lines."""
        claimed = suspect.claimed
        if claimed is None or claimed.mode == LINK or not self._tips:
            return None
        for version in self._versions if forms else ():
            entry = version.entry
            if entry is None or entry.oid not in forms or not _same_mode(claimed, entry):
                continue
            for ref, tip, tree in self._tips:
                if version.path != suspect.path and self._at(tree, version.path) != entry:
                    continue
                if reachable(self._inspection, [version.commit], [tip]):
                    return Tip(ref=ref, commit=version.commit)
        return self._with_more(suspect, claimed)

    @cached_property
    def _versions(self) -> tuple[Version, ...]:
        tips = [commit for _, commit, _ in self._tips]
        commits = only_reachable_from(self._inspection, tips, self._known, most=_MOST_COMMITS) if tips else ()
        return changes_by(self._inspection, commits)

    def _with_more(self, suspect: Suspect, claimed: Entry) -> Tip | None:
        """A tip whose file has every line that the claim added."""
        old, mine = self._text(suspect.base), self._text(claimed)
        lines = added_lines(old, mine) if old is not None and mine is not None else ()
        if old is None or not lines:
            return None
        for ref, commit, tree in self._tips:
            held = self._at(tree, suspect.path)
            text = None if held is None else self._blob(held.oid)
            if text is not None and all(text.holds_more_of(line, old) for line in lines):
                return Tip(ref=ref, commit=commit)
        return None

    def _at(self, tree: str, path: bytes) -> Entry | None:
        try:
            return find_file(self._inspection.objects, tree, path)
        except UnlostError:
            # A tree that cannot be read says nothing about the claim.
            return None

    def _text(self, entry: Entry | None) -> Text | None:
        if entry is None:
            return Text(b"")
        return _as_text(self._reader.content(entry.oid, TEXT_LIMIT))

    def _blob(self, oid: str) -> Text | None:
        try:
            return _as_text(self._inspection.objects.read(oid, TEXT_LIMIT).data)
        except ObjectMissing:
            return None


def _same_mode(claimed: Entry, held: Entry) -> bool:
    """Whether nothing but an exec bit came to it."""
    return claimed.mode == held.mode or (claimed.mode, held.mode) == (REGULAR, EXECUTABLE)


def _as_text(data: bytes | None) -> Text | None:
    return None if data is None or is_binary(data) else Text(data)
