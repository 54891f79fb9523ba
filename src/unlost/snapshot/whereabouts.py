"""Where the state home keeps a workspace, and which workspace a root is; apart from `registry`, which reads JSON."""

from __future__ import annotations

import hashlib
import os
from typing import Final

from unlost.host.reading import read_regular

_LONGEST_ID: Final = 4096


def workspace_folder(home: str, workspace: str) -> str:
    """Where a workspace keeps its row, caches and journals."""
    return os.path.join(home, "workspaces", workspace)


def workspace_of(home: str, root: str) -> str | None:
    """The workspace that the index names for a root."""
    data = read_regular(index_file(home, root), _LONGEST_ID)
    return None if data is None else data.decode("ascii", "replace")


def index_file(home: str, root: str) -> str:
    """The file that names the workspace of a root."""
    return os.path.join(home, "roots", hashlib.sha256(os.fsencode(root)).hexdigest()[:32])
