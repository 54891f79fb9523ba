from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.ground import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    """A workspace's folder with bystanders."""
    made = Ground(tmp_path)
    yield made
    made.close()
