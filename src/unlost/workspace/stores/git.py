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
from unlost.facts.records import replace
from unlost.git.call import Git, GitFailed
from unlost.git.formats import ObjectFormat, format_of
from unlost.git.holding import holds_object
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
from unlost.snapshot.stayed_home import note_stayed_home
from unlost.workspace.ports import Beside, Progress, Stored, Unreachable, nothing_beside
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

    def put(self, snapshot: Snapshot, *, private: bool, progress: Progress, beside: Beside = nothing_beside) -> Stored:
        """See `Store.put`."""
        progress("putting the snapshot together")
        known = {oid for _, oid in self._listed(f"{prefix_of(snapshot.workspace)}/*")}
        hidden = self._hidden(snapshot) if private else None
        known.add(snapshot.id)
        more = {each.id: each for each in beside(known) if each.id not in known}
        orders = [self._order(each, self._hidden(each) if private else None) for each in more.values()]
        # The private part may come later than the rest: then the saved commit is another one, for the same snapshot.
        orders.append(("+" if private else "") + self._order(snapshot, hidden))
        crash_point("store.written")
        progress("sending what the store does not have")
        try:
            self._call("push", "--porcelain", "--quiet", "--no-verify", "--atomic", "--", self._address.url, *orders)
        except StoreRefused:
            if not self.holds(snapshot.workspace, snapshot.id):
                raise
        crash_point("store.pushed")
        self._let_go(orders[-1].partition(":")[2])
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
        layout, prefix = self._layout, prefix_of(workspace)
        progress("receiving what is not here yet")
        with FileLock(layout.capture_lock), FileLock(layout.store_lock):
            arguments = ("fetch", "--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--refmap=")
            self._call(*arguments, "--no-recurse-submodules", "--", self._address.url, f"+{prefix}/*:{prefix}/*")
            crash_point("store.fetched")
            found = self._placed(snapshot)
            crash_point("store.placed")
        return found

    def _order(self, snapshot: Snapshot, hidden: str | None) -> str:
        """Put the parts of a snapshot together; what a push is told of it."""
        objects = ObjectReader(self._git)
        try:
            writer = ObjectWriter(self._layout.store, format_of(snapshot.id), pack=False, durable=True)
            saved, commit = write_saved(objects, writer, snapshot, hidden)
        finally:
            objects.close()
        self._pin(ref_of(saved), commit)
        return f"{commit}:{ref_of(saved)}"

    def _hidden(self, snapshot: Snapshot) -> str | None:
        """The commit of a snapshot's precious ignored files."""
        return read_ref(self._layout.store, f"{self._layout.privates()}/{snapshot.sequence}")

    def _placed(self, wanted: str) -> Snapshot:
        """Give what was fetched its refs in the local store, each once it proved to be what its name says.

        Raises StoreRefused when the wanted one is not among them, SnapshotUnreadable when it is not what it should be.
        """
        refs = list_refs(self._layout.store, prefix_of(self._layout.workspace))
        found: Snapshot | None = None
        objects = ObjectReader(self._git)
        try:
            for name, commit in sorted(refs.items()):
                named = named_by(name)
                try:
                    snapshot = self._place(objects, commit, name)
                except SnapshotUnreadable:
                    if named is not None and named[1] == wanted:
                        raise
                    continue
                found = snapshot if snapshot.id == wanted else found
        finally:
            objects.close()
        if found is None:
            raise StoreRefused(f"the shared store has no snapshot {wanted[:12]} of {self._layout.workspace}")
        self._let_go(next(name for name in refs if name.endswith(f"-{wanted}")))
        return found

    def _place(self, objects: ObjectReader, commit: str, name: str) -> Snapshot:
        """Prove one saved snapshot and give it its refs. Raises SnapshotUnreadable."""
        layout, saved = self._layout, read_saved(objects, commit)
        found = History(layout, objects).read(saved.snapshot)
        if ref_of(saved) != name or found.workspace != layout.workspace or saved.workspace != layout.workspace:
            raise SnapshotUnreadable("the shared store answers with another snapshot than its name says")
        if saved.head is not None and found.surroundings.head is not None:
            self._place_head(read_head(objects, saved.head), found.surroundings.head)
        if found.private is not None:
            here = [] if saved.private is None else [found.private]
            absent = [] if here or holds_object(layout.store, found.private) else [found.private]
            note_stayed_home(layout, absent=absent, arrived=here)
        number = self._number(saved)
        parts = {layout.bases(): saved.base, layout.privates(): saved.private, layout.snapshots(): saved.snapshot}
        for prefix, oid in parts.items():
            if oid is not None and read_ref(layout.store, f"{prefix}/{number}") is None:
                create_ref(layout.store, f"{prefix}/{number}", oid, durable=True)
        return replace(found, sequence=number)

    def _number(self, saved: Saved) -> int:
        """The number of a snapshot here: its own, or the next where this place gave that to another one meanwhile."""
        refs = list_refs(self._layout.store, self._layout.snapshots())
        numbers = {int(name.rpartition("/")[2]): oid for name, oid in refs.items()}
        here = [number for number, oid in numbers.items() if oid == saved.snapshot]
        if here:
            return here[0]
        return saved.sequence if saved.sequence not in numbers else max(numbers) + 1

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

    def _let_go(self, newest: str) -> None:
        """Keep one saved snapshot on this machine, which the next push builds on: the others have refs of their own."""
        here = list_refs(self._layout.store, prefix_of(self._layout.workspace))
        delete_refs(self._git, {name: oid for name, oid in here.items() if name != newest})

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
