"""The files that an agent over ACP lets its client read and write: below the workspace and the outbox, nowhere else.

Paths are opened component by component and never through a link; version control folders are no files of a client.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Any, Final

from unlost.agents.json_lines import text
from unlost.facts.paths import check_path
from unlost.host.reading import Reader, write_all

LIMIT: Final = 16 << 20
"""Bytes of a file that can be read."""

METHODS: Final = frozenset({"fs/read_text_file", "fs/write_text_file"})
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FileRefused(Exception):
    """The file was neither read nor written; the text tells the agent why, the code of JSON-RPC in which way."""

    code = -32602


class FileMissing(FileRefused):
    """There is no such file: in ACP's own words and code, by which agents know that they may make it."""

    code = -32002


def serve_file(method: str, asked: dict[str, Any], *, roots: Sequence[str]) -> dict[str, Any]:
    """The result of a request for a file. Raises FileRefused. Nothing outside the roots is ever touched."""
    root, path = _place(text(asked, "path"), roots)
    try:
        with Reader(root) as reader:
            if method == "fs/read_text_file":
                return {"content": _lines(_read(reader, path), asked)}
            _write(reader, path, text(asked, "content").encode("utf-8", "surrogatepass"))
            return {}
    except OSError as error:
        raise FileRefused(f"{text(asked, 'path')}: {error.strerror}") from error


def _place(path: str, roots: Sequence[str]) -> tuple[str, bytes]:
    """The root that a path lies below, and the rest of it; a relative path starts at the first root."""
    whole = os.path.normpath(os.path.join(roots[0], path))
    for root in roots:
        if whole.startswith(root + "/"):
            below = os.fsencode(whole[len(root) + 1 :])
            try:
                check_path(below)
            except ValueError as error:
                raise FileRefused(f"{path}: {error}") from error
            return root, below
    raise FileRefused(f"{path} is outside the workspace; use files below {roots[0]}")


def _read(reader: Reader, path: bytes) -> str:
    if reader.status_or_none(path) is None:
        raise FileMissing(f"Resource not found: {os.fsdecode(path)}")
    data = reader.read(path, LIMIT)
    if data is None:
        raise FileRefused(f"{os.fsdecode(path)}: no file of at most {LIMIT} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # What is read with replaced characters would be written back with them.
        raise FileRefused(f"{os.fsdecode(path)}: not a text in UTF-8") from error


def _lines(content: str, asked: dict[str, Any]) -> str:
    """The part from `line` (from 1 on) of at most `limit` lines."""
    first, most = asked.get("line"), asked.get("limit")
    if not isinstance(first, int) and not isinstance(most, int):
        return content
    start = max(0, first - 1) if isinstance(first, int) else 0
    end = start + max(0, most) if isinstance(most, int) else None
    return "".join(content.splitlines(keepends=True)[start:end])


def _write(reader: Reader, path: bytes, data: bytes) -> None:
    *parents, _ = path.split(b"/")
    for depth, part in enumerate(parents):
        if reader.status_or_none(b"/".join(parents[: depth + 1])) is None:
            os.mkdir(part, dir_fd=reader.folder(b"/".join(parents[:depth])))
    folder, name = reader.locate(path)
    descriptor = os.open(name, _WRITE, 0o666, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileRefused(f"{os.fsdecode(path)}: not a file")
        os.ftruncate(descriptor, 0)
        write_all(descriptor, data)
    finally:
        os.close(descriptor)
