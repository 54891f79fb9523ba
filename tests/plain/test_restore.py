"""Restore, rewind, undo, redo, accept: what is put back, what is kept, what is on record."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.repository import Repository

from unlost.app.plain import Workspace
from unlost.facts.errors import UsageError
from unlost.facts.records import replace
from unlost.settings import read_settings

LONG = "".join(f"line {number}\n" for number in range(12))
MINE = LONG.replace("line 3\n", "mine\n")


def test_merge_keeps_later_lines(repository: Repository, workspace: Workspace) -> None:
    """Only what was lost comes back; the lines written since stay, and it can be undone."""
    repository.write("main.rs", LONG)
    repository.commit("long")
    repository.write("main.rs", MINE)
    workspace.mark()
    repository.write("main.rs", LONG + "later\n")

    done = workspace.restore(lost=True, merge=True)

    assert (done.merged, done.restored, done.verified) == ((b"main.rs",), (), True)
    assert repository.read("main.rs") == (MINE + "later\n").encode()
    assert workspace.check().exit_code == 0
    workspace.undo()
    assert repository.read("main.rs") == (LONG + "later\n").encode()


def test_a_path_that_does_not_merge_is_refused_whole(repository: Repository, workspace: Workspace) -> None:
    """Both touched the same lines: the path fails as a conflict and stays as it is; the others are done."""
    repository.write("main.rs", LONG)
    repository.commit("long")
    repository.write("main.rs", MINE)
    repository.write("new.txt", "new\n")
    workspace.mark()
    repository.write("main.rs", "")
    workspace.mark()
    repository.write("main.rs", LONG.replace("line 3\n", "theirs\n"))
    repository.remove("new.txt")

    done = workspace.restore(lost=True, merge=True)

    assert [(failure.path, failure.reason) for failure in done.failed] == [(b"main.rs", "conflict")]
    assert done.restored == (b"new.txt",)
    assert done.exit_code == 1
    assert b"theirs" in repository.read("main.rs")


def test_restore_takes_a_folder(repository: Repository, workspace: Workspace) -> None:
    """A folder's name stands for all below it, lost or not."""
    repository.write("notes/a.md", "a\n")
    repository.write("notes/b.md", "b\n")
    workspace.mark()
    repository.remove("notes/a.md")
    repository.write("notes/b.md", "changed\n")

    done = workspace.restore([b"notes"])

    assert set(done.restored) == {b"notes/a.md", b"notes/b.md"}
    assert repository.read("notes/b.md") == b"b\n"


def test_restore_from_an_earlier_boundary_is_a_persons_word(repository: Repository, workspace: Workspace) -> None:
    """What a person puts back on purpose is no loss afterwards, and it tells which claims it pushes aside."""
    repository.write("main.rs", "first\n")
    first = workspace.mark().to_json()["snapshot"]
    repository.write("main.rs", "second\n")
    workspace.mark()

    done = workspace.restore([b"main.rs"], source=first)

    assert [claim.path for claim in done.displaces] == [b"main.rs"]
    assert repository.read("main.rs") == b"first\n"
    assert workspace.check().exit_code == 0


def test_undo_of_such_a_restore_is_as_if_it_never_was(repository: Repository, workspace: Workspace) -> None:
    """After undo the later content is claimed again, with its history."""
    repository.write("main.rs", "first\n")
    first = workspace.mark().to_json()["snapshot"]
    repository.write("main.rs", "second\n")
    workspace.mark()
    workspace.restore([b"main.rs"], source=first)
    workspace.undo()

    assert repository.read("main.rs") == b"second\n"
    assert workspace.check().to_json()["standing"] == 1
    workspace.redo()
    assert repository.read("main.rs") == b"first\n"
    assert workspace.check().exit_code == 0


def test_nothing_to_undo(repository: Repository, workspace: Workspace) -> None:
    """Without a restore there is nothing to undo, without an undo nothing to redo."""
    workspace.mark()

    with pytest.raises(UsageError):
        workspace.undo()
    with pytest.raises(UsageError):
        workspace.redo()


def test_a_dry_run_changes_nothing(repository: Repository, workspace: Workspace) -> None:
    """With -n it tells what it would do."""
    repository.write("new.txt", "new\n")
    workspace.mark()
    repository.remove("new.txt")

    assert workspace.restore(lost=True, dry_run=True).restored == (b"new.txt",)
    assert not repository.exists("new.txt")


def test_restore_to_another_folder(repository: Repository, workspace: Workspace, tmp_path: Path) -> None:
    """The tree stays as it is; the content stands in the other folder."""
    repository.write("new.txt", "new\n")
    workspace.mark()
    repository.remove("new.txt")

    workspace.restore(lost=True, to=str(tmp_path / "out"))

    assert (tmp_path / "out" / "new.txt").read_bytes() == b"new\n"
    assert not repository.exists("new.txt")


def test_an_ignored_file_comes_back(repository: Repository, workspace: Workspace) -> None:
    """Precious ignored files are lost when they vanish, and restored from the private snapshot."""
    repository.write(".gitignore", ".env\n")
    repository.commit("ignore")
    repository.write(".env", "KEY=1\n")
    workspace.mark()
    repository.remove(".env")

    assert [row["ignored"] for row in workspace.check().to_json()["lost"]] == [True]
    workspace.restore(lost=True)
    assert repository.read(".env") == b"KEY=1\n"
    assert workspace.check().exit_code == 0


def test_a_path_that_no_boundary_holds(repository: Repository, workspace: Workspace) -> None:
    """It is named, and nothing is done."""
    workspace.mark()

    with pytest.raises(UsageError, match="nowhere"):
        workspace.restore([b"nowhere.txt"])


def test_rewind_of_some_paths(repository: Repository, workspace: Workspace) -> None:
    """Only what lies at the named places is made as it was."""
    repository.write("a.txt", "a\n")
    snapshot = workspace.mark().to_json()["snapshot"]
    repository.write("a.txt", "a2\n")
    repository.write("made/b.txt", "b\n")
    repository.write("made/c.txt", "c\n")

    done = workspace.rewind(snapshot, [b"made"])

    assert set(done.removed) == {b"made/b.txt", b"made/c.txt"}
    assert repository.read("a.txt") == b"a2\n"


def test_accepting_what_nobody_claims(repository: Repository, workspace: Workspace) -> None:
    """A place without a claim is named as such."""
    workspace.mark()

    with pytest.raises(UsageError, match="nothing is claimed"):
        workspace.accept([b"lib.rs"])


def test_what_was_too_large_to_keep_is_never_removed(repository: Repository) -> None:
    """A rewind to the time before it, its undo and a restore of a folder around it leave the only copy alone."""
    settings = read_settings()
    small = replace(settings, snapshot=replace(settings.snapshot, max_file=1000))
    with Workspace.open(str(repository.root), small) as workspace:
        repository.write("models/notes.txt", "n\n")
        before = workspace.mark().to_json()["snapshot"]
        repository.write("models/large.bin", b"x" * 1001)
        repository.write("models/notes.txt", "edited\n")
        repository.write("main.rs", b"y" * 2000)
        taken = workspace.mark().to_json()

        workspace.restore([b"models"], source=before)
        done = workspace.rewind(before)
        workspace.undo()

    assert {row["path"]: row["reason"] for row in taken["incomplete"]} == {
        "main.rs": "too_big",
        "models/large.bin": "too_big",
    }
    assert b"models/large.bin" not in done.removed
    assert repository.read("models/large.bin") == b"x" * 1001
    assert repository.read("main.rs") == b"y" * 2000


def test_what_a_boundary_could_not_keep_is_not_removed_on_the_way_back(repository: Repository) -> None:
    """A file that was too large at a boundary was there: a rewind to it leaves the file of today, and undo too."""
    settings = read_settings()
    small = replace(settings, snapshot=replace(settings.snapshot, max_file=1000))
    with Workspace.open(str(repository.root), small) as workspace:
        for path in ("main.rs", "untracked.bin"):
            repository.write(path, b"x" * 1001)
        then = workspace.mark().to_json()["snapshot"]
        for path in ("main.rs", "untracked.bin", "made.txt"):
            repository.write(path, "small\n")
        workspace.mark()

        done = workspace.rewind(then)

        assert done.removed == (b"made.txt",)
        assert [repository.read(path) for path in ("main.rs", "untracked.bin")] == [b"small\n"] * 2
