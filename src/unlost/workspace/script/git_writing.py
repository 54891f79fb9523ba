"""A new root that the place's own git writes, three times as fast as Python does.

Git names every object by its content when it takes in the packs (`index-pack`), so that nothing but what was ordered
can be found; it writes the files with filters, line ends and hooks off, from a git dir of ours beside the new root.
What it does not do, for whatever cause, it is not asked for twice: `GitCannot`, and the place is sent packs without
deltas, out of which `content.py` makes the root, or says what is wrong with them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Final

from unlost.facts.paths import check_path
from unlost.facts.records import dataclass
from unlost.facts.trees import EXECUTABLE, LINK, NESTED, REGULAR
from unlost.host.crash import crash_point
from unlost.host.folders import Folder
from unlost.host.spawning import run_program
from unlost.host.writing import remove_tree, write_new_file
from unlost.workspace.script.git_dir import begin_git_dir, configuration, write_shallow
from unlost.workspace.script.orders import Order
from unlost.workspace.script.packs import BASE, WORK, checksum_of

GIT_PLACES: Final = ("/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git")
"""Where git may be; never PATH, which may be an agent's."""

SCRATCH: Final = b"git"
"""Git's own folder in the staging folder."""

_ATTRIBUTES: Final = b"* -text -eol -crlf -filter -ident -working-tree-encoding\n"
_SETTINGS: Final = (
    *("core.fileMode=true", "core.symlinks=true", "core.ignoreCase=false", "core.precomposeUnicode=false"),
    # What these would refuse `check_path` refuses, and nothing else.
    *("core.protectHFS=false", "core.protectNTFS=false"),
    *("core.autocrlf=false", "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false"),
    *("core.splitIndex=false", "index.sparse=false", "pack.writeReverseIndex=false"),
    *("core.bigFileThreshold=8m", "core.deltaBaseCacheLimit=16m", "pack.threads=2"),
    # Everything is made durable at once, before the root has its name.
    "core.fsync=none",
)
_NESTED: Final = f"{NESTED} ".encode("ascii")
_MODES: Final = tuple(f"\0{mode} ".encode("ascii") for mode in (REGULAR, EXECUTABLE, LINK, NESTED))
_LONGEST_COMMIT: Final = 1 << 24


class GitCannot(Exception):
    """The place's git does not write this root; nothing of it stays."""


def git_here() -> str | None:
    """The place's git; None when it has none at a usual place."""
    return next((path for path in GIT_PLACES if os.access(path, os.X_OK)), None)


def write_by_git(order: Order, staging: Folder, root: Folder) -> Mapping[str, int]:
    """Write the files and `.git` of a new root; the counts of what was written.

    Raises GitCannot, PackDamaged for a torn pack, ValueError for a path no root may have, OSError.
    """
    program = git_here()
    if program is None or len(order.trees) != 1:
        raise GitCannot("there is no git, or more than one tree")
    # Whatever the staging folder is called by now: git starts in the folder that is open.
    os.fchdir(staging.descriptor)
    git = _PlaceGit(program, staging)
    base = _take_in_base(order, git, staging, root)
    _take_in_work(order, git, staging)
    crash_point("restore_root.packs_proven")
    counts = _write_files(order, git, root)
    crash_point("restore_root.files_written")
    if base is not None:
        _settle_index(order, git, staging, root, same_tree=base == order.trees[0])
    crash_point("restore_root.repository_made")
    remove_tree(staging, SCRATCH)
    return counts


@dataclass(frozen=True)
class _PlaceGit:
    """Calls git in the staging folder."""

    program: str
    staging: Folder

    def run(self, git_dir: str, *arguments: str) -> None:
        """Run a command that says nothing. Raises GitCannot."""
        if self._call(git_dir, arguments, None) != 0:
            raise GitCannot(arguments[0])

    def told(self, git_dir: str, *arguments: str) -> bytes:
        """What a command says. Raises GitCannot."""
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        output = os.open(b"told", flags, 0o600, dir_fd=self.staging.descriptor)
        try:
            if self._call(git_dir, arguments, output) != 0:
                raise GitCannot(arguments[0])
            return os.pread(output, os.fstat(output).st_size, 0)
        finally:
            os.close(output)

    def _call(self, git_dir: str, arguments: tuple[str, ...], output: int | None) -> int:
        settings = tuple(part for setting in _SETTINGS for part in ("-c", setting))
        argv = (self.program, "--no-pager", *settings, *arguments)
        return run_program(argv, env=_environment(git_dir), lock=self.staging.descriptor, output=output)


def _environment(git_dir: str) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/",
        "LC_ALL": "C",
        "GIT_DIR": git_dir,
        "GIT_WORK_TREE": "tree",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
    }


def _take_in_base(order: Order, git: _PlaceGit, staging: Folder, root: Folder) -> str | None:
    """Make `.git` with the pack of HEAD's commit, each object proved; the commit's tree, None without a commit."""
    with begin_git_dir(root, order.object_format, head=order.head, branch=order.branch) as own:
        if order.head is None:
            return None
        with own.below(b"objects/pack") as packs:
            name = f"pack-{checksum_of(staging, BASE, order.object_format)}.pack"
            os.rename(f"{BASE}.pack", name, src_dir_fd=staging.descriptor, dst_dir_fd=packs.descriptor)
            os.chmod(name, 0o444, dir_fd=packs.descriptor)
        git.run("tree/.git", "index-pack", f"tree/.git/objects/pack/{name}")
        commit = git.told("tree/.git", "cat-file", "commit", order.head)
        write_shallow(own, order.head, commit[:_LONGEST_COMMIT])
    return commit.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii", "replace")


def _take_in_work(order: Order, git: _PlaceGit, staging: Folder) -> None:
    """Make the git dir that files are written from: the other pack, and the new root's objects beside it."""
    with staging.inner(SCRATCH, create=True) as own:
        for path in (b"objects/info", b"objects/pack", b"refs", b"info"):
            own.below(path, create=True).close()
        write_new_file(own, b"config", configuration(order.object_format), mode=0o600)
        write_new_file(own, b"HEAD", b"ref: refs/heads/none\n", mode=0o600)
        with own.inner(b"info") as rules:
            write_new_file(rules, b"attributes", _ATTRIBUTES, mode=0o600)
        with own.below(b"objects/info") as beside:
            write_new_file(beside, b"alternates", b"../../tree/.git/objects\n", mode=0o600)
        with own.below(b"objects/pack") as packs:
            name = f"pack-{checksum_of(staging, WORK, order.object_format)}.pack"
            os.rename(f"{WORK}.pack", name, src_dir_fd=staging.descriptor, dst_dir_fd=packs.descriptor)
            descriptor = packs.open_file(name.encode("ascii"))
            try:
                is_empty = os.pread(descriptor, 4, 8) == b"\0\0\0\0"
            finally:
                os.close(descriptor)
    if not is_empty:
        git.run("git", "index-pack", f"git/objects/pack/{name}")


def _write_files(order: Order, git: _PlaceGit, root: Folder) -> Mapping[str, int]:
    """Write every file of the tree. Its paths are looked at first."""
    git.run("git", "read-tree", order.trees[0])
    listed = git.told("git", "ls-files", "--stage", "-z")
    entries = listed.split(b"\0")[:-1]
    if sum((b"\0" + listed).count(mode) for mode in _MODES) != len(entries):
        raise GitCannot("an entry has another mode")
    for path in _suspects(entries):
        check_path(path)
    git.run("git", "checkout-index", "--all", "--index", "--quiet")
    nested = [_path(entry) for entry in entries if entry.startswith(_NESTED)]
    for path in nested:
        # Git makes an empty folder where a repository was; what stood there was captured on its own.
        with root.holding(path)[0] as holder:
            os.rmdir(path.rpartition(b"/")[2], dir_fd=holder.descriptor)
    count = len(entries) - len(nested)
    return {"files": count, "linked": 0, "written": count, "nested": len(nested)}


def _suspects(entries: list[bytes]) -> Iterator[bytes]:
    """The paths of which a name could be a reserved one in some disguise (`facts.paths.is_reserved`)."""
    for entry in entries:
        # It begins with a dot, or is git~1, or is made to look so by characters that a file system drops.
        if b"/." in entry or b"\t." in entry or b"~" in entry or not entry.isascii():
            yield _path(entry)


def _path(entry: bytes) -> bytes:
    return entry.partition(b"\t")[2]


def _settle_index(order: Order, git: _PlaceGit, staging: Folder, root: Folder, *, same_tree: bool) -> None:
    """Give the new root the index as the commit has it; what the written files look like on disk stays in it."""
    with staging.inner(SCRATCH) as source, root.inner(b".git") as target:
        os.rename(b"index", b"index", src_dir_fd=source.descriptor, dst_dir_fd=target.descriptor)
    if not same_tree:
        head = order.head or ""
        git.run("tree/.git", "read-tree", "-m", "-i", head)
        # Contents that the commit has and the tree does not: no file proved that they are there.
        git.run("tree/.git", "rev-list", "--quiet", "--objects", head)
