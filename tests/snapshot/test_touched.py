"""What somebody did in a throw-away checkout is found by content, whatever else they changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from kit.restoring import BlobFolder, Workbench

from unlost.facts.trees import EXECUTABLE, LINK, NESTED, Entry
from unlost.snapshot.checkout import checkout
from unlost.snapshot.touched import remove_checkout, touched_paths


@dataclass(frozen=True)
class OneTree:
    """A store that holds one tree, whatever it is called."""

    blobs: BlobFolder
    entries: Mapping[bytes, Entry]

    def content(self, oid: str) -> bytes:
        return self.blobs.content(oid)

    def walk(self, tree: str) -> Iterable[tuple[bytes, Entry]]:
        return self.entries.items()


@pytest.fixture
def trees(tmp_path: Path) -> OneTree:
    store = Workbench.create(tmp_path / "bench").store
    entries = {
        b"a": store.entry(b"a"),
        b"deep/tool": store.entry(b"#!", EXECUTABLE),
        b"deep/er/x": store.entry(b"x"),
        b"link": store.entry(b"/etc/passwd", LINK),
        b"sub": Entry(NESTED, "1" * 40),
    }
    return OneTree(store, entries)


def test_an_untouched_checkout_has_no_touched_path(trees: OneTree, tmp_path: Path) -> None:
    """Nothing is reported of files that are as they were made, links and execution bits included."""
    with checkout(trees, "any", parent=str(tmp_path)) as root:
        assert touched_paths(trees, "any", root) == ()


def test_every_kind_of_change_is_named(trees: OneTree, tmp_path: Path) -> None:
    """R.23: rewritten at the same size and time, added, removed, retyped, re-moded, relinked: each path once."""
    with checkout(trees, "any", parent=str(tmp_path), writable=True) as made:
        root = Path(made)
        stat = (root / "a").stat()
        (root / "a").write_text("b")
        os.utime(root / "a", ns=(stat.st_atime_ns, stat.st_mtime_ns))
        (root / "deep/tool").chmod(0o644)
        (root / "deep/er/x").unlink()
        (root / "deep/er/x").symlink_to("a")
        (root / "link").unlink()
        (root / "new/folder").mkdir(parents=True)
        (root / "new/folder/file").write_text("")
        os.mkfifo(root / "pipe")

        assert touched_paths(trees, "any", made) == (
            b"a",
            b"deep/er/x",
            b"deep/tool",
            b"link",
            b"new/folder/file",
            b"pipe",
        )


def test_a_folder_in_place_of_a_file_is_a_change(trees: OneTree, tmp_path: Path) -> None:
    """A file that became a folder is named itself, and what is in it."""
    with checkout(trees, "any", parent=str(tmp_path), writable=True) as made:
        (Path(made) / "a").unlink()
        (Path(made) / "a").mkdir()
        (Path(made) / "a/in").write_text("")

        assert touched_paths(trees, "any", made) == (b"a", b"a/in")


def test_what_a_killed_process_left_is_removed(trees: OneTree, tmp_path: Path) -> None:
    """A checkout without its maker goes away, read-only folders too; removing it twice is harmless."""
    with checkout(trees, "any", parent=str(tmp_path), new_id=lambda _: "checkout-x"):
        remove_checkout(str(tmp_path), "checkout-x")
        assert not (tmp_path / "checkout-x").exists()
        remove_checkout(str(tmp_path), "checkout-x")
        remove_checkout(str(tmp_path / "nowhere"), "checkout-x")
