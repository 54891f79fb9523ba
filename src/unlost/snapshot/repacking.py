"""Making a store small again: gathering its objects into few packs, and letting go of what nothing names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from unlost.facts.records import replace
from unlost.git.call import Git, GitFailed
from unlost.host.process import run

_SAMPLE: Final = "17"
_LOOSE_FOLDERS: Final = 256
TENDED: Final = "tended"
"""The file in a store's folder that was written when it was last tended."""

_TEND_EVERY: Final = 3600.0
_NOT_AGAIN_FOR: Final = 300.0
"""Seconds before a store that has grown is tended again: one that two seconds did not suffice for must not cost them
at every command."""
_MANY_LOOSE: Final = 4000
_MANY_PACKS: Final = 40
_STRAY_REF: Final = "new-ref-"


def repack_all(git: Git) -> None:
    """One pack of everything that a ref names, and nothing else left. Raises GitFailed.

    Only while nobody else writes into the store: objects that no ref names yet are removed.
    """
    for name in os.listdir(git.git_dir):
        if name.startswith(_STRAY_REF):
            os.unlink(os.path.join(git.git_dir, name))
    git.run("pack-refs", "--all", "--prune")
    git.run("repack", "-a", "-d", "-q", "-l", config=("pack.writeBitmapIndex=false", "repack.writeBitmaps=false"))
    git.run("prune", "--expire=now")


def repack_some(git: Git, seconds: float) -> bool:
    """Gather loose objects and small packs for at most so many seconds; False when that was not enough.

    Removes no object. A repack that is cut short leaves only temporary files, which `repack_all` removes. Looking for
    new deltas would take ten times as long; that, too, is left to `repack_all`.
    """
    settings = ("repack.writeBitmaps=false", "pack.window=0")
    request = git.request("repack", "--geometric=2", "-d", "-q", "-l", config=settings)
    outcome = run(replace(request, timeout=max(0.0, seconds)))
    if not (outcome.ok or outcome.timed_out):
        raise GitFailed("repack", exit_code=outcome.exit_code, stderr=outcome.stderr.decode("utf-8", "replace").strip())
    return outcome.ok


def needs_repack(store: str) -> bool:
    """Whether a store has so many loose objects or packs that reading it slows down; looks at two folders."""
    loose = sum(1 for _ in _entries(os.path.join(store, "objects", _SAMPLE))) * _LOOSE_FOLDERS
    packs = sum(entry.name.endswith(".pack") for entry in _entries(os.path.join(store, "objects", "pack")))
    return loose > _MANY_LOOSE or packs > _MANY_PACKS


def is_tending_due(store_folder: str, now: float) -> bool:
    """Whether a store was not tended for an hour, or for minutes while it grew many objects; a few system calls."""
    try:
        tended = os.stat(os.path.join(store_folder, TENDED)).st_mtime
    except FileNotFoundError:
        return True
    if 0 <= now - tended <= _NOT_AGAIN_FOR:
        return False
    return now - tended > _TEND_EVERY or needs_repack(os.path.join(store_folder, "store.git"))


def size_of(folder: str) -> int:
    """The bytes that a folder of ours takes on the disk."""
    total = 0
    for entry in _entries(folder):
        if entry.is_dir(follow_symlinks=False):
            total += size_of(entry.path)
        else:
            try:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
            except FileNotFoundError:
                # A temporary file of a capture that has just been renamed.
                continue
    return total


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except FileNotFoundError:
        return
