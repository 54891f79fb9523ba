"""The folder a restore goes into: opened, or made where it is missing."""

from __future__ import annotations

import os

from unlost.host.crash import crash_point
from unlost.host.folders import Folder
from unlost.host.reading import sync_folder
from unlost.snapshot.wanted import RestoreFailed


def make_missing_root(root: str) -> tuple[str, ...]:
    """Make the root and the folders above it that are missing; returns what was made, the outermost first.

    Raises RestoreFailed, and then nothing made is left.
    """
    missing: list[str] = []
    path = root
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    made: list[str] = []
    try:
        for each in reversed(missing):
            os.mkdir(each)
            made.append(each)
            sync_folder(os.path.dirname(each))
    except OSError as error:
        unmake_root(tuple(made))
        raise RestoreFailed(f"the folder {root} cannot be made: {error.strerror}; nothing was changed") from error
    if made:
        crash_point("restore.made_root")
    return tuple(made)


def unmake_root(made: tuple[str, ...]) -> None:
    """Take back what `make_missing_root` made, as far as it is empty."""
    for path in reversed(made):
        try:
            os.rmdir(path)
        except OSError:
            return


def open_root(root: str) -> Folder:
    """The open root. Raises RestoreFailed when it is a file, a link or not to be entered."""
    try:
        return Folder.open(root)
    except OSError as error:
        raise RestoreFailed(f"{root} is no folder to restore into: {error.strerror}; nothing was changed") from error
