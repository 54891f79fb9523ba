"""HEAD of a partial clone: brought in as far as its contents are here, for nothing is asked of the promising remote.

`git fetch` refuses a tree whose files are missing. So what is here is packed from the user's objects, checked as a
fetch would, and the base is HEAD's tree without the files that are nowhere: a sparse checkout has none of them on the
disk either, and what is in neither is no change.
"""

from __future__ import annotations

import glob
import os
from typing import Final

from unlost.facts.records import dataclass
from unlost.git.alternates import alternate_line
from unlost.git.configuration import read_settings
from unlost.git.refs import move_ref, read_ref
from unlost.git.repository import Repository, head_of
from unlost.git.trees import grow, walk
from unlost.host.ids import new_nonce
from unlost.host.locks import FileLock
from unlost.snapshot.records import commit_data
from unlost.snapshot.session import Session
from unlost.snapshot.setup import writer_for

_BORROWED: Final = "GIT_ALTERNATE_OBJECT_DIRECTORIES"


def is_partial(repository: Repository) -> bool:
    """Whether a remote promised the objects that a repository lacks."""
    settings = read_settings(os.path.join(repository.common_dir, "config"))
    return "extensions.partialclone" in settings or any(
        key.startswith("remote.") and key.endswith(".promisor") for key in settings
    )


@dataclass(frozen=True, kw_only=True)
class Brought:
    """HEAD as it was brought into the store; `lacking`: files of it are not here, and so not in the tree."""

    head: str | None
    tree: str
    lacking: bool = False


def fetch_present(session: Session, repository: Repository, *, known: str | None) -> Brought:
    """HEAD with its tree without the files that are missing. Raises GitFailed, OSError.

    What `known`, a tree of the store, holds is not brought in again. The tree keeps a ref in the place of the commit,
    which cannot be whole here.
    """
    head, layout, store = head_of(repository).oid, session.layout, session.store
    if head is None:
        return Brought(head=None, tree=session.format.empty_tree)
    borrowed = {_BORROWED: os.fsdecode(alternate_line(repository.common_dir)).rstrip("\n")}
    tree = store.run("rev-parse", f"{head}^{{tree}}", variables=borrowed).decode().strip()
    wanted = f"{tree}\n" if known in (None, session.format.empty_tree) else f"{tree}\n^{known}\n"
    prefix = os.path.join(layout.home, f"tmp_partial_{new_nonce()}")
    with FileLock(layout.store_lock):
        try:
            store.run(
                "pack-objects",
                "--revs",
                "--missing=allow-any",
                "-q",
                prefix,
                stdin=wanted.encode(),
                variables=borrowed,
            )
            for pack in glob.glob(f"{glob.escape(prefix)}-*.pack"):
                store.run("index-pack", "--stdin", "--fsck-objects", stdin=pack)
        finally:
            for left in glob.glob(f"{glob.escape(prefix)}-*"):
                os.unlink(left)
    present, lacking = _without_missing(session, tree)
    return Brought(head=head, tree=present, lacking=lacking)


def _without_missing(session: Session, tree: str) -> tuple[str, bool]:
    listed = session.store.run("rev-list", "--objects", "--missing=print", tree).splitlines()
    missing = {line[1:].decode("ascii") for line in listed if line.startswith(b"?")}
    session.trees.fill(session.store, tree)
    gone = {path: None for path, entry in walk(session.trees, tree) if entry.oid in missing}
    writer = writer_for(session.layout, session.format, pack=len(gone) > 0, durable=False)
    try:

        def keep(data: bytes) -> str:
            oid = writer.write_tree(data)
            session.trees.keep(oid, data)
            return oid

        present = grow(session.trees, keep, tree, gone) if gone else tree
        commit = writer.write(b"commit", commit_data(present, b"what is here of HEAD"))
        writer.finish()
    finally:
        writer.abandon()
    name = session.layout.fetched()
    before = read_ref(session.layout.store, name)
    if before != commit:
        move_ref(session.store, name, commit, expected=before)
    return present, bool(gone)
