"""Repositories of every kind: linked, shallow, partial, borrowing, of another format, with their git dir elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.captures import Captures
from kit.repository import Repository

from unlost.facts.errors import NotARepository


def test_linked_work_tree_is_a_workspace_of_its_own(captures: Captures) -> None:
    """A linked work tree has its own HEAD and files, and may share the store with the main one."""
    repository = captures.repository
    linked = Repository(root=repository.root.parent / "linked")
    repository.git("worktree", "add", "-q", "-b", "topic", str(linked.root))
    linked.write("main.rs", "linked\n")
    other = Captures.of(linked)

    snapshot = other.capture()

    other.prove(snapshot)
    assert snapshot.surroundings.branch == "refs/heads/topic"
    assert list(other.changes(snapshot)) == [b"main.rs"]
    commit = linked.commit("in the linked one")
    assert other.capture().surroundings.head == commit
    assert captures.capture().surroundings.branch == "refs/heads/main"


def test_sha256_repository(tmp_path: Path) -> None:
    """A repository of SHA-256 is captured in its own format, from the first commit on."""
    repository = Repository.create(tmp_path / "tree", "--object-format=sha256")
    repository.write("a", "a\n")
    repository.commit("first")
    captures = Captures.of(repository)
    repository.write("b/c", "c\n")
    for number in range(40):
        repository.write(f"many/{number}", f"{number}\n")

    snapshot = captures.capture("boundary")
    repository.write("a", "b\n")
    second = captures.capture()

    assert len(snapshot.id) == len(second.tree) == 64
    assert captures.contents(second)[b"a"] == b"b\n"
    assert len(captures.changes(second)) == 42
    captures.store_git("fsck", "--strict", "--no-dangling")


def test_shallow_clone_and_alternates(captures: Captures, tmp_path: Path) -> None:
    """A shallow clone, and a clone that borrows its objects, are captured like any other."""
    source = captures.repository
    source.write("main.rs", "second\n")
    source.commit("second")
    for name, option in (("shallow", "--depth=1"), ("borrowing", "--shared")):
        clone = Repository(root=tmp_path / name)
        source.git(
            "clone", "-q", option, f"file://{source.root}" if "depth" in option else str(source.root), str(clone.root)
        )
        clone.write("new", "new\n")
        taken = Captures.of(clone)
        snapshot = taken.capture()
        taken.prove(snapshot)
        assert list(taken.changes(snapshot)) == [b"new"]


def test_partial_clone(captures: Captures, tmp_path: Path) -> None:
    """A clone without old contents is captured; nothing is fetched from its origin."""
    source = captures.repository
    source.git("config", "uploadpack.allowFilter", "true")
    clone = Repository(root=tmp_path / "partial")
    source.git("clone", "-q", "--filter=blob:none", f"file://{source.root}", str(clone.root))
    source.root.rename(tmp_path / "origin is away")
    clone.write("main.rs", "edited\n")
    taken = Captures.of(clone)

    snapshot = taken.capture()

    taken.prove(snapshot)
    assert list(taken.changes(snapshot)) == [b"main.rs"]


def test_separate_git_dir(tmp_path: Path) -> None:
    """A `.git` file, and a `.git` that is a link, lead to the repository."""
    for name, link in (("file", False), ("link", True)):
        folder = tmp_path / name
        folder.mkdir()
        repository = Repository.create(folder / "tree", f"--separate-git-dir={folder / 'real'}")
        if link:
            (repository.root / ".git").unlink()
            (repository.root / ".git").symlink_to(folder / "real")
        repository.write("a", "a\n")
        repository.commit("first")
        taken = Captures.of(repository)
        snapshot = taken.capture()
        taken.prove(snapshot)
        assert taken.changes(snapshot) == {}


@pytest.mark.parametrize("link", [False, True], ids=["file", "link"])
@pytest.mark.parametrize("name", ["state", "docs/of git", "hidden"])
def test_git_dir_beside_the_work(captures: Captures, name: str, *, link: bool) -> None:
    """A `.git` may lead to another folder of the work tree: that folder is as little captured as `.git` is."""
    repository = captures.repository
    repository.write(".gitignore", "/hidden/\n")
    repository.commit("ignore")
    root = repository.root
    (root / ".git").rename(root / name)
    if link:
        (root / ".git").symlink_to(name)
    else:
        (root / ".git").write_text(f"gitdir: {name}\n")
    repository.write("docs/of git's", "not the folder\n")
    assert (f"{name}/" in repository.git("status", "--porcelain", "-z")) == (name != "hidden")

    for _ in range(2):
        snapshot = captures.capture()
        assert captures.files(snapshot.tree).keys() == {
            b".gitignore",
            b"main.rs",
            b"lib.rs",
            b"docs/notes.md",
            b"docs/of git's",
        }
        assert snapshot.private is None
        assert snapshot.incomplete == ()
        repository.git("commit", "-q", "--allow-empty", "-m", "its state moves")


def test_git_dir_that_went_away(captures: Captures) -> None:
    """After `rm -rf .git` the files are still captured; a workspace never captured needs a repository."""
    captures.capture()
    git_dir = captures.repository.root / ".git"
    git_dir.rename(captures.repository.root.parent / "removed")
    captures.repository.write("main.rs", "still here\n")

    snapshot = captures.capture()

    assert snapshot.surroundings.head is None
    assert captures.contents(snapshot)[b"main.rs"] == b"still here\n"
    assert list(captures.changes(snapshot)) == [b"main.rs"]
    with pytest.raises(NotARepository):
        Captures.of(captures.repository, home="another").capture()
