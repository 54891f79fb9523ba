"""The git dir that commits are made in and pushed from: ours, with the user's objects to be read as well.

New objects are written here alone, so it depends on nothing that the snapshot store lets go of. It holds no setting,
hook or remote of the user's repository. History is whole, where the user's is.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Final, Self

from unlost.git.alternates import alternate_line
from unlost.git.call import Git, GitFailed
from unlost.git.objects import ObjectWriter
from unlost.git.reader import ObjectMissing, ObjectReader
from unlost.git.refs import is_oid, read_ref
from unlost.git.repository import Repository
from unlost.host.reading import read_regular, write_atomically

FOLDER: Final = "publish.git"
_SHALLOW_LIMIT: Final = 64 << 20
_INNER: Final = ("home", "objects/info", "objects/pack", "refs/heads", "refs/unlost", "info")
_RAW: Final = b"* -text -eol -crlf -filter -ident -working-tree-encoding\n"
_CONFIGURATION: Final = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
\thooksPath = /dev/null
\tfsmonitor = false
\tattributesFile = /dev/null
\tcommitGraph = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[transfer]
\tfsckObjects = true
[push]
\tfollowTags = false
\trecurseSubmodules = no
{extensions}"""


class PublishStore:
    """The publishing git dir of one workspace; a context manager. Used by whoever drives the workspace.

    `git` works on it, `objects` reads what is here and in the user's repository, each object proved by its name.
    """

    def __init__(self, workspace_folder: str, repository: Repository) -> None:
        self.folder = os.path.join(workspace_folder, FOLDER)
        self.repository = repository
        self.git = Git(self.folder, home=os.path.join(self.folder, "home"))
        self.objects = ObjectReader(self.git)

    def __enter__(self) -> Self:
        for inner in _INNER:
            os.makedirs(os.path.join(self.folder, inner), mode=0o700, exist_ok=True)
        sha256 = self.repository.object_format.name == "sha256"
        extensions = "[extensions]\n\tobjectFormat = sha256\n" if sha256 else ""
        self._write("config", _CONFIGURATION.format(version=int(sha256), extensions=extensions).encode())
        self._write("HEAD", b"ref: refs/heads/none\n")
        self._write("info/attributes", _RAW)
        self._write("objects/info/alternates", alternate_line(self.repository.common_dir))
        shallow = read_regular(os.path.join(self.repository.common_dir, "shallow"), _SHALLOW_LIMIT)
        if shallow:
            self._write("shallow", shallow)
        elif os.path.exists(os.path.join(self.folder, "shallow")):
            os.unlink(os.path.join(self.folder, "shallow"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.objects.close()

    def writer(self) -> ObjectWriter:
        """Writes objects into it that survive a loss of power once `finish` has returned."""
        return ObjectWriter(self.folder, self.repository.object_format, pack=False, durable=True)

    def tree_of(self, commit: str) -> str:
        """The tree of a commit. Raises ObjectMissing."""
        return self._header(commit, b"tree")[0]

    def parents_of(self, commit: str) -> tuple[str, ...]:
        """The parents of a commit, in their order. Raises ObjectMissing."""
        return self._header(commit, b"parent")

    def message_of(self, commit: str) -> str:
        """The message of a commit. Raises ObjectMissing."""
        return self._commit(commit).partition(b"\n\n")[2].decode("utf-8", "replace")

    def raw(self, commit: str) -> bytes:
        """The content of a commit object. Raises ObjectMissing."""
        return self._commit(commit)

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` is `older` or comes after it; False for what is not here."""
        if older == newer:
            return True
        try:
            return not self.git.run("rev-list", "--max-count=1", older, f"^{newer}", "--").strip()
        except GitFailed:
            return False

    def keep(self, name: str, commit: str) -> None:
        """Pin a commit under `refs/unlost/NAME`, in place of what was pinned there."""
        place = os.path.join(self.folder, "refs", "unlost", name)
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        write_atomically(place, f"{commit}\n".encode("ascii"), durable=True)

    def kept(self, name: str) -> str | None:
        """What is pinned under `refs/unlost/NAME`."""
        return read_ref(self.folder, f"refs/unlost/{name}")

    def _header(self, commit: str, word: bytes) -> tuple[str, ...]:
        lines = self._commit(commit).partition(b"\n\n")[0].split(b"\n")
        found = tuple(line.split(b" ")[1].decode("ascii", "replace") for line in lines if line.startswith(word + b" "))
        if not all(is_oid(oid) for oid in found):
            raise ObjectMissing(f"the commit {commit[:12]} is damaged")
        return found

    def _commit(self, oid: str) -> bytes:
        found = self.objects.read(oid)
        if found.kind != "commit":
            raise ObjectMissing(f"the object {oid[:12]} is a {found.kind}, not a commit")
        return found.data

    def _write(self, name: str, data: bytes) -> None:
        """Only what differs: a file that a running git reads keeps its place."""
        place = os.path.join(self.folder, name)
        if read_regular(place, _SHALLOW_LIMIT) != data:
            write_atomically(place, data)
