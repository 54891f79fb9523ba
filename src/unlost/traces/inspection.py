"""Look into the user's repository without git ever opening it.

A throw-away git dir of ours names the user's objects as alternates, which git only reads; HEAD, refs, stash, reflogs
and index are copied in as data. Nothing the repository configures (hooks, filters, fsmonitor, grafts, replace refs) is
in there, so nothing of it runs or misleads. Never used by a capture, whose store borrows no objects.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from unlost.git.alternates import alternate_line
from unlost.git.call import Git
from unlost.git.reader import ObjectReader
from unlost.git.refs import is_oid, list_refs, packed_refs
from unlost.git.repository import Repository, head_of
from unlost.host.folders import Folder
from unlost.host.ids import new_nonce
from unlost.host.reading import read_regular
from unlost.host.writing import remove_tree
from unlost.traces.facts import ReflogEntry
from unlost.traces.reflogs import parse_reflog

_LIMIT: Final = 64 << 20
_SECTIONS: Final = ("refs/heads", "refs/remotes", "refs/tags", "refs/notes", "refs/original")
_CONFIGURATION: Final = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
\thooksPath = /dev/null
\tfsmonitor = false
\tcommitGraph = false
\tmultiPackIndex = true
[gc]
\tauto = 0
[protocol]
\tallow = never
{extensions}"""


class Inspection:
    """One look into a repository; a context manager that removes its git dir at the end.

    `scratch` is a folder of ours for it. `refs` are the user's branches, remote branches, tags, notes and rewritten
    originals by full name; `head` is HEAD's commit; `reflog_oids` what any reflog names; all as they were when the
    look began.
    """

    def __init__(self, repository: Repository, *, scratch: str) -> None:
        self.repository = repository
        self.folder = os.path.join(scratch, f"look-{new_nonce()}")
        self.head = head_of(repository).oid
        self.branch = head_of(repository).branch
        self.refs = _copied_refs(repository)
        self.git = Git(self.folder, home=os.path.join(self.folder, "home"))
        self.objects = ObjectReader(self.git)
        self._reflogs: tuple[ReflogEntry, ...] | None = None

    def __enter__(self) -> Self:
        os.makedirs(os.path.join(self.folder, "home"), mode=0o700)
        for inner in ("objects/info", "objects/pack", "refs/heads", "info"):
            os.makedirs(os.path.join(self.folder, inner), mode=0o700)
        sha256 = self.repository.object_format.name == "sha256"
        extensions = "[extensions]\n\tobjectFormat = sha256\n" if sha256 else ""
        self._write("config", _CONFIGURATION.format(version=int(sha256), extensions=extensions).encode())
        self._write("HEAD", f"{self.head or 'ref: refs/heads/unborn'}\n".encode())
        self._write("objects/info/alternates", alternate_line(self.repository.common_dir))
        # A ref that names a lost object would stop git: every use passes its own tips, checked or ignored if missing.
        shallow = read_regular(os.path.join(self.repository.common_dir, "shallow"), _LIMIT)
        if shallow:
            self._write("shallow", shallow)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.objects.close()
        scratch, name = os.path.split(self.folder)
        with contextlib.suppress(OSError), Folder.open(scratch) as folder:
            remove_tree(folder, os.fsencode(name))

    @property
    def live_tips(self) -> dict[str, str]:
        """HEAD, local and remote-tracking branches, and the HEADs of linked work trees: name to commit."""
        found = {name: oid for name, oid in self.refs.items() if name.startswith(("refs/heads/", "refs/remotes/"))}
        if self.head:
            found["HEAD"] = self.head
        for name, git_dir in self.linked_git_dirs():
            text = (read_regular(os.path.join(git_dir, "HEAD"), 4096) or b"").decode("ascii", "replace").strip()
            if is_oid(text):
                found[f"worktrees/{name}/HEAD"] = text
        return found

    def linked_git_dirs(self) -> list[tuple[str, str]]:
        """(name, git dir) of every linked work tree."""
        parent = os.path.join(self.repository.common_dir, "worktrees")
        try:
            names = sorted(os.listdir(parent))
        except OSError:
            return []
        return [(name, os.path.join(parent, name)) for name in names]

    def reflogs(self) -> tuple[ReflogEntry, ...]:
        """Every entry of every reflog, linked work trees' HEADs included, the newest first."""
        if self._reflogs is None:
            entries = [entry for ref, path in self._log_files() for entry in _read_log(ref, path)]
            self._reflogs = tuple(sorted(entries, key=lambda entry: -entry.at))
        return self._reflogs

    def reflog(self, ref: str) -> tuple[ReflogEntry, ...]:
        """The entries of one reflog, the newest first in the order of the file, whatever their times say."""
        return next((_read_log(name, path) for name, path in self._log_files() if name == ref), ())

    def reflog_oids(self) -> frozenset[str]:
        """Every id that a reflog names, but those of the stash, which are stash entries."""
        return frozenset(
            oid
            for entry in self.reflogs()
            if entry.ref != "refs/stash"
            for oid in (entry.before, entry.after)
            if oid is not None
        )

    def place_roots(self, oids: Sequence[str]) -> None:
        """Make these existing objects the refs of the throw-away git dir, for commands that walk from all refs."""
        rows = [f"{oid} refs/roots/{number}\n" for number, oid in enumerate(oids)]
        self._write(
            "packed-refs", "".join(["# pack-refs with: sorted \n", *sorted(rows, key=lambda row: row[41:])]).encode()
        )

    def index_copy(self) -> str | None:
        """The path of a copy of the user's index for git to read; None when there is none. Its stat data is unused."""
        data = read_regular(os.path.join(self.repository.git_dir, "index"), 1 << 30)
        if not data:
            return None
        for name in os.listdir(self.repository.git_dir):
            if name.startswith("sharedindex."):
                shared = read_regular(os.path.join(self.repository.git_dir, name), 1 << 30)
                self._write(name, shared or b"")
        self._write("copied-index", data)
        return os.path.join(self.folder, "copied-index")

    def _log_files(self) -> list[tuple[str, str]]:
        common = os.path.join(self.repository.common_dir, "logs")
        found = [("HEAD", os.path.join(self.repository.git_dir, "logs", "HEAD"))]
        found += [
            (f"worktrees/{name}/HEAD", os.path.join(folder, "logs", "HEAD")) for name, folder in self.linked_git_dirs()
        ]
        if self.repository.git_dir != self.repository.common_dir:
            found.append(("main-worktree/HEAD", os.path.join(common, "HEAD")))
        for top, _, names in os.walk(os.path.join(common, "refs")):
            found += [(os.path.relpath(os.path.join(top, name), common), os.path.join(top, name)) for name in names]
        return found

    def _write(self, name: str, data: bytes) -> None:
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)


def _read_log(ref: str, path: str) -> tuple[ReflogEntry, ...]:
    try:
        return parse_reflog(ref, read_regular(path, _LIMIT) or b"")
    except OSError:
        return ()


def _copied_refs(repository: Repository) -> dict[str, str]:
    """The user's refs by full name; those that hold no commit of their own (`refs/stash`) stand in the reflog."""
    found = {name: oid for name, oid in packed_refs(repository.common_dir).items() if name.startswith(_SECTIONS)}
    for section in _SECTIONS:
        found.update(list_refs(repository.common_dir, section))
    return found
