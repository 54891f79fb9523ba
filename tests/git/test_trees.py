"""Trees in process, held to git itself and to a plain dictionary of paths."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.repository import Repository

from unlost.facts.trees import EXECUTABLE, LINK, NESTED, REGULAR, Change, Entry
from unlost.git.formats import SHA1, SHA256, ObjectFormat
from unlost.git.trees import (
    FOLDER,
    TreeEntries,
    difference,
    find,
    find_file,
    folder_entries,
    grow,
    parse_tree,
    tree_data,
    walk,
)

Files = dict[bytes, Entry]

names = st.sampled_from([b"a", b"a.b", b"a-b", b"a0", b"b", b"B", b"z\xff", b"\n"])
paths = st.lists(names, min_size=1, max_size=4).map(b"/".join)
entries = st.builds(
    Entry, st.sampled_from([REGULAR, EXECUTABLE, LINK, NESTED]), st.sampled_from(["1" * 40, "2" * 40, "3" * 40])
)


def without_clashes(files: Files) -> Files:
    """A file and a folder of one name cannot be: the file goes."""
    folders = {path[:place] for path in files for place, byte in enumerate(path) if byte == 0x2F}
    return {path: entry for path, entry in files.items() if path not in folders}


trees = st.dictionaries(paths, entries, max_size=12).map(without_clashes)


class Shelf:
    """Trees in memory."""

    def __init__(self, format: ObjectFormat = SHA1) -> None:  # noqa: A002
        self.format = format
        self.data = {format.empty_tree: b""}

    def keep(self, data: bytes) -> str:
        oid = self.format.name_of(b"tree", data)
        self.data[oid] = data
        return oid

    def tree(self, oid: str) -> TreeEntries:
        return parse_tree(self.data[oid], self.format.width)

    def of(self, files: Files) -> str:
        """The tree that holds these files."""
        return grow(self, self.keep, self.format.empty_tree, files)


@given(trees)
def test_walk_gives_back_what_was_grown(files: Files) -> None:
    """Growing from nothing and walking are inverse, and the walk is bytewise by path."""
    shelf = Shelf()

    assert list(walk(shelf, shelf.of(files))) == sorted(files.items())


@given(trees, trees)
def test_difference_is_that_of_the_dictionaries(before: Files, after: Files) -> None:
    """Two trees differ in exactly the paths that two dictionaries do, bytewise by path."""
    shelf = Shelf()
    expected = [
        Change(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]

    assert list(difference(shelf, shelf.of(before), shelf.of(after))) == expected


@given(trees, trees)
def test_grow_applies_changes(before: Files, after: Files) -> None:
    """A tree grown by what differs is the other tree, by the same id however it was reached."""
    shelf = Shelf()
    changes = {path: after.get(path) for path in before.keys() | after.keys() if before.get(path) != after.get(path)}

    assert grow(shelf, shelf.keep, shelf.of(before), changes) == shelf.of(after)


@given(trees, paths)
def test_find_is_a_lookup(files: Files, path: bytes) -> None:
    """A path is found exactly when a file of that name is there; folders are found as such alone."""
    shelf = Shelf()
    root = shelf.of(files)
    found = find(shelf, root, path)

    assert find_file(shelf, root, path) == files.get(path)
    assert (found is not None and found.mode == FOLDER) == any(each.startswith(path + b"/") for each in files)


def test_removing_what_is_not_there_is_harmless() -> None:
    """None for an unknown path, in an unknown folder or below a file, changes nothing."""
    shelf = Shelf()
    root = shelf.of({b"a": Entry(REGULAR, "1" * 40)})

    assert grow(shelf, shelf.keep, root, {b"x": None, b"y/z": None, b"a/b": None}) == root
    assert grow(shelf, shelf.keep, root, {b"a": None}) == SHA1.empty_tree
    assert folder_entries(shelf, root, b"a/b") == {}


def test_folder_entry_puts_a_subtree() -> None:
    """A folder as a value replaces what is there, and changes below it apply to it."""
    shelf = Shelf()
    one, two = Entry(REGULAR, "1" * 40), Entry(REGULAR, "2" * 40)
    inner = shelf.of({b"x": one, b"y": one})
    root = shelf.of({b"f": one})

    grown = grow(shelf, shelf.keep, root, {b"f": Entry(FOLDER, inner), b"f/y": two})

    assert list(walk(shelf, grown)) == [(b"f/x", one), (b"f/y", two)]


@pytest.mark.parametrize("data", [b"100644", b"100644 name", b"100644 name\0" + b"x" * 19])
def test_torn_tree_is_an_error(data: bytes) -> None:
    """A tree that ends in the middle is refused, never read as a shorter one."""
    with pytest.raises(ValueError, match=r"."):
        parse_tree(data, 20)


@pytest.mark.parametrize("format_", [SHA1, SHA256])
def test_git_makes_the_same_trees(tmp_path: Path, format_: ObjectFormat) -> None:
    """The id of a tree grown in process is the one that git gives to the same files, in either format."""
    repository = Repository.create(tmp_path / "r", f"--object-format={format_.name}")
    for path in ("a", "a.b", "a-b/c", "a0/b", "b/c/d", "B"):
        repository.write(path, f"{path}\n")
    repository.write("run", "#!/bin/sh\n", executable=True)
    (repository.root / "link").symlink_to("a")
    repository.commit("all")
    rows = (row.split(None, 3) for row in repository.git("ls-tree", "-r", "HEAD").splitlines())
    files = {path.encode(): Entry(mode, oid) for mode, _, oid, path in rows}
    shelf = Shelf(format_)

    assert shelf.of(files) == repository.git("rev-parse", "HEAD^{tree}")
    assert format_.empty_tree == repository.git("hash-object", "-t", "tree", "/dev/null")
    assert parse_tree(tree_data(files), format_.width) == files
