"""What tests of captures begin with."""

from __future__ import annotations

import pytest
from kit.captures import Captures
from kit.repository import Repository


@pytest.fixture
def captures(repository: Repository) -> Captures:
    """The archive of the common repository (`main.rs`, `lib.rs`, `docs/notes.md`), nothing captured yet."""
    return Captures.of(repository)
