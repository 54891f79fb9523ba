"""Files and paths that a person names on the command line."""

from __future__ import annotations

import json
import os
import sys
from typing import Final

from unlost.facts.errors import UsageError
from unlost.facts.paths import check_path

STDIN: Final = "-"


def read_named_file(path: str, *, folder: str, limit: int) -> bytes:
    """The bytes of a file named on the command line, `-` for stdin. Raises UsageError when it cannot be or is over."""
    if path == STDIN:
        data = sys.stdin.buffer.read(limit + 1)
    else:
        try:
            with open(os.path.join(folder, path), "rb") as file:
                data = file.read(limit + 1)
        except FileNotFoundError as error:
            raise UsageError(f"there is no file {path!r}; nothing was started", hint="`unlost plan new`") from error
        except OSError as error:
            raise UsageError(f"{path!r} cannot be read: {error.strerror}; nothing was started") from error
    if len(data) > limit:
        raise UsageError(f"{path!r} is over {limit // 1024} KiB; nothing was started")
    return data


def write_new_file(path: str, data: bytes, *, folder: str) -> None:
    """Make a file that does not exist yet. Raises UsageError when something is there or it cannot be made."""
    try:
        with open(os.path.join(folder, path), "xb") as file:
            file.write(data)
    except FileExistsError as error:
        raise UsageError(f"{path!r} is there already; nothing was written", hint="name another file") from error
    except OSError as error:
        raise UsageError(f"{path!r} cannot be written: {error.strerror}") from error


def path_below(argument: str, *, root: str, folder: str | None) -> bytes:
    """The path of a workspace that a person means: below `folder` as in git, or below `root` when that is None.

    A name in double quotes as reports print it is read back; an absolute path must lie below the root. Raises
    UsageError.
    """
    typed = _unquoted(argument)
    start = root if folder is None else os.path.realpath(folder)
    whole = os.path.normpath(os.path.join(os.fsencode(start), typed))
    # The last name may be a link that is to be restored itself, so only the folders above it are resolved.
    if typed.startswith(b"/"):
        whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    top = os.fsencode(root)
    if typed and whole == top:
        raise UsageError(f"{argument!r} is the whole work tree", hint="`unlost rewind WHEN` puts all of it back")
    if not whole.startswith(top.rstrip(b"/") + b"/"):
        raise UsageError(f"{argument!r} is not below the work tree {root}", hint="paths are relative to where you are")
    path = whole[len(top.rstrip(b"/")) + 1 :]
    try:
        check_path(path)
    except ValueError as error:
        raise UsageError(f"{argument!r} names no file of a work tree: {error}") from error
    return path


def _unquoted(argument: str) -> bytes:
    if len(argument) > 1 and argument[0] == argument[-1] == '"':
        try:
            text = json.loads(argument)
        except ValueError:
            return os.fsencode(argument)
        if isinstance(text, str):
            return text.encode("utf-8", "surrogateescape")
    return os.fsencode(argument)
