"""Which names may be captured, claimed, restored or written in a plan (decision 9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

NEVER: Final = frozenset({b".git", b".jj", b".hg", b".sl", b".unlost"})
"""Folders of version control systems and of unlost: never captured, claimed or restored."""

REBUILDABLE: Final = frozenset(
    b"node_modules .venv venv target dist build __pycache__ .tox .nox .mypy_cache .pytest_cache .ruff_cache "
    b".gradle .next .cache .eggs .parcel-cache .turbo bower_components".split()
)
"""Folders whose ignored files a tool can make again; they are not precious."""

_MAXIMUM_PATH: Final = 4096
_MAXIMUM_NAME: Final = 255
# What HFS+ drops when it compares names: `.g\u200cit` is `.git` there (git's own core.protectHFS list).
_HFS_IGNORED: Final = dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))


def check_path(path: bytes) -> None:
    """Raise ValueError unless the path is relative, stays below its root and names no version control folder.

    Exotic names (`[id]`, `a:b`, quotes, newlines, bytes that are not UTF-8) are legal.
    """
    if not path or len(path) > _MAXIMUM_PATH or path.startswith(b"/") or b"\0" in path:
        raise ValueError("a path must be relative, not empty, without NUL and at most 4096 bytes")
    for part in path.split(b"/"):
        if part in (b"", b".", b".."):
            raise ValueError("a path must not contain empty, `.` or `..` components")
        if len(part) > _MAXIMUM_NAME:
            raise ValueError("a name must be at most 255 bytes")
        if is_reserved(part):
            raise ValueError("a path must not enter a version control folder or .unlost")


def is_reserved(name: bytes) -> bool:
    """Whether one path component is a reserved folder in any disguise that some file system folds to it."""
    if name in NEVER:
        return True
    plain = name.decode("utf-8", "ignore").translate(_HFS_IGNORED).lower().rstrip(". ").split(":")[0]
    return plain == "git~1" or plain.encode("utf-8") in NEVER


def is_capturable(path: bytes) -> bool:
    """Whether no component of a path read from disk is a reserved folder; cheap for ordinary names."""
    if not (path.startswith(b".") or b"/." in path):
        return True
    return not any(part in NEVER for part in path.split(b"/"))


def parent_of(path: bytes) -> bytes:
    """The folder of a path; empty for a path at the root."""
    return path.rpartition(b"/")[0]


def folders_above(path: bytes) -> Iterator[bytes]:
    """The folders that a path lies in, from the nearest up, the root left out."""
    folder = parent_of(path)
    while folder:
        yield folder
        folder = parent_of(folder)
