"""A bare repository that places share, at any git URL: snapshots go there as pushes of unlost's own store.

Git never sees the user's repository here, runs no hook on this side, and speaks the one protocol that the address
names. What the other side has already is not sent again.
"""

from __future__ import annotations

import os
import re
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import clean
from unlost.git.call import Git, GitFailed
from unlost.git.formats import ObjectFormat, format_of
from unlost.git.objects import ObjectWriter
from unlost.git.reader import ObjectReader
from unlost.git.refs import create_ref, delete_refs, is_oid, list_refs, move_ref, read_ref
from unlost.host.crash import crash_point
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular, write_atomically
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.history import History
from unlost.snapshot.layout import Layout
from unlost.snapshot.rules import NO_RULES
from unlost.snapshot.setup import make_stores
from unlost.workspace.ports import Progress, Stored, Unreachable
from unlost.workspace.stores.addresses import StoreAddress, read_address, settings_for, variables_for
from unlost.workspace.stores.saved import Saved, named_by, prefix_of, read_head, read_saved, ref_of, write_saved

CRASH_POINTS: Final = ("store.written", "store.pushed", "store.fetched", "store.placed")
"""Where a test may kill a put or a get; done again, both finish."""

_TOLD: Final = 400
_SHALLOW_LIMIT: Final = 64 << 20
_UNREACHABLE: Final = re.compile(
    r"could not read from remote|unable to access|could not resolve|connection (?:refused|timed out|reset|closed)"
    r"|host key verification|permission denied|early eof|unexpected disconnect|hung up|authentication failed"
    r"|terminal prompts disabled",
    re.IGNORECASE,
)
_MEMORY: Final = ("pack.threads=2", "pack.windowMemory=32m", "pack.deltaCacheSize=16m", "core.bigFileThreshold=16m")


class StoreRefused(UnlostError):
    """The shared store does not take, or does not have, what was asked; what it has is as it was."""


class GitStore:
    """`Store` over one git URL, for the workspace of `layout`, whose own store it fills and is filled from."""

    def __init__(self, address: StoreAddress, layout: Layout) -> None:
        self._address = address
        self._layout = layout
        self._variables = variables_for(address, os.path.join(layout.workspace_folder, "shared"))
        self._settings = (*settings_for(address), *_MEMORY)
        self._git = Git(layout.store, home=layout.home)

    def put(self, snapshot: Snapshot, *, private: bool, progress: Progress) -> Stored:
        """See `Store.put`."""
        progress("putting the snapshot together")
        layout = self._layout
        hidden = read_ref(layout.store, f"{layout.privates()}/{snapshot.sequence}") if private else None
        saved, commit = self._written(snapshot, hidden)
        crash_point("store.written")
        name = ref_of(saved)
        self._pin(name, commit)
        progress("sending what the store does not have")
        # The private part may come later than the rest: then the saved commit is another one, for the same snapshot.
        order = f"{'+' if private else ''}{commit}:{name}"
        try:
            self._call("push", "--porcelain", "--quiet", "--no-verify", "--", self._address.url, order)
        except StoreRefused:
            if not self.holds(snapshot.workspace, snapshot.id):
                raise
        crash_point("store.pushed")
        self._let_go(saved)
        return Stored(snapshot=snapshot.id, sequence=snapshot.sequence, private=hidden is not None)

    def holds(self, workspace: str, snapshot: str) -> bool:
        """See `Store.holds`."""
        return any(named[1] == snapshot for named in self._listed(f"{prefix_of(workspace)}/*-{snapshot}"))

    def newest(self, workspace: str) -> str | None:
        """See `Store.newest`."""
        return max(self._listed(f"{prefix_of(workspace)}/*"), default=(0, None))[1]

    def get(self, workspace: str, snapshot: str, *, progress: Progress) -> Snapshot:
        """See `Store.get`."""
        if not is_oid(snapshot):
            raise StoreRefused(f"{snapshot[:80]!r} is no id of a snapshot")
        self._make_local_store(format_of(snapshot))
        number = next(
            (each for each, oid in self._listed(f"{prefix_of(workspace)}/*-{snapshot}") if oid == snapshot), None
        )
        if number is None:
            raise StoreRefused(f"the shared store has no snapshot {snapshot[:12]} of {workspace}")
        name = f"{prefix_of(workspace)}/{number:08d}-{snapshot}"
        progress("receiving what is not here yet")
        with FileLock(self._layout.store_lock):
            arguments = ("fetch", "--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--refmap=")
            self._call(*arguments, "--no-recurse-submodules", "--", self._address.url, f"+{name}:{name}")
            crash_point("store.fetched")
            found = self._placed(name, snapshot)
            crash_point("store.placed")
        return found

    def _written(self, snapshot: Snapshot, hidden: str | None) -> tuple[Saved, str]:
        objects = ObjectReader(self._git)
        try:
            writer = ObjectWriter(self._layout.store, format_of(snapshot.id), pack=False, durable=True)
            return write_saved(objects, writer, snapshot, hidden)
        finally:
            objects.close()

    def _placed(self, name: str, snapshot: str) -> Snapshot:
        """Give what was fetched its refs in the local store, once it proved to be the snapshot that was asked for."""
        layout, objects = self._layout, ObjectReader(self._git)
        try:
            saved = read_saved(objects, read_ref(layout.store, name) or "")
            found = History(layout, objects).read(saved.snapshot)
            if (saved.snapshot, saved.workspace, found.workspace) != (snapshot, layout.workspace, layout.workspace):
                raise SnapshotUnreadable("the shared store answers with another snapshot than was asked for")
            if saved.head is not None and found.surroundings.head is not None:
                self._place_head(read_head(objects, saved.head), found.surroundings.head)
        finally:
            objects.close()
        parts = {layout.bases(): saved.base, layout.privates(): saved.private, layout.snapshots(): saved.snapshot}
        if read_ref(layout.store, f"{layout.snapshots()}/{saved.sequence}") is None:
            for prefix, oid in parts.items():
                place = f"{prefix}/{saved.sequence}"
                if oid is not None and read_ref(layout.store, place) is None:
                    create_ref(layout.store, place, oid, durable=True)
        return found

    def _place_head(self, data: bytes, wanted: str) -> None:
        """Write HEAD's commit as a shallow one: its parents are not here."""
        if format_of(wanted).name_of(b"commit", data) != wanted:
            raise SnapshotUnreadable("what came along as HEAD's commit is another commit")
        shallow = os.path.join(self._layout.store, "shallow")
        listed = (read_regular(shallow, _SHALLOW_LIMIT) or b"").splitlines()
        line = wanted.encode()
        is_root = b"\nparent " not in data.partition(b"\n\n")[0]
        if line not in listed and not is_root:
            write_atomically(shallow, b"".join(each + b"\n" for each in sorted({*listed, line})), durable=True)
        writer = ObjectWriter(self._layout.store, format_of(wanted), pack=False, durable=True)
        writer.write(b"commit", data)
        writer.finish()
        self._pin(f"refs/head/{self._layout.workspace}/{wanted}", wanted)

    def _let_go(self, newest: Saved) -> None:
        """Keep the newest saved snapshot on this machine, which the next push builds on, and no older one."""
        here = list_refs(self._layout.store, prefix_of(newest.workspace))
        older = {name: oid for name, oid in here.items() if name < ref_of(newest)}
        delete_refs(self._git, older)

    def _pin(self, name: str, oid: str) -> None:
        """Let a local ref hold an object, so that no collection takes it."""
        before = read_ref(self._layout.store, name)
        if before is None:
            create_ref(self._layout.store, name, oid, durable=True)
        elif before != oid:
            move_ref(self._git, name, oid, expected=before)

    def _listed(self, pattern: str) -> list[tuple[int, str]]:
        """(sequence, snapshot) of the refs of a pattern in the shared store."""
        lines = self._call("ls-remote", "--quiet", "--", self._address.url, pattern).decode("utf-8", "replace")
        named = (named_by(line.partition("\t")[2]) for line in lines.splitlines())
        return [each for each in named if each is not None]

    def _make_local_store(self, format: ObjectFormat) -> None:  # noqa: A002  (git's own word)
        """A workspace that was never captured on this machine has no store here yet."""
        layout = self._layout
        if os.path.isdir(layout.store):
            return
        os.makedirs(layout.workspace_folder, mode=0o700, exist_ok=True)
        with FileLock(layout.capture_lock) as lock:
            make_stores(layout, None, format, NO_RULES, lock)

    def _call(self, *arguments: str) -> bytes:
        try:
            return self._git.run(*arguments, config=self._settings, variables=self._variables)
        except GitFailed as error:
            told = clean(error.stderr[-_TOLD:], one_line=True)
            if "does not appear to be a git repository" in error.stderr or "not found" in error.stderr:
                raise StoreRefused(
                    f"there is no shared store at {self._address.url}: {told}",
                    hint="git init --bare makes one where it shall be",
                ) from error
            if _UNREACHABLE.search(error.stderr):
                raise Unreachable(
                    f"the shared store cannot be reached: {told}", hint="is UNLOST_STORE right?"
                ) from error
            raise StoreRefused(f"the shared store refuses: {told}") from error


def local_saves(layout: Layout) -> tuple[tuple[int, str], ...]:
    """(sequence, snapshot) of every snapshot that this machine has put into a shared store or got from one."""
    named = (named_by(name) for name in list_refs(layout.store, prefix_of(layout.workspace)))
    return tuple(sorted(each for each in named if each is not None))


def store(url: str, layout: Layout) -> GitStore:
    """The shared store at a git URL. Raises UsageError for a text that is none."""
    return GitStore(read_address(url), layout)
