"""A store of blobs in a folder, and pictures of real trees: what restores need of an archive.

Also a program: `python restoring.py FOLDER` carries out the restore that is described there, so that a test can
kill it at a crash point.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import path_from_json, path_json
from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.git.formats import SHA1, ObjectFormat
from unlost.snapshot.restore import restore
from unlost.snapshot.wanted import Placed, Wanted

Picture = Mapping[bytes, Entry]


@dataclass(frozen=True)
class BlobFolder:
    """Contents by object id, one file each; the `Contents` of restores in tests."""

    folder: Path
    naming: ObjectFormat = SHA1

    def add(self, data: bytes) -> str:
        """Keep a content; returns its object id."""
        oid = self.naming.name_of(b"blob", data)
        (self.folder / oid).write_bytes(data)
        return oid

    def entry(self, data: bytes, mode: str = REGULAR) -> Entry:
        """Keep a content and say what a tree would say of it."""
        return Entry(mode, self.add(data))

    def content(self, oid: str) -> bytes:
        """The content, or the error of a missing object."""
        try:
            return (self.folder / oid).read_bytes()
        except FileNotFoundError:
            raise UnlostError(f"no object {oid}") from None


@dataclass(frozen=True)
class Workbench:
    """A root to restore into, a store, and a folder for journals, all in one temporary folder."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> Workbench:
        """The three empty folders."""
        for name in ("root", "blobs", "journals"):
            (folder / name).mkdir(parents=True)
        return cls(folder)

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def journals(self) -> Path:
        return self.folder / "journals"

    @property
    def store(self) -> BlobFolder:
        return BlobFolder(self.folder / "blobs")

    def write(self, path: str | bytes, data: bytes, *, mode: int = 0o644) -> Path:
        """Write a file of the tree, with its folders."""
        place = self.root / os.fsdecode(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(mode)
        return place

    def picture(self) -> dict[bytes, Entry]:
        """Every file and link of the tree, kept in the store: what a snapshot would hold."""
        found: dict[bytes, Entry] = {}
        root = os.fsencode(self.root)
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in (b".git", b".unlost")]
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            for name in (*names, *links):
                path = os.path.join(folder, name)
                found[os.path.relpath(path, root)] = self._entry(path)
        return found

    def _entry(self, path: bytes) -> Entry:
        if os.path.islink(path):
            return self.store.entry(os.readlink(path), LINK)
        if not os.path.isfile(path):
            return Entry("special", "")
        with open(path, "rb") as file:
            return self.store.entry(file.read(), EXECUTABLE if os.access(path, os.X_OK) else REGULAR)

    def restore(self, wanted: Mapping[bytes, Entry | None], *, kept: Picture | None = None) -> Placed:
        """Restore here and now; the present is kept first, unless a picture of it is given."""
        kept = self.picture() if kept is None else kept
        wishes = [Wanted(path=path, entry=entry) for path, entry in wanted.items()]
        return restore(self.store, wishes, root=str(self.root), journals=str(self.journals), kept=kept.get)

    def describe(self, wanted: Mapping[bytes, Entry | None]) -> None:
        """Write down a restore for this module run as a program."""
        facts = {
            "wanted": [[path_json(path), entry] for path, entry in wanted.items()],
            "kept": [[path_json(path), entry] for path, entry in self.picture().items()],
        }
        (self.folder / "restore.json").write_text(json.dumps(facts))

    def carry_out(self) -> Placed:
        """Do the restore that was written down."""
        facts = json.loads((self.folder / "restore.json").read_text())
        wanted = {path_from_json(path): entry and Entry(*entry) for path, entry in facts["wanted"]}
        kept = {path_from_json(path): Entry(*entry) for path, entry in facts["kept"]}
        return self.restore(wanted, kept=kept)


def changes_between(now: Picture, then: Picture) -> dict[bytes, Entry | None]:
    """What a rewind wants: each path that differs, as it was; None for those made since."""
    paths = sorted(now.keys() | then.keys())
    return {path: then.get(path) for path in paths if now.get(path) != then.get(path)}


if __name__ == "__main__":
    Workbench(Path(sys.argv[1])).carry_out()
