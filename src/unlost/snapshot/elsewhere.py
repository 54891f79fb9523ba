"""A whole snapshot in a folder of its own, with a repository of its own: restore elsewhere.

The folder is made beside its place and published by one rename, so it is there whole or not at all. Its `.git` is
new: the commit the snapshot stood on (depth 1), the branch's name, the index as that commit has it. No remote, hook
or setting of the origin comes along.
"""

from __future__ import annotations

import errno
import json
import os
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass
from unlost.facts.trees import NESTED
from unlost.git.call import Git, GitFailed
from unlost.host.crash import crash_point
from unlost.host.folders import Folder
from unlost.host.ids import NewId, new_id
from unlost.host.reading import read_regular, write_atomically
from unlost.host.renaming import move, move_new
from unlost.host.writing import remove_tree
from unlost.snapshot.checkout import Trees, write_files
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.layout import Layout
from unlost.snapshot.setup import file_url
from unlost.snapshot.wanted import RestoreFailed

CRASH_POINTS: Final = ("elsewhere.begun", "elsewhere.written", "elsewhere.repository", "elsewhere.published")
"""Where a test may kill a restore elsewhere."""

_ROOT: Final = b"root"
_PREFIX: Final = "elsewhere-"
_LARGEST: Final = 1 << 20
_SUBSTITUTE: Final = "What this work tree stood on, as unlost kept it. The commit itself was not in the store:"


@dataclass(frozen=True, kw_only=True)
class RestoredElsewhere:
    """What the new root holds: files, and its HEAD (None: nothing committed yet; branch None: detached).

    `substitute`: the commit was no longer in the store, and one of the same content stands in its place.
    """

    files: int
    head: str | None
    branch: str | None
    substitute: bool


def restore_elsewhere(
    trees: Trees, snapshot: Snapshot, *, to: str, layout: Layout, journals: str, new_id: NewId = new_id
) -> RestoredElsewhere:
    """Make a root of a snapshot, its precious ignored files included; `to` must not exist, or be an empty folder.

    The folder above `to` must exist, and the caller holds the capture lock of the snapshot's workspace. Raises
    RestoreFailed, and then nothing is at `to` that was not there before.
    """
    parent, name = os.path.split(os.path.abspath(to))
    stage = f".{name}.unlost-{new_id('r')}"
    _record(journals, stage, parent)
    try:
        with Folder.open(parent) as holder:
            _refuse_occupied(holder, os.fsencode(name), to)
            made = _make(trees, snapshot, layout, os.path.join(parent, stage))
            _publish(holder, os.fsencode(stage), os.fsencode(name), to)
    except (OSError, ValueError, UnlostError) as error:
        _sweep(journals, stage, parent)
        if isinstance(error, UnlostError):
            raise
        raise RestoreFailed(f"{to} cannot be made: {_words(error)}; nothing was changed") from error
    _sweep(journals, stage, parent)
    return made


def sweep_elsewhere(journals: str) -> int:
    """Remove what killed restores elsewhere left beside their targets; how many there were."""
    try:
        names = [name for name in os.listdir(journals) if name.startswith(_PREFIX)]
    except FileNotFoundError:
        return 0
    for name in names:
        data = read_regular(os.path.join(journals, name), _LARGEST)
        if data is not None:
            facts = json.loads(data)
            _sweep(journals, *(os.fsdecode(path_from_json(facts[key])) for key in ("stage", "parent")))
    return len(names)


def _make(trees: Trees, snapshot: Snapshot, layout: Layout, stage: str) -> RestoredElsewhere:
    os.mkdir(stage, 0o700)
    crash_point("elsewhere.begun")
    entries = dict(trees.walk(snapshot.tree))
    if snapshot.private is not None:
        entries.update(trees.walk(snapshot.private))
    entries = {path: entry for path, entry in entries.items() if entry.mode != NESTED}
    with Folder.open(stage) as folder, folder.inner(_ROOT, create=True) as root:
        write_files(root, entries, trees)
    crash_point("elsewhere.written")
    head, substitute = _make_repository(snapshot, layout, os.path.join(stage, os.fsdecode(_ROOT)))
    os.sync()
    crash_point("elsewhere.repository")
    branch = snapshot.surroundings.branch
    return RestoredElsewhere(files=len(entries), head=head, branch=branch, substitute=substitute)


def _make_repository(snapshot: Snapshot, layout: Layout, root: str) -> tuple[str | None, bool]:
    """(HEAD, whether it is a substitute)."""
    git = Git(os.path.join(root, ".git"), home=layout.home, work_tree=root)
    format_name = "sha1" if len(snapshot.id) == 40 else "sha256"
    git.run("init", "-q", "--template=", f"--object-format={format_name}")
    head = snapshot.surroundings.head
    substitute = head is not None and not _fetch(git, layout, head)
    if substitute:
        head = _commit_base(git, snapshot, layout)
    branch = snapshot.surroundings.branch
    if head is not None:
        git.run("update-ref", "--no-deref", branch or "HEAD", head)
        git.run("read-tree", head)
    if branch is not None:
        git.run("symbolic-ref", "HEAD", branch)
    return head, substitute


def _fetch(git: Git, layout: Layout, commit: str) -> bool:
    """Bring in one commit with all it holds; False when the store has it no more."""
    try:
        git.run(
            *("fetch", "-q", "--depth=1", "--no-tags", "--no-auto-gc", "--no-write-fetch-head"),
            *("--no-recurse-submodules", file_url(layout.store), commit),
            config=("protocol.file.allow=always",),
        )
    except GitFailed as error:
        if error.disk_is_full:
            raise
        return False
    return True


def _commit_base(git: Git, snapshot: Snapshot, layout: Layout) -> str:
    """A commit without parents of the snapshot's base. Raises GitFailed."""
    ref = f"{layout.bases()}/{snapshot.sequence}"
    if not _fetch(git, layout, ref):
        raise RestoreFailed("the store does not hold what the snapshot stood on; nothing was changed")
    message = f"{_SUBSTITUTE}\n{snapshot.surroundings.head}\n"
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "unlost"), ("EMAIL", "unlost@localhost"), ("DATE", f"{int(snapshot.at)} +0000"))
    }
    return git.run("commit-tree", snapshot.base, stdin=message.encode(), variables=who).decode("ascii").strip()


def _refuse_occupied(holder: Folder, name: bytes, to: str) -> None:
    if holder.status(name) is None:
        return
    with holder.inner(name) as there:
        if there.names():
            raise RestoreFailed(f"{to} is not empty; nothing was changed", hint="name a folder that does not exist yet")


def _publish(holder: Folder, stage: bytes, name: bytes, to: str) -> None:
    with holder.inner(stage) as folder:
        try:
            if holder.status(name) is None:
                move_new(folder, _ROOT, holder, name)
            else:
                move(folder, _ROOT, holder, name)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise RestoreFailed(f"{to} was filled meanwhile; nothing was changed") from error
            raise
    holder.sync()
    crash_point("elsewhere.published")


def _record(journals: str, stage: str, parent: str) -> None:
    """Write down what will be made, so that a killed process's leavings are known by name."""
    facts = {"stage": path_json(os.fsencode(stage)), "parent": path_json(os.fsencode(parent))}
    write_atomically(_record_file(journals, stage), canonical_json(facts), durable=True)


def _sweep(journals: str, stage: str, parent: str) -> None:
    try:
        with Folder.open(parent) as holder:
            remove_tree(holder, os.fsencode(stage))
    except FileNotFoundError:
        pass
    os.unlink(_record_file(journals, stage))


def _record_file(journals: str, stage: str) -> str:
    return os.path.join(journals, f"{_PREFIX}{stage.rpartition('unlost-')[2]}.json")


def _words(error: OSError | ValueError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
