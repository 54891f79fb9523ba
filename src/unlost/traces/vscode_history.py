"""The local history of VS Code and its relatives: a copy of each file at each save.

    User/History/<hash of the resource>/entries.json    {"version": 1, "resource": "file:///…",
                                                         "entries": [{"id": "AbCd.py", "timestamp": …}]}
    User/History/<hash of the resource>/AbCd.py          the content

Times are in milliseconds since 1970; a list may hold hundreds of entries.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

from unlost.host.reading import read_regular
from unlost.traces.local_copies import LocalCopy, json_object, newest_folders, path_below

_PROGRAMS: Final = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_SERVERS: Final = (".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server")
_SCHEMES: Final = ("file", "vscode-remote")
_HISTORY: Final = os.path.join("User", "History")
_LARGEST_LIST: Final = 4 << 20


def vscode_folders(home: str, configuration: str) -> tuple[str, ...]:
    """Every folder that may hold a local history: Linux, macOS, and servers of remote windows.

    `home` is the user's home folder, `configuration` the user's folder for settings (`~/.config`).
    """
    settings = (configuration, os.path.join(home, "Library", "Application Support"))
    desktop = [os.path.join(folder, program, _HISTORY) for folder in settings for program in _PROGRAMS]
    remote = [os.path.join(home, server, "data", _HISTORY) for server in _SERVERS]
    return (*desktop, *remote)


def vscode_copies(folder: str, root: str) -> Iterator[LocalCopy]:
    """What one local history keeps of files below a root; a damaged list hides only its own file."""
    for entry in newest_folders(folder):
        try:
            listed = json_object(read_regular(os.path.join(entry.path, "entries.json"), _LARGEST_LIST))
        except OSError:
            continue
        path = path_below(root, _file_of(listed.get("resource")))
        if path is not None:
            yield from _copies(entry.path, path, listed.get("entries"))


def _file_of(resource: object) -> str:
    """The absolute path that a resource names; empty for one that names no file."""
    if not isinstance(resource, str):
        return ""
    try:
        parts = urlsplit(resource)
    except ValueError:
        return ""
    return unquote(parts.path, errors="surrogateescape") if parts.scheme in _SCHEMES else ""


def _copies(folder: str, path: bytes, entries: object) -> Iterator[LocalCopy]:
    for entry in entries if isinstance(entries, list) else ():
        name, at = (entry.get("id"), entry.get("timestamp")) if isinstance(entry, dict) else (None, None)
        # A list may name anything: only a file of the same folder is a copy.
        if isinstance(name, str) and name == os.path.basename(name) and isinstance(at, int | float):
            yield LocalCopy(path=path, keeper="vscode", file=os.path.join(folder, name), at=at / 1000)
