"""Python's own files as data: what the import system keeps of a source."""

from __future__ import annotations

import marshal
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from typing import Final

_UNCHECKED: Final = (1).to_bytes(4, "little") + bytes(8)
_PLAIN: Final = 2
"""The version of the encoding that does not depend on what else is in memory."""


def compiled(module: str, path: str) -> bytes:
    """A `.pyc` of a source, out of Python's own cache where that is fresh; its reader compares it with no source."""
    code = SourceFileLoader(module, path).get_code(module)
    return MAGIC_NUMBER + _UNCHECKED + marshal.dumps(code, _PLAIN)
