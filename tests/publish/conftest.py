"""What the tests of commits and pushes share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kit.repository import Repository
from publish.committing import Bench


@pytest.fixture
def bench(repository: Repository) -> Iterator[Bench]:
    made = Bench.of(repository)
    yield made
    made.close()
