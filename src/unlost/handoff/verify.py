"""Verify a handoff: is its work present, kept somewhere, or lost? (H.9 to H.20, H.31).

The work tree is asked first, then the stores in their order, each only about what is still open: a tree that holds
everything costs no forensics at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from unlost.handoff.classify import Body, Wording, classify_file
from unlost.handoff.facts import Handoff
from unlost.handoff.places import Present, Store, Tree
from unlost.handoff.report import (
    Context,
    FileFinding,
    FixFinding,
    FixState,
    LossReport,
    Place,
    fold_fixes,
)
from unlost.handoff.search import OpenFile, find_fixes, find_in_strays, versions_by_path
from unlost.handoff.transcript import assert_not_transcript


def verify(handoff: Handoff, tree: Tree, stores: Sequence[Store]) -> LossReport:
    """The loss report of a handoff against a work tree and the stores that may keep its work, best store first.

    Changes nothing. Raises HandoffInvalid for a transcript, UnlostError when a path cannot be read.
    """
    assert_not_transcript(handoff)
    present = tree.present(handoff.files)
    search = _Search(handoff, present)
    for store in stores:
        search.ask(store)
    contexts = [store.context() for store in stores]
    fixes = search.fix_findings()
    return LossReport(
        fixes=fixes,
        files=search.file_findings(handoff.files, fixes),
        context=Context(
            reflog=tuple(line for each in contexts for line in each.reflog),
            stashes=tuple(line for each in contexts for line in each.stashes),
            dangling=tuple(line for each in contexts for line in each.dangling),
        ),
    )


class _Search:
    """What is known of each fix and each new file so far; a state of None is still open."""

    def __init__(self, handoff: Handoff, present: Mapping[bytes, Present]) -> None:
        self._fixes = handoff.exact_fixes
        self._present = present
        self._new = frozenset(handoff.new_files)
        self._indexes: dict[bytes, list[int]] = defaultdict(list)
        for index, fix in enumerate(self._fixes):
            self._indexes[fix.file].append(index)
        self._states: dict[int, FixState | None] = {}
        self._places: dict[int, Place] = {}
        self._new_places: dict[bytes, Place] = {}
        for path, indexes in self._indexes.items():
            wordings = [Wording.of(self._fixes[index]) for index in indexes]
            self._states |= dict(zip(indexes, _states_in_tree(wordings, present[path]), strict=True))

    def ask(self, store: Store) -> None:
        """Look in one store for what is open."""
        files = self._open_files()
        missing = [path for path in self._new if self._present[path].missing and path not in self._new_places]
        if not files and not missing:
            return
        versions = versions_by_path(store.held({*(file.path for file in files), *missing}))
        self._new_places |= {path: versions[path][0] for path in missing if path in versions}
        self._take(find_fixes(files, versions, store))
        files = self._open_files()
        if files:
            self._take(find_in_strays(files, store))

    def fix_findings(self) -> tuple[FixFinding, ...]:
        """Every fix; what was found nowhere is lost."""
        return tuple(
            FixFinding(file=fix.file, index=index, state=self._states[index] or "lost", where=self._places.get(index))
            for index, fix in enumerate(self._fixes)
        )

    def file_findings(self, paths: Sequence[bytes], fixes: Sequence[FixFinding]) -> tuple[FileFinding, ...]:
        """Every file in exactly one state (H.10)."""
        return tuple(
            self._file_finding(path, [fixes[index] for index in self._indexes.get(path, ())]) for path in paths
        )

    def _file_finding(self, path: bytes, fixes: Sequence[FixFinding]) -> FileFinding:
        present = self._present[path]
        state, where = fold_fixes(fixes) if fixes else (None, None)
        if path in self._new and present.missing:
            where = self._new_places.get(path, where)
            return FileFinding(path=path, state=where.state if where else "missing_new_files", where=where)
        if state is not None and (state != "applied" or path not in self._new):
            return FileFinding(path=path, state=state, where=where)
        return FileFinding(path=path, state="applied" if present.tracked else "untracked_survivors")

    def _open_files(self) -> list[OpenFile]:
        files = []
        for path, indexes in self._indexes.items():
            still_open = frozenset(place for place, index in enumerate(indexes) if self._states[index] is None)
            if still_open:
                wordings = tuple(Wording.of(self._fixes[index]) for index in indexes)
                files.append(OpenFile(path=path, wordings=wordings, open=still_open, head=self._present[path].head))
        return files

    def _take(self, found: Mapping[bytes, Mapping[int, Place]]) -> None:
        for path, places in found.items():
            for number, place in places.items():
                index = self._indexes[path][number]
                self._states[index] = place.state
                self._places[index] = place


def _states_in_tree(wordings: Sequence[Wording], present: Present) -> list[FixState | None]:
    """What the tree alone says of a file's fixes; None: not there, so look elsewhere."""
    if present.obstructed or present.unmerged:
        return ["conflicting"] * len(wordings)
    if present.content is None:
        return ["applied" if _deletes_all(wording, present.head) else None for wording in wordings]
    found: list[FixState | None] = []
    for standing in classify_file(Body(present.content), wordings):
        if standing == "applied":
            found.append("applied")
        else:
            # Only an edit of somebody else can stand in the way; HEAD's own text waits for an earlier fix (H.15).
            found.append("conflicting" if standing == "neither" and present.modified else None)
    return found


def _deletes_all(wording: Wording, head: bytes | None) -> bool:
    """Whether a fix takes away everything a file has, so that the file's absence is its success."""
    return not wording.after and head is not None and Body(head).plain.strip() == wording.before.strip()
