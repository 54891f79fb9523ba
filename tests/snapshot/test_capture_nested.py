"""Repositories within the work tree are captured on their own, and linked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from kit.captures import Captures, blob
from kit.hand_clock import HandClock
from kit.repository import Repository

from unlost.facts.trees import NESTED
from unlost.git.call import Git
from unlost.snapshot.facts import Incomplete, Snapshot, SnapshotUnreadable
from unlost.snapshot.nested_keeping import keep_linked
from unlost.snapshot.repacking import repack_all
from unlost.snapshot.retention import Budget, Held, collect
from unlost.snapshot.thinning import DAY


def nested_contents(captures: Captures, snapshot: Snapshot, path: bytes) -> dict[bytes, bytes]:
    """The files of a nested repository's own snapshot."""
    with captures.archive() as archive:
        entry = archive.entry(snapshot.tree, path)
        assert entry is not None
        assert entry.mode == NESTED
        with archive.nested(path) as inner:
            found = inner.find(entry.oid)
            return {name: inner.content(each.oid) for name, each in inner.walk(found.tree)}


@pytest.fixture
def outer(captures: Captures) -> Captures:
    """A repository with a submodule `sub` checked out, and an untracked repository `vendor/lib`."""
    repository = captures.repository
    source = Repository.create(repository.root.parent / "source")
    source.write("s.txt", "s\n")
    source.commit("in the submodule")
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source.root), "sub")
    repository.commit("with a submodule")
    inner = Repository.create(repository.root / "vendor" / "lib")
    inner.write("v.txt", "v\n")
    return captures


def test_both_kinds_are_linked(outer: Captures) -> None:
    """A submodule and an untracked repository (without a commit) have snapshots of their own."""
    snapshot = outer.capture()

    outer.prove(snapshot)
    assert nested_contents(outer, snapshot, b"sub") == {b"s.txt": b"s\n"}
    assert nested_contents(outer, snapshot, b"vendor/lib") == {b"v.txt": b"v\n"}


def test_nothing_of_a_nested_repository_changes(outer: Captures) -> None:
    """Every byte of a submodule and of a nested repository, `.git` included, is the same after captures."""
    for name in ("sub", "vendor/lib"):
        outer.repository.write(f"{name}/edited", "edited\n")
    before = outer.repository.everything()

    outer.capture("boundary", "one")
    outer.capture("boundary", "two")

    assert outer.repository.everything() == before


def test_a_nested_repository_that_git_will_not_add(outer: Captures) -> None:
    """Without a commit in it git refuses a nested repository, and with one it sees a link; a capture has its files."""
    repository = outer.repository
    inner = Repository(root=repository.root / "vendor" / "lib")
    repository.git("add", "vendor/lib", check=False)
    assert "vendor" not in repository.git("ls-files"), "git adds it, so this test would prove nothing"
    assert nested_contents(outer, outer.capture(), b"vendor/lib") == {b"v.txt": b"v\n"}
    inner.commit("first")
    inner.write("v.txt", "edited\n")

    assert nested_contents(outer, outer.capture(), b"vendor/lib") == {b"v.txt": b"edited\n"}


def test_clean_submodule_is_no_change(outer: Captures) -> None:
    """A submodule at HEAD's commit without edits is no change; an edit in it, or another commit, is one."""
    assert list(outer.changes(outer.capture())) == [b"vendor/lib"]
    sub = Repository(root=outer.repository.root / "sub")
    sub.write("s.txt", "edited\n")
    edited = outer.capture()
    assert list(outer.changes(edited)) == [b"sub", b"vendor/lib"]
    assert nested_contents(outer, edited, b"sub") == {b"s.txt": b"edited\n"}
    sub.commit("moved on")
    assert list(outer.changes(outer.capture())) == [b"sub", b"vendor/lib"]
    outer.repository.git("add", "sub")
    outer.repository.git("commit", "-q", "-m", "follow")
    assert list(outer.changes(outer.capture())) == [b"vendor/lib"]


def test_unchanged_nested_content_is_the_same_link(outer: Captures) -> None:
    """Branches and commits inside a nested repository change no link while its files stay."""
    first = outer.capture()
    inner = Repository(root=outer.repository.root / "vendor" / "lib")
    inner.commit("first of its own")
    inner.git("branch", "another")

    second = outer.capture()

    assert second.tree == first.tree


def test_a_base_of_a_nested_repository_outlives_a_collection(captures: Captures) -> None:
    """When only HEAD moves inside, the base that the next looks build on is named, so that no pruning takes it."""
    inner = Repository.create(captures.repository.root / "lib")
    inner.write(".gitattributes", "*.txt eol=crlf\n")
    inner.write("v.txt", "one\ntwo\n")
    inner.commit("first")
    inner.write("v.txt", "one\r\ntwo\r\n")
    first = captures.capture()
    inner.git("commit", "-q", "--allow-empty", "-m", "second")
    inner.git("rm", "-q", "--cached", ".gitattributes")
    inner.git("commit", "-q", "-m", "attributes no more")
    second = captures.capture()
    with captures.archive() as archive, archive.nested(b"lib") as nested:
        repack_all(Git(nested.layout.store, home=nested.layout.home))

    assert second.tree == first.tree
    inner.write("v.txt", "one\r\ntwo\r\nthree\r\n")
    third = captures.capture()
    assert nested_contents(captures, third, b"lib")[b"v.txt"] == b"one\r\ntwo\r\nthree\r\n"
    with captures.archive() as archive, archive.nested(b"lib") as nested:
        git = Git(nested.layout.store, home=nested.layout.home)
        git.run("fsck", "--strict", "--no-dangling")


def test_the_store_of_a_repository_that_nothing_links_to_goes(outer: Captures) -> None:
    """A nested repository's store goes with the last snapshot that links to it; the others keep what is linked."""
    outer.capture()
    shutil.rmtree(outer.repository.root / "vendor")
    outer.repository.write("sub/s.txt", "edited\n")
    last = outer.capture()

    with outer.archive() as archive:
        dropped = keep_linked(archive, [last], repack_all)

    assert dropped == 1
    assert nested_contents(outer, last, b"sub") == {b"s.txt": b"edited\n"}
    with outer.archive() as archive, archive.nested(b"vendor/lib") as inner:
        assert not Path(inner.layout.store_folder).exists()
    outer.prove(outer.capture())


def test_submodule_not_checked_out_is_no_change(outer: Captures, tmp_path: Path) -> None:
    """An empty folder in a submodule's place is as a fresh clone has it; a missing one is a deletion."""
    clone = Repository(root=tmp_path / "clone")
    outer.repository.git("clone", "-q", str(outer.repository.root), str(clone.root))
    captures = Captures.of(clone)
    assert captures.changes(captures.capture()) == {}

    (clone.root / "sub").rmdir()
    changes = captures.changes(captures.capture())
    assert list(changes) == [b"sub"]
    assert changes[b"sub"].after is None


def test_repository_that_appears_over_tracked_files(captures: Captures) -> None:
    """`git init` in a tracked folder links it; when its `.git` goes the files are back, count and all."""
    repository = captures.repository
    captures.prove(captures.capture())
    repository.write("docs/notes.md", "edited\n")
    Repository.create(repository.root / "docs")
    linked = captures.capture()
    captures.prove(linked)
    assert nested_contents(captures, linked, b"docs") == {b"notes.md": b"edited\n"}

    shutil.rmtree(repository.root / "docs" / ".git")
    back = captures.capture()
    captures.prove(back)
    assert captures.contents(back)[b"docs/notes.md"] == b"edited\n"


def test_broken_git_folder_is_an_ordinary_folder(captures: Captures) -> None:
    """A `.git` that is no repository hides nothing: the files beside it are captured."""
    captures.repository.write("odd/.git/config", "nothing\n")
    captures.repository.write("odd/file", "file\n")
    captures.repository.write("other/.git", "not a gitdir line\n")

    snapshot = captures.capture()

    assert captures.contents(snapshot)[b"odd/file"] == b"file\n"


def test_init_after_the_folder_was_seen(captures: Captures) -> None:
    """A folder whose `.git` was half made at one capture is a repository at the next."""
    captures.repository.write("young/.git/objects/half", "")
    captures.repository.write("young/file", "file\n")
    captures.capture()
    Repository.create(captures.repository.root / "young")

    captures.prove(captures.capture())


def test_nested_in_nested(captures: Captures) -> None:
    """Repositories nest to any ordinary depth, each with a snapshot of its own."""
    root = captures.repository.root
    for depth in (1, 2, 3):
        Repository.create(root / "/".join(["n"] * depth)).write("file", f"{depth}\n")

    snapshot = captures.capture()

    with captures.archive() as archive, archive.nested(b"n") as first, first.nested(b"n") as second:
        entry = archive.entry(snapshot.tree, b"n")
        assert entry is not None
        inner = first.entry(first.find(entry.oid).tree, b"n")
        assert inner is not None
        assert [path for path, _ in second.walk(second.find(inner.oid).tree)] == [b"file", b"n"]


def test_nested_repository_that_cannot_be_captured_is_listed(outer: Captures) -> None:
    """A nested repository in a format that unlost does not know is listed, and the rest is captured."""
    inner = Repository(root=outer.repository.root / "vendor" / "lib")
    config = inner.root / ".git" / "config"
    config.write_text(config.read_text() + "[extensions]\n\tobjectFormat = sha512\n")
    outer.repository.write("main.rs", "edited\n")

    snapshot = outer.capture()

    assert snapshot.incomplete == (Incomplete(path=b"vendor/lib", reason="nested_repository"),)
    assert outer.contents(snapshot)[b"main.rs"] == b"edited\n"


def test_collecting_follows_into_nested_repositories(captures: Captures) -> None:
    """What is let go of outside goes inside as well, with its content; what stays is whole at any depth."""
    root = captures.repository.root
    outer, inner = Repository.create(root / "lib"), Repository.create(root / "lib" / "deep")
    taken = []
    for turn in ("first", "second", "third"):
        outer.write("v.txt", f"outer {turn}\n")
        inner.write("d.txt", f"inner {turn}\n")
        taken.append(captures.capture())
    with captures.archive() as archive:
        layout, kept = archive.layout, frozenset({taken[1].id})
        held = [Held(layout=layout, snapshots=archive.snapshots(), pinned=kept)]
    clock = HandClock()
    clock.wait(max(0.0, taken[2].at + 60 * DAY - clock.now()))

    git = Git(layout.store, home=layout.home)
    collected = collect(lambda: held, git, announce=lambda _: None, budget=Budget(max_store=5 << 30), clock=clock)

    assert collected.dropped == (taken[0],)
    with captures.archive() as archive, archive.nested(b"lib") as first, first.nested(b"deep") as second:
        for each, name in ((first, b"v.txt"), (second, b"d.txt")):
            entries = [each.entry(row.tree, name) for row in each.snapshots()]
            assert [each.content(entry.oid).split()[1] for entry in entries if entry] == [b"second", b"third"]
            Git(each.layout.store, home=each.layout.home).run("fsck", "--strict", "--no-dangling")
        linked = archive.entry(taken[1].tree, b"lib")
        assert linked is not None
        assert first.find(linked.oid).sequence == 2
        with pytest.raises(SnapshotUnreadable):
            first.content(blob(b"outer first\n"))
    captures.prove(captures.capture())
