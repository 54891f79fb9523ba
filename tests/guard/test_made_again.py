"""Which ignored files a tool makes again."""

from __future__ import annotations

import pytest

from unlost.guard.made_again import is_made_again


@pytest.mark.parametrize(
    "path", [b"main.o", b"src/__pycache__/a.cpython-311.pyc", b"htmlcov/index.html", b"x.egg-info/PKG-INFO", b"a/out/b"]
)
def test_made_by_a_tool(path: bytes) -> None:
    """Object files, caches, coverage reports and build folders at any depth."""
    assert is_made_again(path)


@pytest.mark.parametrize(
    "path", [b".env", b"data/weights.bin", b"out.txt", b"notes/outline.md", b"local/settings.json"]
)
def test_made_by_a_person(path: bytes) -> None:
    """Secrets, data, notes and settings are precious, whatever ignores them."""
    assert not is_made_again(path)
