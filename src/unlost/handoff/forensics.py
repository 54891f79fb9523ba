"""What git still holds of a handoff's files: a `Store` over one inspection of the repository (H.9, H.13, H.14, H.19).

Only what *changed* a path counts: `git show COMMIT:PATH` succeeds for every commit whose tree has the path. Stashes
come first, with their untracked parent; then HEAD, the index, and commits that a reset left behind or that other
branches hold. unlost's own snapshots are in no repository of the user's and so never here (decision 8).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

from unlost.facts.quoting import clean, cut
from unlost.facts.records import dataclass, replace
from unlost.facts.trees import EXECUTABLE, REGULAR
from unlost.git.reader import ObjectMissing, read_batch, read_contents
from unlost.git.repository import stashes_of
from unlost.git.trees import find
from unlost.handoff.binding import Binding, binding_of
from unlost.handoff.places import CONTENT_LIMIT, Held
from unlost.handoff.report import Context, Place, RecoverableState
from unlost.traces.commits import read_commit
from unlost.traces.dangling import Unreachable, unreachable
from unlost.traces.history import changes_by, only_reachable_from, reachable
from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries

_BATCH_BYTES: Final = 16 << 20
_COMMITS_AT_ONCE: Final = 4096
_MOST_LEFT_BEHIND: Final = 20_000
_MOST_LINES: Final = 50
_REFLOG_LINES: Final = 20
_LINE_LIMIT: Final = 200
_FILES: Final = (REGULAR, EXECUTABLE)
_PARENT: Final = re.compile(r"^parent ([0-9a-f]{40,64})$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class _Source:
    """A commit that may hold lost content, the commit it is compared with (None: its parents), and its name."""

    commit: str
    against: str | None
    state: RecoverableState
    name: str


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """One entry of the stash: `stash@{number}`."""

    number: int
    commit: str
    parents: tuple[str, ...]
    message: str
    ours: bool


class Forensics:
    """What git still holds; the expensive questions are asked when they are needed, and once."""

    def __init__(self, inspection: Inspection, *, base_commit: str | None = None) -> None:
        """`base_commit` is what the handoff calls its base: full, or abbreviated to 7 digits or more."""
        self._inspection = inspection
        self._base_commit = base_commit
        self._dangling: Unreachable | None = None

    def held(self, paths: Collection[bytes]) -> Iterator[Held]:
        """Versions of these paths in places that changed them, best first for each path."""
        yield from self._changed(self._stash_sources(), paths)
        yield from self._committed(paths)
        yield from self._staged(paths)
        yield from self._changed(self._left_behind(), paths)

    def strays(self) -> Iterable[str]:
        """Blobs that nothing names: edits that were staged and then reset."""
        return self._unreachable().blobs

    def contents(self, oids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of blobs up to 4 MiB; at most 16 MiB are held in memory."""
        yield from read_contents(self._inspection.git, oids, largest=CONTENT_LIMIT, at_once=_BATCH_BYTES)

    def context(self) -> Context:
        """The cap era's reflog, the stash list, dangling commits (when they were asked for): for a person to read."""
        heads = [entry for entry in self._inspection.reflogs() if entry.ref == "HEAD"][:_REFLOG_LINES]
        stashes = [
            f"stash@{{{each.number}}}: {each.message}" + ("" if each.ours else " (of another work tree: left alone)")
            for each in self._stashes[:_MOST_LINES]
        ]
        if len(self._stashes) > _MOST_LINES:
            stashes.append(f"and {len(self._stashes) - _MOST_LINES} more")
        # Asking git for what is dangling takes a walk over all objects: it is told only where it was needed.
        dangling = () if self._dangling is None else self._dangling.commits
        return Context(
            reflog=tuple(
                _line(f"{(entry.after or '0' * 40)[:12]} HEAD@{{{number}}}: {entry.message}")
                for number, entry in enumerate(heads)
            ),
            stashes=tuple(_line(text) for text in stashes),
            dangling=dangling[:_MOST_LINES],
        )

    def _unreachable(self) -> Unreachable:
        if self._dangling is None:
            self._dangling = unreachable(self._inspection)
        return self._dangling

    @cached_property
    def _stashes(self) -> Sequence[_Entry]:
        """The stash, the newest first; an entry whose commit is gone or is no stash is left out, numbers stay."""
        listed = stashes_of(self._inspection.repository)
        if not listed:
            return ()
        messages = {entry.after: entry.message for entry in self._inspection.reflogs() if entry.ref == "refs/stash"}
        parents = self._parents(listed)
        found = [(number, oid, parents[oid]) for number, oid in enumerate(listed) if len(parents.get(oid, ())) > 1]
        binding = self._binding({base for _, _, (base, *_) in found})
        return [
            _Entry(
                number=number,
                commit=oid,
                parents=of,
                message=messages.get(oid, ""),
                ours=binding.holds(_branch(messages.get(oid, "")), of[0]),
            )
            for number, oid, of in found
        ]

    def _binding(self, bases: Collection[str]) -> Binding:
        """Which stashes are ours; what lies in our history is asked only where there are several work trees."""
        bound = binding_of(self._inspection)
        if bound.alone:
            return bound
        head = self._inspection.head
        ours = reachable(self._inspection, bases, [head]) if head else frozenset()
        if self._base_commit:
            ours |= {base for base in bases if base.startswith(self._base_commit)}
        return replace(bound, bases=ours)

    def _parents(self, oids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The parents of commits, read in batches and no further than that: a stash may hold many thousands."""
        found: dict[str, tuple[str, ...]] = {}
        rest = iter(oids)
        while batch := list(islice(rest, _COMMITS_AT_ONCE)):
            for oid, data in read_batch(self._inspection.git, batch):
                found[oid] = tuple(_PARENT.findall(data.partition(b"\n\n")[0].decode("ascii", "replace")))
        return found

    def _stash_sources(self) -> Iterator[_Source]:
        """Each entry's work tree side, its untracked files, then what was staged and differs."""
        ours = [each for each in self._stashes if each.ours]
        for entry in ours:
            base, index, *untracked = entry.parents
            name = f"stash@{{{entry.number}}}"
            yield _Source(commit=entry.commit, against=base, state="stashed", name=name)
            for extra in untracked:
                yield _Source(commit=extra, against=None, state="stashed", name=name)
            yield _Source(commit=index, against=base, state="stashed", name=name)

    def _left_behind(self) -> Iterator[_Source]:
        """Commits that HEAD does not have: unreachable ones first, whole chains of them, then other branches'."""
        live = [*self._inspection.live_tips.values(), *self._inspection.refs.values()]
        head = [self._inspection.head] if self._inspection.head else []
        unnamed = only_reachable_from(self._inspection, self._unreachable().commits, live, most=_MOST_LEFT_BEHIND)
        unmerged = only_reachable_from(self._inspection, list(self._inspection.live_tips.values()), head)
        for oid in dict.fromkeys((*unnamed, *unmerged)):
            yield _Source(commit=oid, against=None, state="dangling", name=oid)

    def _changed(self, sources: Iterable[_Source], paths: Collection[bytes]) -> Iterator[Held]:
        by_commit: dict[str, _Source] = {}
        for source in sources:
            by_commit.setdefault(source.commit, source)
        wanted = frozenset(paths)
        rest = iter(by_commit.values())
        while batch := list(islice(rest, _COMMITS_AT_ONCE)):
            lines = [" ".join(filter(None, (source.commit, source.against))) for source in batch]
            for version in changes_by(self._inspection, lines):
                # Filtered here: a pathspec for each of many paths would cost git more than the whole difference.
                if version.path in wanted and version.entry is not None and version.entry.mode in _FILES:
                    source = by_commit[version.commit]
                    place = Place(state=source.state, name=source.name, oid=version.entry.oid, mode=version.entry.mode)
                    yield Held(path=version.path, place=place)

    def _staged(self, paths: Collection[bytes]) -> Iterator[Held]:
        """What is staged and gone from the work tree: `git show :PATH`."""
        staged = staged_entries(self._inspection)
        for path in paths:
            for entry in staged.get(path, ())[:1]:
                if entry.mode in _FILES:
                    yield Held(path=path, place=Place(state="dangling", name="index", oid=entry.oid, mode=entry.mode))

    def _committed(self, paths: Collection[bytes]) -> Iterator[Held]:
        """What HEAD has, for files that are gone from the work tree or were put back further."""
        objects, head = self._inspection.objects, self._inspection.head
        if head is None:
            return
        for path in paths:
            try:
                entry = find(objects, read_commit(objects, head).tree, path)
            except ObjectMissing:
                continue
            if entry is not None and entry.mode in _FILES:
                yield Held(path=path, place=Place(state="dangling", name=head, oid=entry.oid, mode=entry.mode))


def _branch(message: str) -> str | None:
    """The branch that a stash's message names; None when it was stored with a message of its own."""
    for opening in ("WIP on ", "On "):
        if message.startswith(opening) and ": " in message:
            return message.removeprefix(opening).partition(": ")[0]
    return None


def _line(text: str) -> str:
    return cut(clean(text, one_line=True), _LINE_LIMIT)
