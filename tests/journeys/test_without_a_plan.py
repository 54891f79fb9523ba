"""What a person does every day without a plan, from the first mark to the last accept."""

from __future__ import annotations

import os
import shutil

from kit.program import Program
from kit.repository import Repository

EDITED = "fn main() {\n    parse_all();\n}\n"


def test_a_loss_stays_open_until_its_content_is_back(repository: Repository, program: Program) -> None:
    """mark, loss, mark, check: a later mark never buries the loss, and restoring closes it."""
    repository.write("main.rs", EDITED)
    first = program("mark", "--json").json
    repository.git("checkout", "--", "main.rs")

    second = program("mark", "--json", code=4).json
    check = program("check", "--json", code=4).json

    assert second["lost"] == 1
    assert second["open_losses"] == 1
    assert [lost["path"] for lost in check["lost"]] == ["main.rs"]
    assert check["lost"][0]["state"] == "reverted"
    assert check["lost"][0]["last_seen"] == {"boundary": first["boundary"], "snapshot": first["snapshot"]}

    restored = program("restore", "--lost", "--json").json
    assert restored["restored"] == ["main.rs"]
    assert restored["verified"] is True
    assert repository.read("main.rs") == EDITED.encode()
    assert program("check", "--json").json["verdict"] == "ok"


def test_accept_closes_a_loss(repository: Repository, program: Program) -> None:
    """A person who meant it closes the loss with accept; the next check is clean."""
    repository.write("main.rs", EDITED)
    program("mark")
    repository.git("checkout", "--", "main.rs")
    program("check", code=4)

    program("accept", "main.rs", "-y", "-m", "changed my mind")

    assert program("check", "--json").json["lost"] == []


def test_accept_needs_a_terminal_or_yes(repository: Repository, program: Program) -> None:
    """Without a terminal accept is refused unless -y says that a person meant it."""
    repository.write("main.rs", EDITED)
    program("mark")
    repository.git("checkout", "--", "main.rs")

    program("accept", "main.rs", code=3)

    program("check", code=4)


def test_accept_is_refused_below_an_agent(repository: Repository, program: Program) -> None:
    """An agent cannot accept a loss in a person's name, not even with -y."""
    repository.write("main.rs", EDITED)
    program("mark")
    repository.git("checkout", "--", "main.rs")

    program.with_variables(UNLOST_ATTEMPT="a-1")("accept", "main.rs", "-y", code=3)

    program("check", code=4)


def test_committed_work_on_another_branch_is_no_loss(repository: Repository, program: Program) -> None:
    """mark, edit, commit, switch branch, check: exit 0."""
    repository.write("main.rs", EDITED)
    program("mark")
    repository.git("switch", "-q", "-c", "feature")
    repository.write("lib.rs", "pub fn parse_all() {}\n")
    repository.commit("work on the feature")
    repository.git("switch", "-q", "main")

    check = program("check", "--json").json

    assert check["lost"] == []
    assert check["verdict"] == "ok"
    assert [moved["path"] for moved in check["elsewhere"]] == ["main.rs"]


def test_a_clean_mark_and_check_say_so(repository: Repository, program: Program) -> None:
    """The ordinary day: mark and check end with exit 0 and no alarm."""
    mark = program("mark", "-m", "before lunch", "--json").json
    check = program("check", "--json").json

    assert mark["schema"] == "unlost.mark/1"
    assert mark["claims"] == 0
    assert mark["files"] == 3
    assert mark["head"] == repository.git("rev-parse", "HEAD")
    assert mark["branch"] == "main"
    assert check["schema"] == "unlost.check/1"
    assert check["verdict"] == "ok"


def test_nothing_in_the_repository_is_touched(repository: Repository, program: Program) -> None:
    """HEAD, refs, index bytes and mtime, stash, reflog, config, hooks and file times are as before; no hook runs."""
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-commit", "post-commit"):
        repository.write(f".git/hooks/{hook}", f"#!/bin/sh\ntouch '{repository.root}/../hook-ran'\n", executable=True)
    repository.write("main.rs", EDITED)
    repository.write("new.txt", "new\n")
    before = repository.outside_objects()
    times = {path: path.stat().st_mtime_ns for path in sorted(repository.root.rglob("*")) if ".git" not in path.parts}

    program("mark")
    program("check")
    program("status")
    program("log")
    program("run", "--", "true")

    assert repository.outside_objects() == before
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert sorted(os.listdir(repository.root)) == [".git", "docs", "lib.rs", "main.rs", "new.txt"]
    assert not (repository.root.parent / "hook-ran").exists()


def test_a_removed_repository_comes_back(repository: Repository, program: Program) -> None:
    """After `rm -rf` of the repository check says what was lost and restore brings every file back."""
    repository.write("main.rs", EDITED)
    repository.write("run.sh", "#!/bin/sh\n", executable=True)
    (repository.root / "link").symlink_to("main.rs")
    program("mark")
    root = str(repository.root)
    shutil.rmtree(repository.root)

    check = program("check", "--workspace", root, "--json", code=4).json
    program("restore", "--lost", "--workspace", root)

    assert check["workspace_state"] == "missing"
    assert {lost["path"] for lost in check["lost"]} >= {"main.rs", "run.sh", "link"}
    assert repository.read("main.rs") == EDITED.encode()
    assert repository.read("lib.rs") == b"pub fn legacy_parse() {}\n"
    assert os.access(repository.root / "run.sh", os.X_OK)
    assert os.readlink(repository.root / "link") == "main.rs"
    assert not repository.exists(".git")


def test_restore_can_be_undone_and_redone(repository: Repository, program: Program) -> None:
    """Undo puts back exactly what stood before the restore, redo the restored content."""
    repository.write("main.rs", EDITED)
    program("mark")
    repository.write("main.rs", "fn main() {}\n")
    program("restore", "main.rs")
    assert repository.read("main.rs") == EDITED.encode()

    program("undo")
    assert repository.read("main.rs") == b"fn main() {}\n"

    program("redo")
    assert repository.read("main.rs") == EDITED.encode()


def test_rewind_makes_the_tree_as_it_was(repository: Repository, program: Program) -> None:
    """Rewind gives the tree exactly as at a boundary and keeps what came since in a snapshot."""
    repository.write("main.rs", EDITED)
    boundary = program("mark", "--json").json["boundary"]
    repository.write("main.rs", "fn main() {}\n")
    repository.write("later.txt", "made since\n")

    program("rewind", str(boundary), "-y")

    assert repository.read("main.rs") == EDITED.encode()
    assert not repository.exists("later.txt")
    program("undo")
    assert repository.read("later.txt") == b"made since\n"


def test_a_snapshot_can_be_read_back(repository: Repository, program: Program) -> None:
    """G.7: any file of a boundary can be read back with `show SNAPSHOT:PATH`."""
    repository.write("main.rs", EDITED)
    snapshot = program("mark", "--json").json["snapshot"]
    repository.git("checkout", "--", "main.rs")

    shown = program("show", f"{snapshot}:main.rs")

    assert shown.out == EDITED


def test_run_command_reports_a_loss(repository: Repository, program: Program) -> None:
    """`run -- CMD` takes a boundary before and after; a command that wipes claimed work ends with exit 4."""
    repository.write("main.rs", EDITED)

    result = program("run", "--", "git", "checkout", "--", "main.rs", code=4)

    assert result.out == ""
    assert "main.rs" in result.err
    assert "unlost restore" in result.err


def test_run_command_passes_the_code_on(repository: Repository, program: Program) -> None:
    """A command that loses nothing ends with its own code; a missing one with 127."""
    assert program("run", "--", "sh", "-c", "exit 7", code=7).out == ""
    program("run", "--", "no-such-program-anywhere", code=127)
    assert program("run", "--", "printf", "hello").out == "hello"
