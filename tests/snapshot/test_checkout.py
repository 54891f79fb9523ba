"""Throw-away checkouts: a tree as it was, read-only, and gone afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from kit.restoring import BlobFolder, Workbench

from unlost.facts.errors import UnlostError
from unlost.facts.trees import EXECUTABLE, LINK, NESTED, Entry
from unlost.snapshot.checkout import checkout


@dataclass(frozen=True)
class OneTree:
    """A store that holds one tree, whatever it is called."""

    blobs: BlobFolder
    entries: Mapping[bytes, Entry]

    def content(self, oid: str) -> bytes:
        return self.blobs.content(oid)

    def walk(self, tree: str) -> Iterable[tuple[bytes, Entry]]:
        return self.entries.items() if tree == "any" else ()


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.create(tmp_path / "bench")


@pytest.fixture
def trees(bench: Workbench) -> OneTree:
    entries = {
        b"a": bench.store.entry(b"a"),
        b"deep/tool": bench.store.entry(b"#!", EXECUTABLE),
        b"link": bench.store.entry(b"/etc/passwd", LINK),
        b"sub": Entry(NESTED, "1" * 40),
    }
    return OneTree(bench.store, entries)


def test_a_tree_for_a_while(trees: OneTree, tmp_path: Path) -> None:
    """Content, exec bit and links are there, nested repositories are not; nothing is left when the block ends."""
    parent = tmp_path / "parent"
    parent.mkdir()
    with checkout(trees, "any", parent=str(parent)) as root:
        assert sorted(os.listdir(root)) == ["a", "deep", "link"]
        assert Path(root, "a").read_bytes() == b"a"
        assert Path(root, "a").stat().st_mode & 0o777 == 0o444
        assert Path(root, "deep/tool").stat().st_mode & 0o777 == 0o555
        assert Path(root, "deep").stat().st_mode & 0o777 == 0o555
        assert os.readlink(os.path.join(root, "link")) == "/etc/passwd"
    assert os.listdir(parent) == []


def test_single_paths_instead(trees: OneTree, bench: Workbench, tmp_path: Path) -> None:
    """Single paths can be given another content or left out; a writable checkout may be written into."""
    instead = {b"a": bench.store.entry(b"other"), b"link": None, b"new": bench.store.entry(b"new")}
    with checkout(trees, "any", parent=str(tmp_path), instead=instead, writable=True) as root:
        assert Path(root, "a").read_bytes() == b"other"
        assert sorted(os.listdir(root)) == ["a", "deep", "new"]
        Path(root, "deep", "cache").write_bytes(b"made by a check")


def test_nothing_stays_after_a_failure(bench: Workbench, tmp_path: Path) -> None:
    """A tree with an impossible path, or content that is missing, raises and leaves nothing behind."""
    parent = tmp_path / "parent"
    parent.mkdir()
    hostile = {b"ok": bench.store.entry(b"x"), b"ok2/../../escape": bench.store.entry(b"x")}
    with (
        pytest.raises(ValueError, match="components"),
        checkout(OneTree(bench.store, hostile), "any", parent=str(parent)),
    ):
        pytest.fail("never entered")
    lacking = {b"a": Entry("100644", "0" * 40)}
    with pytest.raises(UnlostError), checkout(OneTree(bench.store, lacking), "any", parent=str(parent)):
        pytest.fail("never entered")
    assert os.listdir(parent) == []
