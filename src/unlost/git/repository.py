"""The user's repository, found and read as data: no git process, nothing in it is opened for work."""

from __future__ import annotations

import os
import stat
from typing import Final

from unlost.facts.errors import NotARepository, UsageError
from unlost.facts.records import dataclass
from unlost.git.configuration import read_settings
from unlost.git.formats import ObjectFormat, object_format
from unlost.git.refs import is_oid, list_refs, packed_refs
from unlost.host.reading import read_regular

_SMALL: Final = 4096
_LOG_LIMIT: Final = 64 << 20
_REFS_KEPT: Final = ("refs/heads", "refs/remotes", "refs/tags")
_DEEPEST_SYMBOLIC: Final = 5
_OPERATIONS: Final = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A work tree: its root (real path), its git dir, and the git dir it shares with linked work trees."""

    root: str
    git_dir: str
    common_dir: str
    object_format: ObjectFormat


@dataclass(frozen=True, kw_only=True)
class Head:
    """Where a work tree stands: `oid` is None while unborn, `branch` (full ref) None while detached."""

    oid: str | None
    branch: str | None
    operation: str | None


def folders_within(repository: Repository) -> tuple[bytes, ...]:
    """Prefixes of the paths below which a repository keeps its state in its own work tree, `.git` itself left out.

    A `.git` that is a file or a link may lead to a folder of any name beside the work.
    """
    top = repository.root + os.sep
    return tuple(
        os.fsencode(os.path.relpath(real, repository.root)) + b"/"
        for folder in dict.fromkeys((repository.git_dir, repository.common_dir))
        if (real := os.path.realpath(folder)).startswith(top) and real != top + ".git"
    )


def discover(start: str) -> Repository:
    """The work tree that holds a folder, found as git does, upwards. Raises NotARepository with a hint."""
    folder = os.path.realpath(start)
    if not os.path.isdir(folder):
        raise NotARepository(
            "the folder does not exist", hint="unlost -C DIR …, or --workspace ID for a folder that is gone"
        )
    start = folder
    while True:
        named = os.path.join(folder, ".git")
        # A folder that only bears the name is passed by, as git passes it by.
        if os.path.lexists(named) and (locate_git_dir(folder) is not None or not os.path.isdir(named)):
            return open_repository(folder)
        if is_git_dir(folder):
            raise NotARepository(
                "this is a git dir, or a bare repository; there is no work tree to keep",
                hint="run unlost in a work tree (git worktree add, or git clone)",
            )
        parent = os.path.dirname(folder)
        if parent == folder:
            if os.path.isdir(os.path.join(start, ".git")):
                return open_repository(start)
            raise NotARepository("this is not inside a git work tree", hint="git init, then unlost mark")
        folder = parent


def open_repository(root: str) -> Repository:
    """The repository whose work tree is exactly `root`. Raises NotARepository, UsageError."""
    git_dir = locate_git_dir(root)
    if git_dir is None:
        raise NotARepository(
            "the .git here is not a git repository", hint="git init repairs what it can; git fsck tells more"
        )
    common_dir = _common_dir(git_dir)
    settings = read_settings(os.path.join(common_dir, "config"))
    if settings.get("core.bare", "").lower() == "true" and common_dir == git_dir:
        raise NotARepository("the repository is bare; there is no work tree to keep", hint="git config core.bare false")
    if settings.get("extensions.refstorage", "files") != "files":
        raise UsageError(
            "this repository keeps its refs in a format that unlost cannot read yet",
            hint="git refs migrate --ref-format=files",
        )
    return Repository(
        root=os.path.realpath(root),
        git_dir=git_dir,
        common_dir=common_dir,
        object_format=object_format(settings.get("extensions.objectformat", "sha1")),
    )


def locate_git_dir(root: str) -> str | None:
    """The git dir of a folder that holds `.git` (a folder, a link, or a file that names it); None when invalid."""
    place = os.path.join(root, ".git")
    try:
        if stat.S_ISREG(os.stat(place).st_mode):
            text = (read_regular(os.path.realpath(place), _SMALL) or b"").decode("utf-8", "surrogateescape")
            if not text.startswith("gitdir: "):
                return None
            place = os.path.join(root, text.removeprefix("gitdir: ").rstrip("\r\n"))
    except OSError:
        return None
    place = os.path.realpath(place)
    return place if is_git_dir(place) else None


def is_git_dir(folder: str) -> bool:
    """Whether git would take a folder for a git dir: a sound HEAD, objects and refs."""
    common = _common_dir(folder)
    if not all(os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs")):
        return False
    try:
        head = os.path.join(folder, "HEAD")
        if os.path.islink(head):
            return os.readlink(head).startswith("refs/")
        text = _line(head)
    except OSError:
        return False
    return is_oid(text) or text.startswith(("ref: refs/", "ref:refs/"))


def head_of(repository: Repository) -> Head:
    """HEAD, its branch, and the operation in progress."""
    text = _head_text(repository.git_dir)
    branch = text.removeprefix("ref:").strip() if text.startswith("ref:") else None
    oid = _resolve(repository, branch) if branch else text
    return Head(
        oid=oid if oid and is_oid(oid) else None,
        branch=branch,
        operation=next(
            (word for name, word in _OPERATIONS if os.path.lexists(os.path.join(repository.git_dir, name))), None
        ),
    )


def refs_of(repository: Repository) -> dict[str, str]:
    """Branches, remote branches and tags: full name to the id it holds (of a tag object where there is one)."""
    found: dict[str, str] = {}
    for prefix in _REFS_KEPT:
        found.update(list_refs(repository.common_dir, prefix))
    return found


def stashes_of(repository: Repository) -> tuple[str, ...]:
    """Commit ids of the stash, the newest first."""
    if _resolve(repository, "refs/stash") is None:
        return ()
    data = read_regular(os.path.join(repository.common_dir, "logs", "refs", "stash"), _LOG_LIMIT) or b""
    ids = (line.split(b" ", 2)[1].decode("ascii", "replace") for line in data.split(b"\n") if line.count(b" ") > 1)
    return tuple(reversed([oid for oid in ids if is_oid(oid)]))


def worktrees_of(repository: Repository) -> tuple[str, ...]:
    """Names of the linked work trees, sorted."""
    try:
        return tuple(sorted(os.listdir(os.path.join(repository.common_dir, "worktrees"))))
    except OSError:
        return ()


def _resolve(repository: Repository, name: str, depth: int = 0) -> str | None:
    """The id of a ref of the user's; symbolic refs are followed a few steps."""
    private = name.startswith(("refs/bisect/", "refs/worktree/", "refs/rewritten/"))
    folder = repository.git_dir if private else repository.common_dir
    text = _line(os.path.join(folder, name))
    if text.startswith("ref:"):
        return _resolve(repository, text[4:].strip(), depth + 1) if depth < _DEEPEST_SYMBOLIC else None
    return text or packed_refs(folder).get(name)


def _head_text(git_dir: str) -> str:
    """What HEAD says; an old repository may keep it as a symbolic link."""
    head = os.path.join(git_dir, "HEAD")
    if os.path.islink(head):
        return f"ref: {os.readlink(head)}"
    return _line(head)


def _common_dir(git_dir: str) -> str:
    """The git dir that holds objects and shared refs."""
    text = _line(os.path.join(git_dir, "commondir"))
    return os.path.realpath(os.path.join(git_dir, text)) if text else git_dir


def _line(path: str) -> str:
    """A small file's text without outer blanks; empty when there is none."""
    try:
        data = read_regular(path, _SMALL)
    except OSError:
        return ""
    return (data or b"").decode("utf-8", "surrogateescape").strip()
