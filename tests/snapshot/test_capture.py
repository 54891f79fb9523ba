"""What a capture takes, and when it is a snapshot of its own."""

from __future__ import annotations

import pytest
from kit.captures import Captures
from kit.repository import Repository

from unlost.facts.errors import UsageError
from unlost.snapshot.facts import CaptureFailed


def test_first_capture_equals_the_tree(captures: Captures) -> None:
    """A first capture holds every file, its base is HEAD's tree, and says so once on the way."""
    snapshot = captures.capture("boundary", "start")

    captures.prove(snapshot)
    assert snapshot.base == captures.repository.git("rev-parse", "HEAD^{tree}")
    assert (snapshot.sequence, snapshot.files, snapshot.label) == (1, 3, "start")
    assert captures.changes(snapshot) == {}
    assert captures.told == ["reading the repository for the first time"]


def test_changes_are_what_was_done(captures: Captures) -> None:
    """Edits, deletions, new and staged files are the changes from base to tree, bytewise by path."""
    repository = captures.repository
    repository.write("main.rs", "fn main() {}\n")
    repository.remove("lib.rs")
    repository.write("new/untracked.rs", "mod a;\n")
    repository.write("staged.rs", "mod b;\n")
    repository.git("add", "staged.rs")

    snapshot = captures.capture()

    captures.prove(snapshot)
    changes = captures.changes(snapshot)
    assert list(changes) == [b"lib.rs", b"main.rs", b"new/untracked.rs", b"staged.rs"]
    assert changes[b"lib.rs"].after is None
    assert changes[b"staged.rs"].before is None
    assert captures.contents(snapshot)[b"main.rs"] == b"fn main() {}\n"


def test_what_is_staged_but_not_on_disk_is_not_captured(captures: Captures) -> None:
    """The work tree's own bytes are taken, never the index's."""
    captures.repository.write("main.rs", "staged\n")
    captures.repository.git("add", "main.rs")
    captures.repository.write("main.rs", "on disk\n")

    assert captures.contents(captures.capture())[b"main.rs"] == b"on disk\n"


def test_same_size_edit_in_the_same_instant_is_seen(captures: Captures) -> None:
    """An edit of equal length right after a capture is in the next one."""
    for turn in range(20):
        captures.repository.write("main.rs", f"turn {turn:02d}\n")
        assert captures.contents(captures.capture())[b"main.rs"] == f"turn {turn:02d}\n".encode()


def test_unchanged_tree_is_the_same_snapshot(captures: Captures) -> None:
    """An autosave of an unchanged tree is the newest snapshot again, whatever kind that was."""
    first = captures.capture("boundary", "a")

    assert captures.capture("autosave") == first
    assert captures.capture("boundary", "a") == first


def test_boundary_of_another_name_is_a_snapshot_of_its_own(captures: Captures) -> None:
    """A boundary with a label of its own can be found again, though nothing changed."""
    first = captures.capture("boundary", "a")
    second = captures.capture("boundary", "b")

    assert (second.sequence, second.tree) == (2, first.tree)
    assert second.id != first.id


def test_commit_between_makes_a_new_snapshot(captures: Captures) -> None:
    """When HEAD moved the surroundings differ, so the snapshot is a new one though the files are the same."""
    captures.repository.write("main.rs", "fn main() {}\n")
    first = captures.capture()
    commit = captures.repository.commit("second")
    second = captures.capture()

    assert second.tree == first.tree
    assert second.surroundings.head == commit
    assert captures.changes(second) == {}
    assert b"main.rs" in captures.changes(first)


def test_archive_reads_without_the_work_tree(captures: Captures) -> None:
    """Every snapshot can be listed, found and read when the repository is gone."""
    snapshot = captures.capture("boundary", "kept")
    captures.repository.root.rename(captures.repository.root.parent / "elsewhere")

    with captures.archive() as archive:
        assert archive.snapshots() == (snapshot,)
        assert archive.latest() == snapshot
        assert archive.find(snapshot.id[:8]) == snapshot
        entry = archive.entry(snapshot.tree, b"docs/notes.md")
        assert entry is not None
        assert archive.content(entry.oid) == b"# Notes\n"
        assert b"".join(archive.stream(entry.oid)) == b"# Notes\n"
        assert [path for path, _ in archive.walk(snapshot.tree)] == [b"docs/notes.md", b"lib.rs", b"main.rs"]
        with pytest.raises(CaptureFailed):
            archive.capture()


def test_unknown_snapshot_is_a_usage_error(captures: Captures) -> None:
    """A prefix that names nothing, or is too short, is told with a hint."""
    snapshot = captures.capture()

    with captures.archive() as archive:
        for prefix in ("ffffffffffff", snapshot.id[:3]):
            with pytest.raises(UsageError):
                archive.find(prefix)


def test_archive_without_snapshots_is_empty(captures: Captures) -> None:
    """An archive of a workspace that was never captured lists nothing and makes no folder."""
    with captures.archive() as archive:
        assert archive.snapshots() == ()
        assert archive.latest() is None
    assert not captures.home.exists()


def test_dropped_snapshot_leaves_the_others_whole(captures: Captures) -> None:
    """Forgetting one snapshot takes its refs and nothing of the next one."""
    first = captures.capture("boundary", "one")
    captures.repository.write("main.rs", "two\n")
    second = captures.capture("boundary", "two")

    with captures.archive() as archive:
        archive.drop([first.sequence])
        captures.store_git("gc", "-q", "--prune=now")
        assert archive.snapshots() == (second,)
    captures.prove(second)


def test_unborn_repository_has_the_empty_tree_as_base(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Before the first commit every file is new; the first commit then takes the changes away."""
    repository = Repository.create(tmp_path_factory.mktemp("unborn") / "tree")
    repository.write("a", "a\n")
    captures = Captures.of(repository)

    first = captures.capture()
    captures.prove(first)
    assert (first.surroundings.head, first.surroundings.branch) == (None, "refs/heads/main")
    assert list(captures.changes(first)) == [b"a"]

    repository.commit("first")
    second = captures.capture()
    captures.prove(second)
    assert captures.changes(second) == {}


def test_surroundings_are_recorded(captures: Captures) -> None:
    """Branches, tags, stashes (newest first), linked work trees and the operation in progress are in the snapshot."""
    repository = captures.repository
    repository.git("branch", "topic")
    repository.git("tag", "v1")
    for text in ("one\n", "two\n"):
        repository.write("main.rs", text)
        repository.git("stash", "push", "-q")
    repository.git("worktree", "add", "-q", str(repository.root.parent / "linked"))
    head = repository.git("rev-parse", "HEAD")

    found = captures.capture().surroundings

    assert (found.head, found.branch, found.operation) == (head, "refs/heads/main", None)
    assert found.refs == {f"refs/{name}": head for name in ("heads/main", "heads/topic", "heads/linked", "tags/v1")}
    assert list(found.stashes) == [repository.git("rev-parse", f"stash@{{{number}}}") for number in (0, 1)]
    assert found.worktrees == ("linked",)


def test_detached_head_and_packed_refs(captures: Captures) -> None:
    """A detached HEAD has no branch, and refs that gc packed are found as before."""
    repository = captures.repository
    repository.git("branch", "topic")
    repository.git("gc", "-q")
    repository.git("checkout", "-q", "--detach")
    head = repository.git("rev-parse", "HEAD")

    found = captures.capture().surroundings

    assert (found.head, found.branch) == (head, None)
    assert found.refs == {"refs/heads/main": head, "refs/heads/topic": head}
