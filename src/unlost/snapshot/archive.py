"""The archive of one workspace: take snapshots of its work tree, and read what they hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from unlost.facts.trees import Change, Entry
from unlost.facts.words import SnapshotKind
from unlost.git.call import Git
from unlost.git.formats import format_of
from unlost.git.reader import ObjectMissing, ObjectReader, sizes_of
from unlost.git.treecache import TreeCache
from unlost.git.trees import difference, find_file, walk
from unlost.host.clock import Clock
from unlost.host.locks import FileLock
from unlost.snapshot.begun import Begun
from unlost.snapshot.capture import capture
from unlost.snapshot.facts import Limits, Snapshot, SnapshotUnreadable
from unlost.snapshot.history import History
from unlost.snapshot.layout import Layout
from unlost.snapshot.recording import Purpose
from unlost.snapshot.registration import reset
from unlost.snapshot.session import Progress, Workplace, store_format
from unlost.snapshot.stayed_home import stayed_home


class Archive:
    """Snapshots of one work tree. Everything but `capture` works when the work tree is gone.

    `store_folder` is shared by the work trees of one repository, `workspace_folder` belongs to this one; neither
    needs to exist. `root` is the real path of the work tree. Close it when done: reading may keep a git open.
    """

    def __init__(
        self,
        *,
        store_folder: str,
        workspace_folder: str,
        workspace: str,
        root: str,
        clock: Clock,
        limits: Limits | None = None,
        progress: Progress | None = None,
        begun: Begun | None = None,
    ) -> None:
        """`begun` is a capture for the first `capture` to go on with; closed now where it is of another work tree."""
        self._place = Workplace(
            layout=Layout(store_folder=store_folder, workspace_folder=workspace_folder, workspace=workspace),
            root=root,
            limits=limits or Limits(),
            clock=clock,
            progress=progress or _say_nothing,
        )
        self._begun = begun
        if begun is not None and (begun.layout, begun.root) != (self.layout, root):
            self._let_go_of_begun()
        self._open: _Open | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def root(self) -> str:
        """The work tree."""
        return self._place.root

    @property
    def layout(self) -> Layout:
        """Where everything is kept."""
        return self._place.layout

    def close(self) -> None:
        """Let go of processes and descriptors; the archive can be used again."""
        self._let_go_of_begun()
        if self._open is not None:
            self._open.close()
            self._open = None

    def capture(self, *, kind: SnapshotKind = "boundary", label: str = "") -> Snapshot:
        """Take a snapshot of the whole work tree as it is; the first one registers the workspace.

        When nothing differs from the newest snapshot (files, surroundings, kind and label; for an autosave kind and
        label do not count), that one is returned again. Boundaries survive a loss of power. Waits for the capture
        lock. Raises CaptureFailed, NotARepository (never captured and no repository); then nothing was recorded.
        """
        begun, self._begun = self._begun, None
        return capture(self._place, Purpose(kind=kind, label=label, durable=kind != "autosave"), begun)

    def distrust(self) -> None:
        """Make the next capture read every file again, instead of trusting what the system says of it.

        That also finds an edit of equal size whose times were set back. Waits for the capture lock.
        """
        self._let_go_of_begun()
        if self._exists() and os.path.isdir(self.layout.workspace_folder):
            with FileLock(self.layout.capture_lock):
                reset(self.layout)

    def snapshots(self) -> tuple[Snapshot, ...]:
        """Every snapshot that can be read, the oldest first."""
        return self._opened().history.all() if self._exists() else ()

    def latest(self) -> Snapshot | None:
        """The newest snapshot."""
        return self._opened().history.latest() if self._exists() else None

    def find(self, prefix: str) -> Snapshot:
        """The snapshot whose id begins with these digits, at least four. Raises UsageError."""
        return self._opened().history.find(prefix)

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """What differs between two trees, bytewise by path. Raises SnapshotUnreadable."""
        with _readable():
            opened = self._opened()
            return tuple(difference(opened.trees, opened.known(before), opened.known(after)))

    def entry(self, tree: str, path: bytes) -> Entry | None:
        """The file, link or nested repository at a path of a tree; None for a folder or nothing."""
        opened = self._opened()
        try:
            return find_file(opened.trees, opened.known(tree), path)
        # Asked for thousands of times in one verdict, where a context manager would double the cost.
        except ObjectMissing as error:
            raise _unreadable(error) from error

    def walk(self, tree: str) -> Iterator[tuple[bytes, Entry]]:
        """Every path of a tree, bytewise. Raises SnapshotUnreadable."""
        with _readable():
            yield from walk(self._opened().trees, self._opened().known(tree))

    def content(self, oid: str, limit: int | None = None) -> bytes:
        """The content of a file or the target of a link, at most `limit` bytes. Raises SnapshotUnreadable."""
        with _readable():
            found = self._opened().objects.read(oid, limit)
        if found.kind != "blob":
            raise SnapshotUnreadable(f"the object {oid[:12]} is a {found.kind}, not a file's content")
        return found.data

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """The sizes in bytes of those contents that the store has."""
        return sizes_of(self._opened().git, oids)

    def stream(self, oid: str) -> Iterator[bytes]:
        """The content of a file of any size, in pieces; take them all. Raises SnapshotUnreadable."""
        with _readable():
            yield from self._opened().objects.stream(oid)[1]

    @property
    def has_nested(self) -> bool:
        """Whether a nested repository was ever captured here; where none was, no tree names a snapshot of one."""
        return os.path.isdir(os.path.join(self.layout.workspace_folder, "nested"))

    def nested(self, path: bytes) -> Archive:
        """The archive of a nested repository; the commit of a tree's entry of mode 160000 is a snapshot in it."""
        place = self._place
        layout = place.layout.nested(path)
        return Archive(
            store_folder=layout.store_folder,
            workspace_folder=layout.workspace_folder,
            workspace=layout.workspace,
            root=os.path.join(place.root, os.fsdecode(path)),
            clock=place.clock,
            limits=place.limits,
            progress=place.progress,
        )

    def drop(self, sequences: Iterable[int]) -> None:
        """Forget snapshots by number. Held under the capture lock by the caller; never the newest one."""
        self._opened().history.drop(sequences, self._opened().git)

    def _let_go_of_begun(self) -> None:
        """Nobody else may capture while it holds the lock."""
        if self._begun is not None:
            self._begun.close()
            self._begun = None

    def _exists(self) -> bool:
        return os.path.isdir(self.layout.store)

    def _opened(self) -> _Open:
        if self._open is None:
            if not self._exists():
                raise SnapshotUnreadable("this workspace has no snapshot yet", hint="unlost mark")
            self._open = _Open(self.layout)
        return self._open


class _Open:
    """The open readers of a store."""

    def __init__(self, layout: Layout) -> None:
        self.git = Git(layout.store, home=layout.home)
        self.objects = ObjectReader(self.git)
        self.trees = TreeCache(layout.trees, store_format(layout), self.objects)
        self.history = History(layout, self.objects)
        self._absent = stayed_home(layout)

    def known(self, tree: str) -> str:
        """A tree as far as this machine has it: ignored files that stayed at another place count as none."""
        return format_of(tree).empty_tree if tree in self._absent else tree

    def close(self) -> None:
        self.objects.close()
        self.trees.close()


@contextmanager
def _readable() -> Iterator[None]:
    """Turns an object that is missing or damaged into the error that archives raise."""
    try:
        yield
    except ObjectMissing as error:
        raise _unreadable(error) from error


def _unreadable(error: ObjectMissing) -> SnapshotUnreadable:
    return SnapshotUnreadable(error.message, hint="unlost doctor --deep")


def _say_nothing(_: str) -> None:
    """The progress of a program that nobody watches."""
