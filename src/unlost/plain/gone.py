"""Commits and stash entries that were there at a boundary and are not now, and whether what they held lives on.

A commit is lost only when its content is: not after an amend, a rebase, a squash merge or a jj rewrite (design.md,
section 5, Committed work). A stash that was popped, applied or branched is not lost either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.trees import Entry
from unlost.git.reader import ObjectMissing
from unlost.git.trees import find_file
from unlost.guard.sight import GoneCommit, GonePath, GoneStash
from unlost.snapshot.facts import Surroundings
from unlost.traces.commits import Commit, read_commit
from unlost.traces.facts import Stash
from unlost.traces.history import changes_by, only_reachable_from, patch_ids
from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries
from unlost.traces.stashes import read_stash, stash_entries

PresentEntry = Callable[[bytes], Entry | None]

MOST_COMMITS: Final = 500
"""Vanished commits, and new ones they are compared with, that one look takes; the newest first."""

_LIVE_TREES: Final = 200


class Gone:
    """What vanished between a boundary's surroundings and now."""

    def __init__(self, inspection: Inspection, before: Surroundings, present: PresentEntry) -> None:
        self._inspection = inspection
        self._before = before
        self._present = present
        self._live = [
            *inspection.live_tips.values(),
            *(oid for name, oid in inspection.refs.items() if name.startswith("refs/tags/")),
        ]
        self._trees: list[str] | None = None

    def commits(self) -> tuple[GoneCommit, ...]:
        """The vanished commits, the newest first."""
        old = self._old_tips()
        moved = {name: oid for name, oid in old.items() if oid not in self._live}
        if not moved:
            return ()
        on = {
            name: set(only_reachable_from(self._inspection, [oid], self._live, most=MOST_COMMITS))
            for name, oid in moved.items()
        }
        gone = only_reachable_from(self._inspection, list(moved.values()), self._live, most=MOST_COMMITS)
        if not gone:
            return ()
        since = only_reachable_from(self._inspection, self._live, list(old.values()), most=MOST_COMMITS)
        heirs = _Heirs(self._inspection, gone, since)
        found = []
        for oid in gone:
            name = next((each for each in moved if oid in on[each] and each != "HEAD"), "HEAD")
            commit = self._read(oid)
            if commit is not None:
                found.append(self._commit(commit, name, moved[name], heirs, on_head=oid in on.get("HEAD", ())))
        return tuple(found)

    def _unreached(self, oids: Sequence[str]) -> tuple[str, ...]:
        return only_reachable_from(self._inspection, oids, self._live, most=MOST_COMMITS)

    def stashes(self) -> tuple[GoneStash, ...]:
        """The vanished stash entries, in the order they stood in."""
        listed = stash_entries(self._inspection)
        now = {stash.commit for stash in listed}
        gone = [oid for oid in self._before.stashes if oid not in now]
        if not gone:
            return ()
        staged = staged_entries(self._inspection)
        kept = {(path, entry) for each in listed for path, entry in each.changed.items()}
        kept |= {(path, entry) for path, entries in staged.items() for entry in entries}
        stashes = (read_stash(self._inspection.objects, oid, number=None) for oid in gone)
        return tuple(self._stash(stash, kept) for stash in stashes if stash is not None)

    def _old_tips(self) -> dict[str, str]:
        """Local branches and HEAD at the boundary."""
        old = {name: oid for name, oid in self._before.refs.items() if name.startswith("refs/heads/")}
        if self._before.head is not None:
            old["HEAD"] = self._before.head
        return old

    def _stash(self, stash: Stash, kept: set[tuple[bytes, Entry | None]]) -> GoneStash:
        paths = tuple(
            GonePath(
                path=path,
                before=_oid(self._entry_at(stash.base, path)),
                after=_oid(entry),
                lives=(path, entry) in kept or self._lives(path, entry),
            )
            for path, entry in sorted(stash.changed.items())
        )
        return GoneStash(commit=stash.commit, subject=stash.subject, paths=paths)

    def _commit(self, commit: Commit, name: str, tip: str, heirs: _Heirs, *, on_head: bool) -> GoneCommit:
        changes = {version.path: version for version in changes_by(self._inspection, [commit.oid])}
        paths = []
        for path, version in sorted(changes.items()):
            held = self._entry_at(tip, path)
            paths.append(
                GonePath(path=path, before=_oid(version.before), after=_oid(held), lives=self._lives(path, held))
            )
        return GoneCommit(
            commit=commit.oid,
            subject=commit.subject,
            was_on=self._before.branch or "HEAD" if name == "HEAD" else name,
            on_head=on_head,
            paths=tuple(paths),
            twin=heirs.twin(commit.oid),
            successor=heirs.successor(commit),
        )

    def _lives(self, path: bytes, entry: Entry | None) -> bool:
        """Whether exactly this content (or absence) stands at the path in the tree or at a live tip."""
        if _oid(self._present(path)) == _oid(entry):
            return True
        return any(_oid(self._in_tree(tree, path)) == _oid(entry) for tree in self._live_trees())

    def _live_trees(self) -> list[str]:
        if self._trees is None:
            commits = (self._read(oid) for oid in dict.fromkeys(self._live[:_LIVE_TREES]))
            self._trees = [commit.tree for commit in commits if commit is not None]
        return self._trees

    def _entry_at(self, oid: str, path: bytes) -> Entry | None:
        commit = self._read(oid)
        return None if commit is None else self._in_tree(commit.tree, path)

    def _in_tree(self, tree: str, path: bytes) -> Entry | None:
        try:
            return find_file(self._inspection.objects, tree, path)
        except UnlostError:
            # A tree that is gone holds nothing for us.
            return None

    def _read(self, oid: str) -> Commit | None:
        try:
            return read_commit(self._inspection.objects, oid)
        except ObjectMissing:
            return None


class _Heirs:
    """New commits that took over what vanished ones did."""

    def __init__(self, inspection: Inspection, gone: Sequence[str], since: Sequence[str]) -> None:
        self._patches = patch_ids(inspection, gone)
        self._by_patch = {patch: commit for commit, patch in patch_ids(inspection, since).items()}
        self._by_author = {}
        for oid in since:
            try:
                commit = read_commit(inspection.objects, oid)
            except ObjectMissing:
                continue
            self._by_author[commit.author] = oid
        self._amended = dict(_amended(inspection))
        self._since = set(since)

    def twin(self, oid: str) -> str | None:
        """A new reachable commit with the same patch."""
        patch = self._patches.get(oid)
        return None if patch is None else self._by_patch.get(patch)

    def successor(self, commit: Commit) -> str | None:
        """The commit that an amend or a rebase made of this one: by reflog, else by the author line it keeps."""
        amended = self._amended.get(commit.oid)
        if amended in self._since:
            return amended
        return self._by_author.get(commit.author)


def _amended(inspection: Inspection) -> Iterable[tuple[str, str]]:
    """(before, after) of every amend that a reflog tells of."""
    for entry in inspection.reflogs():
        if entry.before and entry.after and entry.message.startswith("commit (amend)"):
            yield entry.before, entry.after


def _oid(entry: Entry | None) -> str | None:
    return None if entry is None else entry.oid
