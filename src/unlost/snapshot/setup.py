"""Make a workspace's stores and bring in what HEAD holds, verified."""

from __future__ import annotations

import os
from typing import Final

from unlost.git.call import Git, GitFailed
from unlost.git.formats import ObjectFormat
from unlost.git.objects import ObjectWriter
from unlost.git.refs import create_ref, delete_refs, read_ref
from unlost.git.repository import Repository
from unlost.git.version import require_version
from unlost.host.locks import FileLock
from unlost.host.reading import write_atomically
from unlost.snapshot.layout import Layout
from unlost.snapshot.records import commit_data
from unlost.snapshot.rules import Rules, apply_rules, write_git_home

_PLAIN_URL: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")
_NOTHING_COMMITTED: Final = "couldn't find remote ref"


def make_stores(
    layout: Layout,
    repository: Repository | None,
    format: ObjectFormat,  # noqa: A002  (git's own word)
    rules: Rules,
    lock: FileLock,
) -> None:
    """Make the stores and the git dir of the work tree; what is there already stays. Raises UnlostError, OSError."""
    require_version()
    for folder in (layout.store_folder, layout.git_dir, layout.home):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    if repository is not None:
        write_git_home(layout, repository)
    with FileLock(layout.store_lock):
        for folder in (layout.store, layout.judge):
            git = Git(folder, home=layout.home, inherit=(lock.descriptor,))
            git.run("init", "-q", "--bare", "--template=", f"--object-format={format.name}")
        apply_rules(layout, format, rules)
    write_atomically(os.path.join(layout.git_dir, "commondir"), os.fsencode(layout.store) + b"\n")


def fetch_head(layout: Layout, repository: Repository, git: Git) -> str | None:
    """Fetch what HEAD names at depth 1, every object checked, and return it; None while HEAD is unborn.

    `git` works on the store. The newest fetched commit keeps a ref, so that only what is new travels the next
    time. Raises GitFailed when the user's repository is damaged or lacks objects.
    """
    with FileLock(layout.store_lock):
        try:
            git.run(
                *("fetch", "-q", "--depth=1", "--no-tags", "--no-auto-gc", "--no-write-fetch-head"),
                *("--no-recurse-submodules", "--refmap=", file_url(repository.root), f"+HEAD:{layout.fetched()}"),
                config=("protocol.file.allow=always",),
                # Grafts could show another history than the objects hold.
                variables={"GIT_GRAFT_FILE": os.devnull},
            )
        except GitFailed as error:
            if _NOTHING_COMMITTED in error.stderr:
                return None
            raise
    return read_ref(layout.store, layout.fetched())


def place_baseline(layout: Layout, git: Git, writer: ObjectWriter, tree: str) -> str:
    """Make a tree the private baseline: pinned by a ref, and HEAD of the work tree's own git dir."""
    commit = writer.write(b"commit", commit_data(tree, b"baseline"))
    writer.finish()
    old = read_ref(layout.store, layout.baseline())
    if old != commit:
        if old is not None:
            delete_refs(git, {layout.baseline(): old})
        create_ref(layout.store, layout.baseline(), commit, durable=False)
    write_head(layout, commit)
    return commit


def write_head(layout: Layout, commit: str) -> None:
    """Set the detached HEAD of the work tree's own git dir."""
    write_atomically(os.path.join(layout.git_dir, "HEAD"), commit.encode() + b"\n")


def start_index(layout: Layout, work: Git, commit: str) -> None:
    """Begin a fresh private index from a commit; the next `status` compares every file's raw content with it."""
    for name in ("index", "index.lock"):
        path = os.path.join(layout.git_dir, name)
        if os.path.lexists(path):
            os.unlink(path)
    work.run("read-tree", commit)


def file_url(path: str) -> str:
    """A file URL; git decodes percent signs in it, so every unusual byte is encoded."""
    return "file://" + "".join(chr(b) if b in _PLAIN_URL else f"%{b:02X}" for b in os.fsencode(path))


def writer_for(layout: Layout, format: ObjectFormat, *, pack: bool, durable: bool) -> ObjectWriter:  # noqa: A002
    """A writer into the workspace's store."""
    return ObjectWriter(layout.store, format, pack=pack, durable=durable)
