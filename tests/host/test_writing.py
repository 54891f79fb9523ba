"""Writing by descriptor: whole files, never through a link, removal at any depth."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.small_disk import small_disk

from unlost.host.folders import Folder, folds_case
from unlost.host.renaming import exchange, move, move_new
from unlost.host.writing import (
    remove_empty_folders,
    remove_hollow_tree,
    remove_name,
    remove_tree,
    sync_file,
    write_new_file,
    write_new_link,
)


def test_a_new_file_is_whole_and_only_new(tmp_path: Path) -> None:
    """A file is created with its bytes and execution; a name that is taken is refused and stays as it is."""
    with Folder.open(str(tmp_path)) as folder:
        write_new_file(folder, b"plain", b"data", mode=None)
        write_new_file(folder, b"tool", b"", mode=None, executable=True)
        write_new_file(folder, b"bits", b"", mode=0o6777)
        sync_file(folder, b"plain")
        with pytest.raises(FileExistsError):
            write_new_file(folder, b"plain", b"other", mode=None)
    assert (tmp_path / "plain").read_bytes() == b"data"
    assert not os.access(tmp_path / "plain", os.X_OK)
    assert os.access(tmp_path / "tool", os.X_OK)
    assert (tmp_path / "bits").stat().st_mode & 0o7777 == 0o775


def test_a_link_is_never_walked_into(tmp_path: Path) -> None:
    """Neither a linked folder on the way, nor a link at the end, leads a reader or writer elsewhere."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real/f").write_bytes(b"x")
    os.symlink("real", tmp_path / "link")
    os.symlink("f", tmp_path / "real/other")
    with Folder.open(str(tmp_path)) as folder:
        with pytest.raises(OSError, match="Not a directory"):
            folder.below(b"link")
        with pytest.raises(OSError, match="Not a directory"):
            folder.holding(b"link/new/f", create=True)
        holder, name = folder.holding(b"real/other")
        with holder, pytest.raises(OSError, match="symbolic links"):
            holder.open_file(name)
    with pytest.raises(OSError, match="Not a directory"):
        Folder.open(str(tmp_path / "link"))


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    """When the disk is full the write fails and no file of that name is left."""
    with small_disk(tmp_path), Folder.open(str(tmp_path)) as folder:
        with pytest.raises(OSError, match="No space left"):
            write_new_file(folder, b"large", b"x" * (2 << 20), mode=None)
        assert folder.names() == []


def test_swapping_and_moving(tmp_path: Path) -> None:
    """A swap exchanges two names at once; a move to a taken name is refused, or replaces when that is meant."""
    with Folder.open(str(tmp_path)) as folder:
        write_new_file(folder, b"a", b"a", mode=None)
        write_new_link(folder, b"b", b"target")
        assert exchange(folder, b"a", folder, b"b")
        assert folder.link_target(b"a") == b"target"
        with pytest.raises(FileExistsError):
            move_new(folder, b"b", folder, b"a")
        with pytest.raises(FileNotFoundError):
            exchange(folder, b"a", folder, b"gone")
        move(folder, b"b", folder, b"a")
        move_new(folder, b"a", folder, b"c")
        assert folder.names() == [b"c"]


def test_removal_by_name(tmp_path: Path) -> None:
    """Removing tells whether something was there; emptied folders go up to the first that is not empty."""
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "a/f").write_bytes(b"")
    with Folder.open(str(tmp_path)) as folder:
        remove_empty_folders(folder, b"a/b/c")
        assert os.listdir(tmp_path / "a") == ["f"]
        assert not remove_name(folder, b"nothing")
        with pytest.raises(OSError, match="directory"):
            remove_name(folder, b"a")
        assert not remove_hollow_tree(folder, b"a")
        (tmp_path / "a/f").unlink()
        (tmp_path / "a/x/y").mkdir(parents=True)
        assert remove_hollow_tree(folder, b"a")
        remove_empty_folders(folder, b"gone/too")
        assert folder.names() == []


def test_trees_of_any_depth_are_removed(tmp_path: Path) -> None:
    """A tree a thousand folders deep, with links out of it, is removed without following one or running out."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept").write_bytes(b"kept")
    deep = b"tree/" + b"/".join([b"d"] * 1000)
    with Folder.open(str(tmp_path)) as folder:
        with folder.below(deep, create=True) as deepest:
            write_new_file(deepest, b"f", b"x", mode=None)
            write_new_link(deepest, b"out", os.fsencode(tmp_path / "outside"))
        remove_tree(folder, b"tree")
        remove_tree(folder, b"tree")
        assert folder.names() == [b"outside"]
    assert (tmp_path / "outside/kept").read_bytes() == b"kept"


def test_folding_is_asked_of_the_file_system(tmp_path: Path) -> None:
    """Whether names fold is what the file system does, not what the system usually has."""
    folder = tmp_path / "Name"
    folder.mkdir()
    assert folds_case(str(folder)) == (tmp_path / "nAME").exists()
    assert not folds_case(str(tmp_path / "gone"))
