"""`restore`, `rewind`, `undo`, `redo`: keep the present, put contents back, record it, prove all claims again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from unlost.facts.errors import UnlostError, UsageError
from unlost.facts.quoting import path_json
from unlost.facts.records import dataclass
from unlost.guard.facts import Claim
from unlost.host.ids import NewId
from unlost.host.locks import FileLock
from unlost.plain.boundaries import Boundaries
from unlost.plain.events import Word, WordGiven, WordKind, word_body
from unlost.plain.facts import Proven
from unlost.plain.report import Document, paths_json
from unlost.plain.trees import Trees
from unlost.plain.wishes import Conflict, Wish, displaced
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.restore import restore
from unlost.snapshot.wanted import Failure, Placed

SCHEMA: Final = "unlost.restore/1"
_UNDO: Final = "unlost undo"


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What a restore did, or with -n would do."""

    restored: tuple[bytes, ...]
    merged: tuple[bytes, ...] = ()
    removed: tuple[bytes, ...] = ()
    already: tuple[bytes, ...] = ()
    failed: tuple[Failure, ...] = ()
    displaces: tuple[Claim, ...] = ()
    undo: str | None = None
    verified: bool = False
    proven: Proven | None = None

    @property
    def exit_code(self) -> int:
        """1 when a path could not be put back."""
        return 1 if self.failed else 0

    def to_json(self) -> Document:
        """`unlost.restore/1`."""
        return {
            "schema": SCHEMA,
            "restored": paths_json(self.restored),
            "merged": paths_json(self.merged),
            "removed": paths_json(self.removed),
            "already": paths_json(self.already),
            "failed": [{"path": path_json(each.path), "reason": each.reason} for each in self.failed],
            "displaces": [{"path": path_json(each.path), "owner": each.owner} for each in self.displaces],
            "undo": self.undo,
            "verified": self.verified,
        }


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The bytes of wishes: captured ones, and merged ones of our own making."""

    trees: Trees
    merged: Mapping[str, bytes]

    def content(self, oid: str) -> bytes:
        """The whole content. Raises SnapshotUnreadable."""
        return self.merged[oid] if oid in self.merged else self.trees.whole(oid)


@dataclass(frozen=True, kw_only=True)
class Putting:
    """Puts wishes into one workspace's root; `journals` is the folder of its restores under way.

    `on_record`: the record can be written, and claims proved again; only a damaged one is gone around.
    """

    boundaries: Boundaries
    journals: str
    new_id: NewId
    on_record: bool = True

    def keep(self, label: str, *, root_is_there: bool) -> Snapshot | None:
        """The snapshot of the present that every restore begins with."""
        return self.boundaries.archive.capture(kind="kept", label=label) if root_is_there else None

    def put(
        self,
        wishes: Sequence[Wish],
        proven: Proven,
        kind: WordKind,
        *,
        conflicts: Iterable[Conflict] = (),
        source: str | None = None,
        of: str | None = None,
    ) -> Restored:
        """Put these wishes in place of the present that was just proved, record it, and prove again.

        Raises RestoreFailed when it could not begin; nothing was changed then.
        """
        boundaries, kept = self.boundaries, proven.snapshot
        before = {wish.path: boundaries.trees.held(kept, wish.path) for wish in wishes}
        pushed = tuple(displaced(wishes, proven))
        with FileLock(boundaries.archive.layout.capture_lock):
            placed = self._place(wishes, boundaries.archive.root, kept)
        failed = {failure.path for failure in placed.failed}
        done = [wish for wish in wishes if wish.path not in failed]
        if done and self.on_record:
            word = Word(entries={wish.path: wish.entry for wish in done}, before=before)
            given = WordGiven(kind=kind, paths=len(done), kept=kept.id if kept else "", source=source, of=of)
            boundaries.record.say(given, word_body(word), key=self.new_id("r"))
        after = boundaries.archive.capture(kind="autosave")
        with boundaries.looking() as looking:
            again = boundaries.prove(after, looking) if self.on_record else None
        return _told(
            wishes,
            placed,
            conflicts=conflicts,
            displaces=pushed,
            undo=_UNDO,
            verified=not failed and all(boundaries.trees.held(after, wish.path) == wish.entry for wish in done),
            proven=again,
        )

    def put_elsewhere(self, wishes: Sequence[Wish], folder: str) -> Restored:
        """Put these wishes into another folder; what is there already and no wish names stays."""
        placed = self._place(wishes, folder, None)
        return _told(wishes, placed, verified=not placed.failed)

    def _place(self, wishes: Sequence[Wish], root: str, kept: Snapshot | None) -> Placed:
        contents = Contents(
            trees=self.boundaries.trees,
            merged={wish.entry.oid: wish.merged for wish in wishes if wish.entry and wish.merged is not None},
        )
        return restore(
            contents,
            [wish.wanted for wish in wishes],
            root=root,
            journals=self.journals,
            kept=partial(self.boundaries.trees.held, kept),
        )


def would(wishes: Sequence[Wish], proven: Proven, trees: Trees, conflicts: Iterable[Conflict] = ()) -> Restored:
    """What putting these wishes in place would do."""
    now = {wish.path: trees.held(proven.snapshot, wish.path) for wish in wishes}
    differing = [wish for wish in wishes if now[wish.path] != wish.entry]
    return Restored(
        restored=tuple(wish.path for wish in differing if wish.entry is not None and wish.merged is None),
        merged=tuple(wish.path for wish in differing if wish.merged is not None),
        removed=tuple(wish.path for wish in differing if wish.entry is None),
        already=tuple(wish.path for wish in wishes if now[wish.path] == wish.entry),
        failed=tuple(Failure(path=each.path, reason="conflict") for each in conflicts),
        displaces=tuple(displaced(wishes, proven)),
    )


def last_to_undo(boundaries: Boundaries) -> tuple[str, Word]:
    """The key and content of the last restore or rewind that was not taken back. Raises UsageError."""
    words = boundaries.record.read().words
    undone = {word.given.of for word in words if word.given.kind == "undone"}
    for word in reversed(words):
        if word.given.kind in ("restored", "rewound", "redone") and word.key not in undone:
            return word.key, boundaries.record.word(word.sequence)
    raise UsageError("there is no restore or rewind to undo")


def last_to_redo(boundaries: Boundaries) -> tuple[str, Word]:
    """The key of the last undo, when nothing was restored since, and the content of what it took back."""
    words = boundaries.record.read().words
    by_key = {word.key: word for word in words}
    redone = {word.given.of for word in words if word.given.kind == "redone"}
    for word in reversed(words):
        if word.given.kind in ("restored", "rewound"):
            break
        if word.given.kind == "undone" and word.key not in redone and word.given.of is not None:
            return word.key, boundaries.record.word(by_key[word.given.of].sequence)
    raise UsageError("there is no undo to take back")


def _told(
    wishes: Sequence[Wish],
    placed: Placed,
    *,
    conflicts: Iterable[Conflict] = (),
    displaces: tuple[Claim, ...] = (),
    undo: str | None = None,
    verified: bool,
    proven: Proven | None = None,
) -> Restored:
    by_path = {wish.path: wish for wish in wishes}
    if placed.restored and any(path not in by_path for path in placed.restored):
        raise UnlostError("a restore changed a path that nobody asked for")
    refused = tuple(Failure(path=each.path, reason="conflict") for each in conflicts)
    return Restored(
        restored=tuple(p for p in placed.restored if by_path[p].entry is not None and by_path[p].merged is None),
        merged=tuple(path for path in placed.restored if by_path[path].merged is not None),
        removed=tuple(path for path in placed.restored if by_path[path].entry is None),
        already=placed.already,
        failed=(*refused, *placed.failed),
        displaces=displaces,
        undo=undo if placed.restored else None,
        verified=verified and not refused,
        proven=proven,
    )
