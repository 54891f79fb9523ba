"""One workspace over a real repository, driven in process."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from kit.repository import Repository

from unlost.app.plain import Workspace
from unlost.settings import read_settings


@pytest.fixture
def workspace(repository: Repository) -> Iterator[Workspace]:
    """The workspace of the repository, open; not registered yet."""
    with Workspace.open(str(repository.root), read_settings()) as opened:
        yield opened


@pytest.fixture
def claims_cache(workspace: Workspace) -> str:
    """Where the fold of claims is cached."""
    workspace.mark()
    return os.path.join(workspace.place.folder, "claims.json")
