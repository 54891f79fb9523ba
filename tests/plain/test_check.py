"""`check` as scripts read it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from kit.repository import Repository

from unlost.app.plain import Workspace
from unlost.settings import read_settings

EDITED = "fn main() {\n    parse_all();\n}\n"
KEYS = {
    *("schema", "workspace", "root", "since", "verdict", "workspace_state", "lost", "warnings", "moved", "elsewhere"),
    *("superseded", "reformatted", "extended", "standing", "unproved", "changed", "added", "passing", "survivors"),
    *("stashed", "conflicting", "head", "lost_commits", "lost_stashes", "rewritten_commits", "applied_stashes"),
    *("remote_rewound", "incomplete", "ms"),
}


def checked(workspace: Workspace) -> dict[str, Any]:
    """The document of a check."""
    return workspace.check().to_json()


def test_no_boundary(workspace: Workspace) -> None:
    """Where nothing was marked the verdict says so, with every key, exit 2 and nothing registered."""
    report = workspace.check()

    assert report.exit_code == 2
    assert report.to_json()["verdict"] == "no_boundary"
    assert set(report.to_json()) == KEYS
    assert not workspace.is_registered


def test_every_key_is_there(repository: Repository, workspace: Workspace) -> None:
    """The document has exactly the keys of the contract, lost paths or not."""
    repository.write("main.rs", EDITED)
    workspace.mark()
    assert set(checked(workspace)) == KEYS

    repository.git("checkout", "--", "main.rs")
    assert set(checked(workspace)) == KEYS


def test_a_loss_names_every_place_that_holds_it(repository: Repository, workspace: Workspace) -> None:
    """Stash, index, dangling objects and other work trees are named, with refs, beside our own snapshot."""
    repository.write("main.rs", EDITED)
    workspace.mark()
    repository.git("stash", "push", "-q")

    lost = checked(workspace)["lost"][0]
    assert lost["found_in"] == ["snapshot", "stash"]
    assert lost["refs"] == {"stash": "stash@{0}"}

    repository.git("stash", "pop", "-q")
    repository.git("checkout", "--", "main.rs")
    lost = checked(workspace)["lost"][0]
    assert lost["found_in"] == ["snapshot", "dangling"]
    assert lost["evidence"] == [] or all("reflog" in each for each in lost["evidence"])


def test_a_loss_tells_what_came_since_and_offers_to_merge(repository: Repository, workspace: Workspace) -> None:
    """When later lines stand where hunks were put back, they are named and the command is a merge."""
    old = "".join(f"line {number}\n" for number in range(12))
    repository.write("main.rs", old)
    repository.commit("long")
    repository.write("main.rs", old.replace("line 3\n", "mine\n"))
    workspace.mark()
    repository.write("main.rs", old + "later\n")

    lost = checked(workspace)["lost"][0]

    assert (lost["state"], lost["newer"], lost["restore"]) == (
        "hunks_reverted",
        ["later"],
        "unlost restore --merge main.rs",
    )


def test_evidence_is_the_reflog_since_the_boundary(repository: Repository, workspace: Workspace) -> None:
    """What HEAD's reflog says of the time between is told; nothing is told of the time before."""
    repository.write("main.rs", EDITED)
    workspace.mark()
    repository.git("reset", "-q", "--hard", "HEAD")
    repository.git("commit", "-q", "--allow-empty", "-m", "later")

    assert checked(workspace)["lost"][0]["evidence"] == ["reflog of HEAD: commit: later"]


def test_a_commit_that_a_reset_dropped(repository: Repository, workspace: Workspace) -> None:
    """The commit is named with what brings it back, and the paths it changed are lost with it."""
    repository.write("made.rs", "made\n")
    commit = repository.commit("made")
    workspace.mark()
    repository.git("reset", "-q", "--hard", "HEAD~1")

    document = checked(workspace)

    assert [(row["path"], row["owner"]) for row in document["lost"]] == [("made.rs", "commit")]
    lost = document["lost_commits"][0]
    assert (lost["commit"], lost["subject"], lost["was_on"]) == (commit, "made", "refs/heads/main")
    repository.git(*lost["restore"].split()[1:])
    assert checked(workspace)["lost_commits"] == []


def test_a_dropped_commit_stays_open_over_a_mark_and_is_accepted(repository: Repository, workspace: Workspace) -> None:
    """A mark does not bury a lost commit; accepting everything does."""
    repository.write("made.rs", "made\n")
    repository.commit("made")
    workspace.mark()
    repository.git("reset", "-q", "--hard", "HEAD~1")
    marked = workspace.mark()
    assert (marked.lost, marked.exit_code) == (2, 4)
    assert workspace.check().exit_code == 4

    workspace.accept(everything=True)

    assert workspace.check().exit_code == 0
    assert workspace.mark().open_losses == 0


def test_a_dropped_stash(repository: Repository, workspace: Workspace) -> None:
    """A stash entry that is dropped is lost, with the command that stores it again."""
    repository.write("main.rs", EDITED)
    repository.git("stash", "push", "-q")
    workspace.mark()
    repository.git("stash", "drop", "-q")

    lost = checked(workspace)["lost_stashes"]

    assert len(lost) == 1
    assert lost[0]["restore"].startswith("git stash store -m ")


def test_stashed_and_conflicting_paths(repository: Repository, workspace: Workspace) -> None:
    """Paths in stash entries and files that gained markers are told, whatever else is said of them."""
    repository.write("main.rs", EDITED)
    repository.git("stash", "push", "-q")
    repository.write("main.rs", "fn main() {\n    other();\n}\n")
    repository.commit("other")
    workspace.mark()
    repository.git("stash", "apply", "-q", check=False)

    document = checked(workspace)

    assert document["stashed"] == [{"path": "main.rs", "stash": "stash@{0}"}]
    assert document["conflicting"] == ["main.rs"]


def test_a_remote_branch_that_went_back(repository: Repository, workspace: Workspace, tmp_path: Path) -> None:
    """A forced push by others is told, and is no loss."""
    origin = Repository.create(tmp_path / "origin.git", "--bare")
    repository.git("remote", "add", "origin", str(origin.root))
    repository.git("push", "-q", "origin", "main", "main:theirs")
    repository.git("commit", "-q", "--allow-empty", "-m", "ahead")
    repository.git("push", "-q", "origin", "main:theirs")
    repository.git("fetch", "-q")
    workspace.mark()
    repository.git("push", "-q", "-f", "origin", "main~1:theirs")
    repository.git("fetch", "-q")

    document = checked(workspace)

    assert [row["ref"] for row in document["remote_rewound"]] == ["refs/remotes/origin/theirs"]
    assert document["verdict"] == "ok"


def test_a_removed_linked_work_tree(repository: Repository, tmp_path: Path) -> None:
    """Its uncommitted work is lost; files that history holds are only changed."""
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", str(linked), "-b", "linked")
    (linked / "main.rs").write_text(EDITED)
    (linked / "new.txt").write_text("new\n")
    with Workspace.open(str(linked), read_settings()) as workspace:
        workspace.mark()
    repository.git("worktree", "remove", "--force", str(linked))
    with Workspace.open(str(linked), read_settings()) as workspace:
        document = checked(workspace)
        workspace.restore(lost=True)

    assert document["workspace_state"] == "missing"
    assert {row["path"] for row in document["lost"]} == {"main.rs", "new.txt"}
    assert document["lost_commits"] == []
    assert (linked / "main.rs").read_text() == EDITED


def test_a_repository_whose_git_dir_is_gone(repository: Repository, workspace: Workspace) -> None:
    """The files stand, so no path is lost; the history is, and that is said."""
    repository.write("main.rs", EDITED)
    workspace.mark()
    workspace.close()
    shutil.rmtree(repository.root / ".git")
    with Workspace.open(str(repository.root), read_settings()) as again:
        document = checked(again)

    assert document["workspace_state"] == "not_a_repository"
    assert document["lost"] == []
    assert len(document["lost_commits"]) == 1


def test_what_went_with_the_git_dir_stays_open(repository: Repository, workspace: Workspace) -> None:
    """A boundary taken without a repository does not bury the commits and stashes that went with it."""
    repository.write("main.rs", EDITED)
    repository.git("stash", "-q")
    workspace.mark()
    workspace.close()
    shutil.rmtree(repository.root / ".git")
    with Workspace.open(str(repository.root), read_settings()) as again:
        first = checked(again)
        marks = [again.mark().to_json()["open_losses"] for _ in range(2)]
        last = checked(again)

    assert marks == [2, 2]
    for document in (first, last):
        assert document["verdict"] == "loss"
        assert (len(document["lost_commits"]), len(document["lost_stashes"])) == (1, 1)


def test_a_lost_stash_that_was_pruned_stays_open(repository: Repository, workspace: Workspace) -> None:
    """A dropped stash whose objects are pruned after a boundary told it lost is still lost."""
    repository.write("main.rs", EDITED)
    repository.git("stash", "-q")
    workspace.mark()
    repository.git("stash", "drop", "-q")
    workspace.mark()
    repository.git("gc", "-q", "--prune=now")

    assert [row["restore"] for row in checked(workspace)["lost_stashes"]] == [None]


def test_a_nested_repository(repository: Repository, workspace: Workspace) -> None:
    """Dirty work in a nested repository is claimed under its path and comes back into it."""
    nested = Repository.create(repository.root / "nested")
    nested.write("lib.c", "one\n")
    nested.commit("one")
    nested.write("lib.c", "one\ntwo\n")
    workspace.mark()
    nested.git("checkout", "--", "lib.c")

    document = checked(workspace)
    workspace.restore(lost=True)

    assert [(row["path"], row["state"]) for row in document["lost"]] == [("nested/lib.c", "reverted")]
    assert nested.read("lib.c") == b"one\ntwo\n"


def test_a_commit_that_a_nested_repository_dropped(repository: Repository, workspace: Workspace) -> None:
    """History of a nested repository is watched too: its dropped commit is lost, with the files it brought."""
    nested = Repository.create(repository.root / "nested")
    nested.write("a.c", "a\n")
    nested.commit("a")
    nested.write("b.c", "b\n")
    dropped = nested.commit("b")
    workspace.mark()
    nested.git("reset", "-q", "--hard", "HEAD~1")

    document = checked(workspace)
    workspace.restore(lost=True)

    assert [(row["path"], row["owner"]) for row in document["lost"]] == [("nested/b.c", "commit")]
    assert [row["commit"] for row in document["lost_commits"]] == [dropped]
    assert nested.read("b.c") == b"b\n"


def test_an_exec_bit_that_a_checkout_took(repository: Repository, workspace: Workspace) -> None:
    """A claimed exec bit is no content of a branch tip: it is lost although HEAD holds the bytes."""
    (repository.root / "lib.rs").chmod(0o755)
    workspace.mark()
    repository.git("checkout", "--", "lib.rs")

    assert [(row["path"], row["state"]) for row in checked(workspace)["lost"]] == [("lib.rs", "mode_changed")]
    workspace.restore(lost=True)
    assert os.access(repository.root / "lib.rs", os.X_OK)


def test_files_that_came_and_went(repository: Repository, workspace: Workspace) -> None:
    """A file that only an autosave saw is told as passing."""
    workspace.mark()
    repository.write("passing.txt", "one\ntwo\n")
    workspace.place.boundaries.archive.capture(kind="autosave")
    repository.remove("passing.txt")

    document = checked(workspace)

    assert [(row["path"], row["lines"]) for row in document["passing"]] == [("passing.txt", 2)]
    assert document["verdict"] == "ok"


def test_lines_that_came_and_went(repository: Repository, workspace: Workspace) -> None:
    """Work in a file that is the same at both ends is told as passing, with its lines, and comes back from there."""
    repository.write("main.rs", EDITED)
    workspace.mark()
    repository.write("main.rs", EDITED + "fn one() {}\nfn two() {}\n")
    repository.write("lib.rs", b"\0binary")
    workspace.place.boundaries.archive.capture(kind="autosave")
    repository.write("main.rs", EDITED)
    repository.git("checkout", "--", "lib.rs")

    document = checked(workspace)

    assert [(row["path"], row["lines"]) for row in document["passing"]] == [("lib.rs", 0), ("main.rs", 2)]
    assert document["verdict"] == "ok"
    workspace.restore([b"main.rs"], source=document["passing"][1]["last_seen"]["snapshot"])
    assert repository.read("main.rs").endswith(b"fn two() {}\n")


def test_names_that_are_not_text(repository: Repository, workspace: Workspace) -> None:
    """A name that is not UTF-8 is an object with its bytes, and what cannot be typed comes back with all losses."""
    name = os.fsdecode(b"caf\xe9.txt")
    repository.write(name, "menu\n")
    workspace.mark()
    repository.remove(name)

    lost = checked(workspace)["lost"][0]
    workspace.restore(lost=True)

    assert lost["path"] == {"bytes": "Y2Fm6S50eHQ="}
    assert lost["restore"] == "unlost restore --lost"
    assert repository.read(name) == b"menu\n"
