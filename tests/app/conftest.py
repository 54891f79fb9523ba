"""What the tests of the composition share."""

from __future__ import annotations

from pathlib import Path

import pytest
from app.supervising import Bench
from kit.repository import Repository


@pytest.fixture
def bench(repository: Repository, tmp_path: Path) -> Bench:
    return Bench(repository=repository, folder=tmp_path / "plans")
