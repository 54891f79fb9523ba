"""Refs of a store of ours."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from unlost.facts.errors import UnlostBug
from unlost.git.call import Git, GitFailed
from unlost.git.formats import SHA1
from unlost.git.objects import ObjectWriter
from unlost.git.refs import (
    create_ref,
    delete_refs,
    is_oid,
    list_refs,
    move_ref,
    packed_refs,
    parse_packed_refs,
    read_ref,
)


@pytest.fixture
def store(tmp_path: Path) -> Git:
    """An empty bare repository."""
    folder = tmp_path / "store.git"
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    return Git(str(folder), home=str(tmp_path))


@pytest.fixture
def oids(store: Git) -> list[str]:
    """Three objects."""
    writer = ObjectWriter(store.git_dir, SHA1, pack=False, durable=False)
    return [writer.write(b"blob", b"%d" % number) for number in range(3)]


@pytest.mark.parametrize("durable", [False, True])
def test_created_ref_is_gits(store: Git, oids: list[str], *, durable: bool) -> None:
    """A ref made in process is seen by git, and a second one of its name is refused."""
    create_ref(store.git_dir, "refs/snap/w/1", oids[0], durable=durable)
    with pytest.raises(FileExistsError):
        create_ref(store.git_dir, "refs/snap/w/1", oids[1], durable=durable)

    assert store.run("rev-parse", "refs/snap/w/1").decode().strip() == oids[0]
    assert read_ref(store.git_dir, "refs/snap/w/1") == oids[0]
    assert not list(Path(store.git_dir, "objects").glob("tmp_*"))


def test_loose_and_packed_refs_are_one_list(store: Git, oids: list[str]) -> None:
    """Packing changes nothing of what is listed; a loose ref hides a packed one; other prefixes are left out."""
    for number, oid in enumerate(oids):
        create_ref(store.git_dir, f"refs/snap/w/{number}", oid, durable=False)
    create_ref(store.git_dir, "refs/snap/w-other/0", oids[0], durable=False)
    before = list_refs(store.git_dir, "refs/snap/w")
    store.run("pack-refs", "--all")
    move_ref(store, "refs/snap/w/1", oids[2], expected=oids[1])

    assert before == {f"refs/snap/w/{number}": oid for number, oid in enumerate(oids)}
    assert list_refs(store.git_dir, "refs/snap/w") == before | {"refs/snap/w/1": oids[2]}
    assert read_ref(store.git_dir, "refs/snap/w/0") == oids[0]
    assert read_ref(store.git_dir, "refs/snap/w/9") is None
    assert "refs/snap/w/0" in packed_refs(store.git_dir)


def test_changes_are_compare_and_swap(store: Git, oids: list[str]) -> None:
    """A ref that moved in between is neither moved nor deleted, and several are deleted all or none."""
    for number in range(2):
        create_ref(store.git_dir, f"refs/r/{number}", oids[0], durable=False)
    with pytest.raises(GitFailed):
        move_ref(store, "refs/r/0", oids[2], expected=oids[1])
    with pytest.raises(GitFailed):
        move_ref(store, "refs/r/0", oids[2], expected=None)
    with pytest.raises(GitFailed):
        delete_refs(store, {"refs/r/0": oids[0], "refs/r/1": oids[1]})
    assert len(list_refs(store.git_dir, "refs/r")) == 2
    delete_refs(store, {"refs/r/0": oids[0], "refs/r/1": oids[0]})
    delete_refs(store, {})
    move_ref(store, "refs/r/2", oids[1], expected=None)

    assert list_refs(store.git_dir, "refs/r") == {"refs/r/2": oids[1]}


def test_torn_and_locked_refs_are_passed_over(store: Git, oids: list[str]) -> None:
    """A torn ref, a lock file and a folder of another's are no refs."""
    create_ref(store.git_dir, "refs/r/1", oids[0], durable=False)
    folder = Path(store.git_dir) / "refs" / "r"
    (folder / "2").write_bytes(b"123")
    (folder / "3.lock").write_text(oids[0])

    assert list_refs(store.git_dir, "refs/r") == {"refs/r/1": oids[0]}
    assert read_ref(store.git_dir, "refs/r/2") is None


def test_packed_refs_as_data() -> None:
    """Comments, peeled lines and rubbish are passed over, names of any bytes come through."""
    oid = "a" * 40
    data = f"# pack-refs with: peeled\n{oid} refs/tags/v1\n^{oid}\nrubbish\n{oid} refs/heads/".encode() + b"\xff\n"

    assert parse_packed_refs(data) == {"refs/tags/v1": oid, "refs/heads/\udcff": oid}


def test_ref_name_with_a_newline_is_a_bug(store: Git, oids: list[str]) -> None:
    """A name that could smuggle an order into git is our own mistake."""
    with pytest.raises(UnlostBug):
        move_ref(store, "refs/r/1\ndelete refs/r/2", oids[0], expected=None)


@pytest.mark.parametrize(
    ("text", "right"), [("a" * 40, True), ("a" * 64, True), ("A" * 40, False), ("a" * 41, False), ("", False)]
)
def test_object_ids(text: str, *, right: bool) -> None:
    """An object id is 40 or 64 lower-case hex digits."""
    assert is_oid(text) == right
