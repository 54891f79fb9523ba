"""The zip that is sent to places: `facts/`, the few files of `host/` that open folders, and `workspace/script/`.

It is the same bytes for the same sources, and its name on a place is its digest.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import io
import zipfile
from functools import cache
from typing import Final

from unlost.facts.records import dataclass

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
    *("unlost/host/renaming.py", "unlost/host/writing.py"),
    "unlost/workspace/__init__.py",
    *(
        f"unlost/workspace/script/{name}.py"
        for name in ("__init__", "content", "git_dir", "main", "occupants", "orders")
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
_DATE: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class Program:
    """The zip's bytes, and their sha256."""

    data: bytes
    digest: str


@cache
def restore_program() -> Program:
    """The program of this version of unlost."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in _members():
            archive.writestr(zipfile.ZipInfo(name, date_time=_DATE), data)
    data = buffer.getvalue()
    return Program(data=data, digest=hashlib.sha256(data).hexdigest())


def _members() -> list[tuple[str, bytes]]:
    package = importlib.resources.files("unlost")
    found = [(name, package.joinpath(*name.split("/")[1:]).read_bytes()) for name in FILES]
    return [("__main__.py", _ENTRY.encode()), ("unlost/__init__.py", b""), *found]
