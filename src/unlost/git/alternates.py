"""The line by which a git dir of ours names the user's objects; git only reads what it names."""

from __future__ import annotations

import os


def alternate_line(common_dir: str) -> bytes:
    """A line for `objects/info/alternates`; git reads a name in double quotes as a C string."""
    path = os.fsencode(os.path.join(common_dir, "objects"))
    if not (path[:1] in b'"#' or b"\n" in path or b"\\" in path):
        return path + b"\n"
    escaped = b"".join(
        b"\\%03o" % byte if byte < 0x20 or byte in b'"\\' or byte > 0x7E else bytes([byte]) for byte in path
    )
    return b'"' + escaped + b'"\n'
