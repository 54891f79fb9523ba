"""The zip that is sent to places: `facts/`, the few files of `host/` that open folders, and `workspace/script/`.

It is the same bytes for the same sources and the same Python, and its name on a place is its digest. Beside each source
lies what this Python makes of it, so that a place with the same one compiles nothing; any other takes the source.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from functools import cache
from typing import Final

from unlost.facts.records import dataclass
from unlost.host.sources import compiled

FILES: Final = (
    *("unlost/facts/__init__.py", "unlost/facts/paths.py", "unlost/facts/quoting.py"),
    *("unlost/facts/records.py", "unlost/facts/trees.py"),
    *(
        "unlost/host/__init__.py",
        "unlost/host/clock.py",
        "unlost/host/crash.py",
        "unlost/host/folders.py",
        "unlost/host/reading.py",
    ),
    *("unlost/host/renaming.py", "unlost/host/spawning.py", "unlost/host/stamps.py", "unlost/host/writing.py"),
    "unlost/workspace/__init__.py",
    *(
        f"unlost/workspace/script/{name}.py"
        for name in ("__init__", "content", "git_dir", "git_writing", "main", "occupants", "orders")
    ),
    *(f"unlost/workspace/script/{name}.py" for name in ("packs", "parcels", "publishing", "receipts", "staging")),
)
"""What is in the zip, beside an empty `unlost/__init__.py` and the entry."""

OLDEST: Final = (3, 11)
_ENTRY: Final = f"""\
import sys

if sys.version_info < {OLDEST}:
    sys.stdout.write('{{"outcome": "failed", "stage": "start", "reason": "python_too_old"}}\\n')
    sys.exit(1)
from unlost.workspace.script.main import main

sys.exit(main())
"""
_SOURCE: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
_VERSION: Final = 20
_FIRST_DAY: Final = (0, (0 << 9) | (1 << 5) | 1)
"""Midnight of the first day that a zip can name."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """The zip's bytes, and their sha256."""

    data: bytes
    digest: str


@cache
def restore_program() -> Program:
    """The program of this version of unlost."""
    data = zip_of(_members())
    return Program(data=data, digest=hashlib.sha256(data).hexdigest())


def zip_of(members: list[tuple[str, bytes]]) -> bytes:
    """A zip of these files, uncompressed, all of one date. The standard module costs 20 ms to import."""
    files, directory = bytearray(), bytearray()
    for name, data in members:
        title, check, offset = name.encode("ascii"), zlib.crc32(data), len(files)
        common = (_VERSION, 0, 0, *_FIRST_DAY, check, len(data), len(data), len(title))
        files += _LOCAL.pack(b"PK\3\4", *common, 0) + title + data
        directory += _CENTRAL.pack(b"PK\1\2", _VERSION, *common, 0, 0, 0, 0, 0, offset) + title
    count = len(members)
    return bytes(files + directory + _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(files), 0))


def _members() -> list[tuple[str, bytes]]:
    found = [("__main__.py", _ENTRY.encode("ascii")), ("unlost/__init__.py", b"")]
    for name in FILES:
        path = os.path.join(_SOURCE, *name.split("/"))
        with open(path, "rb") as file:
            source = file.read()
        found += [(name, source), (f"{name}c", compiled(name.removesuffix(".py").replace("/", "."), path))]
    return found
