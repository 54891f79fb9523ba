"""A real repository and the archive of it, and what must hold of any capture: an independent picture of the tree.

Also a program, `python -m kit.captures ROOT HOME WORKSPACE KIND LABEL`: one capture, which a test can kill.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kit.repository import Repository

from unlost.facts.paths import NEVER, REBUILDABLE
from unlost.facts.trees import EXECUTABLE, LINK, NESTED, REGULAR, Change, Entry
from unlost.facts.words import SnapshotKind
from unlost.host.clock import SystemClock
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Limits, Snapshot

Picture = Mapping[bytes, Entry]


@dataclass
class Captures:
    """A repository with an archive in a folder beside it; every capture opens everything anew, as a command does."""

    repository: Repository
    home: Path
    limits: Limits = field(default_factory=Limits)
    told: list[str] = field(default_factory=list)
    workspace: str = "w-1"

    @classmethod
    def of(cls, repository: Repository, limits: Limits | None = None, home: str = "state") -> Captures:
        """The archive of a repository, in a folder beside it."""
        folder = repository.root.parent / f"{repository.root.name}-{home}"
        return cls(repository=repository, home=folder, limits=limits or Limits())

    def archive(self) -> Archive:
        """The archive, freshly opened."""
        return Archive(
            store_folder=str(self.home / "stores" / "s"),
            workspace_folder=str(self.home / "workspaces" / self.workspace),
            workspace=self.workspace,
            root=os.path.realpath(self.repository.root),
            clock=SystemClock(),
            limits=self.limits,
            progress=self.told.append,
        )

    def capture(self, kind: SnapshotKind = "autosave", label: str = "") -> Snapshot:
        """Take a snapshot."""
        with self.archive() as archive:
            return archive.capture(kind=kind, label=label)

    def start(self, kind: str = "autosave", label: str = "", **variables: str) -> subprocess.Popen[bytes]:
        """Start a capture as a process of its own, the leader of a group; variables go over the environment."""
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "kit.captures",
                str(self.repository.root),
                str(self.home),
                self.workspace,
                kind,
                label,
            ],
            cwd=Path(__file__).parent.parent,
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def changes(self, snapshot: Snapshot) -> dict[bytes, Change]:
        """What a person or agent changed, by path."""
        with self.archive() as archive:
            return {change.path: change for change in archive.changes(snapshot.base, snapshot.tree)}

    def files(self, tree: str | None) -> dict[bytes, Entry]:
        """Every path of a tree, as git itself lists it."""
        if tree is None:
            return {}
        listed = self.store_git("ls-tree", "-r", "-z", "--full-tree", tree)
        rows = (row.partition(b"\t") for row in listed.split(b"\0")[:-1])
        return {path: Entry(head.split()[0].decode(), head.split()[2].decode()) for head, _, path in rows}

    def contents(self, snapshot: Snapshot) -> dict[bytes, bytes]:
        """Every captured file with its content."""
        with self.archive() as archive:
            return {
                path: archive.content(entry.oid) for path, entry in archive.walk(snapshot.tree) if entry.mode != NESTED
            }

    def store_git(self, *arguments: str) -> bytes:
        """Run git on the store."""
        store = self.home / "stores" / "s" / "store.git"
        return subprocess.run(["git", "-C", str(store), *arguments], check=True, capture_output=True).stdout

    def prove(self, snapshot: Snapshot) -> None:
        """Compare a snapshot with the tree on disk, its count with its paths, and the store with itself."""
        main, private, nested = expected(self.repository, self.baseline_names())
        files = self.files(snapshot.tree)
        links = {path for path, entry in files.items() if entry.mode == NESTED}
        differs = {
            "captured": differences({path: entry for path, entry in files.items() if path not in links}, main),
            "private": differences(self.files(snapshot.private), private),
            "nested": links ^ nested,
            "count": snapshot.files - len(files),
        }
        assert not any(differs.values()), differs

    def baseline_names(self) -> set[bytes]:
        """Paths of the private baseline: an ignore rule does not hide them."""
        return set(self.files(self.store_git("rev-parse", f"refs/baseline/{self.workspace}^{{tree}}").decode().strip()))


def expected(repository: Repository, known: set[bytes]) -> tuple[Picture, Picture, set[bytes]]:
    """(captured files, precious ignored files, nested repositories) by a walk of our own and `git check-ignore`."""
    found, nested = picture(repository.root)
    forced = set(_git(repository, "ls-files", "-z").split(b"\0"))
    asked = [path for path in found if path not in known and path not in forced]
    # `./` keeps git from reading `:(glob)*` as more than a name.
    question = b"".join(b"./" + path + b"\0" for path in asked)
    answer = _git(repository, "check-ignore", "--no-index", "-z", "--stdin", data=question) if asked else b""
    ignored = {path.removeprefix(b"./") for path in answer.split(b"\0") if path}
    main = {path: entry for path, entry in found.items() if path not in ignored}
    private = {path: found[path] for path in ignored if not set(path.split(b"/")[:-1]) & REBUILDABLE}
    return main, private, nested


def differences(have: Picture, want: Picture) -> dict[bytes, tuple[Entry | None, Entry | None]]:
    """Paths on which two pictures disagree, with what each says."""
    paths = (path for path in have.keys() | want.keys() if have.get(path) != want.get(path))
    return {path: (have.get(path), want.get(path)) for path in sorted(paths)}


def picture(root: Path) -> tuple[dict[bytes, Entry], set[bytes]]:
    """({path: entry}, nested repositories) of a raw walk."""
    found: dict[bytes, Entry] = {}
    nested: set[bytes] = set()
    top = os.fsencode(root)
    for folder, folders, names in os.walk(top):
        relative = folder[len(top) + 1 :]
        if relative and b".git" in (*folders, *names):
            nested.add(relative)
            folders[:] = []
            continue
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = [name for name in folders if name not in NEVER and name not in links]
        for name in (name for name in (*names, *links) if name not in NEVER):
            entry = _entry(os.path.join(folder, name))
            if entry is not None:
                found[relative + b"/" + name if relative else name] = entry
    return found, nested


def blob(data: bytes) -> str:
    """The id of a content in a repository of SHA-1."""
    return hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()


def _entry(path: bytes) -> Entry | None:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return Entry(LINK, blob(os.readlink(path)))
    if not stat.S_ISREG(status.st_mode):
        return None
    with open(path, "rb") as file:
        return Entry(EXECUTABLE if status.st_mode & 0o100 else REGULAR, blob(file.read()))


def _git(repository: Repository, *arguments: str, data: bytes = b"") -> bytes:
    done = subprocess.run(["git", *arguments], cwd=repository.root, input=data, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def main(root: str, home: str, workspace: str, kind: str, label: str) -> None:
    """One capture."""
    captures = Captures(repository=Repository(root=Path(root)), home=Path(home), workspace=workspace)
    captures.capture("boundary" if kind == "boundary" else "autosave", label)


if __name__ == "__main__":
    main(*sys.argv[1:])
