from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from cli.conftest import Unlost
from kit.repository import Repository

from unlost.__main__ import main

EDITED = "fn main() {\n    parse_all();\n}\n"


def lose(repository: Repository, unlost: Unlost) -> str:
    """Mark an edit of main.rs and throw it away; returns the snapshot that holds it."""
    repository.write("main.rs", EDITED)
    snapshot: str = unlost("mark", "-m", "before lunch", "--json").json["snapshot"]
    repository.git("checkout", "--", "main.rs")
    return snapshot


def test_mark_tells_its_boundary(repository: Repository, unlost: Unlost) -> None:
    """One line: number, snapshot, files, claims."""
    repository.write("main.rs", EDITED)

    told = unlost("mark").out

    assert told.startswith("boundary 0 · ")
    assert told.endswith("3 files · 1 claim\n")


def test_check_tells_losses_on_stdout_and_what_to_type_on_stderr(repository: Repository, unlost: Unlost) -> None:
    """G.15: path, state, boundary and snapshot are data; the hint is talk. -q keeps the loss and drops the hint."""
    snapshot = lose(repository, unlost)

    told = unlost("check", code=4)
    quiet = unlost("check", "-q", code=4)

    assert f"lost      main.rs  reverted  (last seen at boundary 0, snapshot {snapshot[:10]})" in told.out
    assert "unlost restore main.rs\n" in told.out
    assert told.err.startswith("hint: `unlost restore --lost`")
    assert (quiet.out, quiet.err) == (told.out, "")


def test_a_clean_check_is_silent_when_quiet(repository: Repository, unlost: Unlost) -> None:
    """With -q an ordinary day says nothing at all."""
    unlost("mark")

    assert unlost("check").out == "nothing lost · 0 claims stand · since boundary 0\n"
    assert unlost("check", "-q").out == ""


def test_check_without_a_boundary(unlost: Unlost) -> None:
    """Before the first mark check is exit 2 and says how to take one."""
    assert unlost("check", "--json", code=2).json["verdict"] == "no_boundary"
    assert "unlost mark" in unlost("check", code=2).err


def test_check_since_an_earlier_boundary(repository: Repository, unlost: Unlost) -> None:
    """--since takes every form of WHEN."""
    repository.write("main.rs", EDITED)
    unlost("mark", "-m", "before lunch")
    unlost("mark")

    assert unlost("check", "--since", "before lunch", "--json").json["since"]["boundary"] == 0
    assert unlost("check", "--since", "-1", "--json").json["since"]["boundary"] == 0
    assert "WHEN is" in unlost("check", "--since", "nonsense", code=2).err


def test_restore_needs_paths_or_lost(repository: Repository, unlost: Unlost) -> None:
    """Neither, or both, is a usage error; nothing is guessed."""
    lose(repository, unlost)

    assert "--lost" in unlost("restore", code=2).err
    unlost("restore", "main.rs", "--lost", code=2)


def test_a_dry_run_restores_nothing(repository: Repository, unlost: Unlost) -> None:
    """-n shows what would come back."""
    lose(repository, unlost)

    told = unlost("restore", "--lost", "-n")

    assert told.out == "restored  main.rs\nnothing was changed (-n)\n"
    assert repository.read("main.rs") != EDITED.encode()


def test_restore_from_a_moment_to_another_folder(repository: Repository, unlost: Unlost, tmp_path: Path) -> None:
    """--from names the moment, --to another folder; the work tree stays as it is."""
    lose(repository, unlost)

    unlost("restore", "main.rs", "--from", "before lunch", "--to", str(tmp_path / "elsewhere"))

    assert (tmp_path / "elsewhere" / "main.rs").read_text() == EDITED
    assert repository.read("main.rs") != EDITED.encode()


def test_paths_are_relative_to_where_one_stands(repository: Repository, unlost: Unlost) -> None:
    """Below a folder a path is relative to it; with --workspace it is relative to the root."""
    repository.write("docs/notes.md", "# Mine\n")
    unlost("mark")
    for arguments in (("-C", str(repository.root / "docs"), "restore", "notes.md"),):
        repository.git("checkout", "--", "docs")
        unlost(*arguments)
        assert repository.read("docs/notes.md") == b"# Mine\n"
    repository.git("checkout", "--", "docs")
    unlost("-C", "/", "--workspace", str(repository.root), "restore", "docs/notes.md")

    assert repository.read("docs/notes.md") == b"# Mine\n"


def test_undo_and_redo_say_what_they_did(repository: Repository, unlost: Unlost) -> None:
    """Each names the other; with nothing to undo it is exit 2."""
    lose(repository, unlost)
    unlost("undo", code=2)
    unlost("restore", "main.rs")

    assert "unlost redo takes it back" in unlost("undo").out
    assert "unlost undo takes it back" in unlost("redo").out
    assert repository.read("main.rs") == EDITED.encode()


def test_rewind_to_the_boundary_before_the_last(repository: Repository, unlost: Unlost) -> None:
    """`rewind -1` is a WHEN, not an option; what was made since is removed and told."""
    unlost("mark")
    repository.write("later.txt", "made since\n")
    unlost("mark")

    planned = unlost("rewind", "-1", "-n", "--json").json
    done = unlost("rewind", "-1")

    assert planned["removed"] == ["later.txt"]
    assert "removed   later.txt" in done.out
    assert not repository.exists("later.txt")


def test_a_damaged_option_is_still_an_option(repository: Repository, unlost: Unlost) -> None:
    """Only `-` and digits are read as WHEN; any other dash is an option, and an unknown one is refused."""
    unlost("mark")

    assert "has no option" in unlost("rewind", "-z", code=2).err


def test_diff_shows_text_and_names_the_rest(repository: Repository, unlost: Unlost) -> None:
    """A unified diff from a moment to now; binary content is named, paths behind `--` narrow it."""
    unlost("mark")
    repository.write("main.rs", EDITED)
    repository.write("blob.bin", b"\0\1")

    whole = unlost("diff", "0")
    narrow = unlost("diff", "0", "--", "blob.bin")

    assert "changed main.rs" in whole.out
    assert "-    legacy_parse();\n+    parse_all();" in whole.out
    assert narrow.out == "added blob.bin\n  binary or too large to show\n"
    assert [row["path"] for row in unlost("diff", "0", "--json").json["paths"]] == ["blob.bin", "main.rs"]


def test_show_gives_a_file_byte_for_byte(repository: Repository, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """G.7: `show SNAPSHOT:PATH` writes the bytes, whatever they are."""
    content = b"\xff\x00\r\n\x1b[31mred"
    repository.write("raw.bin", content)
    main(["-C", str(repository.root), "mark"])
    capfdbinary.readouterr()

    code = main(["-C", str(repository.root), "show", "0:raw.bin"])

    assert code == 0
    assert capfdbinary.readouterr().out == content


def test_show_a_snapshot_and_what_is_not_there(repository: Repository, unlost: Unlost) -> None:
    """A snapshot is told in one line; a path that it lacks is exit 2."""
    snapshot = lose(repository, unlost)

    assert "before lunch" in unlost("show", snapshot[:8]).out
    assert unlost("show", "0", "--json").json["snapshot"] == snapshot
    unlost("show", "0:missing.txt", code=2)
    unlost("show", "u-000000", code=2)


def test_log_and_snapshots_list_the_newest_first(repository: Repository, unlost: Unlost) -> None:
    """Boundaries with what was proved at each; snapshots with the boundaries among them."""
    assert "unlost mark" in unlost("log").out
    lose(repository, unlost)
    unlost("mark", code=4)

    log = unlost("log").out.splitlines()
    kinds = [row["kind"] for row in unlost("snapshots", "--json").json["snapshots"]]

    assert [line.split()[0] for line in log] == ["1", "0"]
    assert "1 lost" in log[0]
    assert log[1].endswith("before lunch")
    assert kinds.count("boundary") == 2
    assert [row["n"] for row in unlost("log", "--json").json["boundaries"]] == [0, 1]
    assert "boundary.taken" in unlost("log", "--events").out


def test_accept_is_for_a_person(repository: Repository, unlost: Unlost) -> None:
    """Without a terminal it needs -y; then the loss is closed."""
    lose(repository, unlost)

    assert "no terminal" in unlost("accept", "main.rs", code=3).err
    unlost("accept", code=2)
    assert unlost("accept", "main.rs", "-y", "-m", "meant so", "--json").json["open_losses"] == 0
    unlost("check")


def test_forget_asks_and_then_forgets(repository: Repository, unlost: Unlost) -> None:
    """A script must say -y; -n and a refusal leave everything as it is; afterwards nothing is known."""
    lose(repository, unlost)

    unlost("forget", code=3)
    unlost("forget", "-n")
    assert unlost("log", "--json").json["boundaries"]
    assert unlost("forget", "-y", "--json").json["forgotten"] is True

    assert unlost("log", "--json").json["boundaries"] == []
    assert "not registered" in unlost("forget", "-y", code=2).err


def test_plain_unlost_is_status(repository: Repository, unlost: Unlost) -> None:
    """`unlost` alone says what needs a person; it proves nothing and changes nothing."""
    assert "no boundary yet" in unlost().out
    lose(repository, unlost)
    unlost("mark", code=4)

    told = unlost(code=4).out

    assert "1 open loss" in told
    assert unlost("--json", code=4).json["open_losses"] == 1
    assert unlost("status", "--line").out == "boundary 1 · 1 loss\n"


def test_status_tells_what_happened_since_the_last_look(repository: Repository, unlost: Unlost) -> None:
    """The first look has no before; the second names the boundaries taken in between."""
    unlost("mark")
    assert unlost("status", "--json").json["news"] == []
    assert "since you last looked" not in unlost("status").out

    unlost("mark", "-m", "while away")

    assert "while away" in unlost("status").out
    assert unlost("status", "--json").json["news"] == []


def test_init_is_the_first_mark(repository: Repository, unlost: Unlost) -> None:
    """The work tree is registered, its present kept, and nothing is written into it."""
    before = sorted(os.listdir(repository.root))

    assert "unlost run -- your-agent" in unlost("init").out

    assert sorted(os.listdir(repository.root)) == before
    assert len(unlost("log", "--json").json["boundaries"]) == 1


def test_outside_a_repository_every_command_says_so(unlost: Unlost, tmp_path: Path) -> None:
    """Exit 2 with a hint, never a traceback."""
    (tmp_path / "empty").mkdir()

    for command in ("mark", "check", "status", "log", "snapshots"):
        told = unlost("-C", str(tmp_path / "empty"), command, code=2)
        assert "hint:" in told.err


def test_a_vanished_root_is_reached_by_its_id(repository: Repository, unlost: Unlost) -> None:
    """After `rm -rf` the workspace answers by root and by id."""
    repository.write("main.rs", EDITED)
    workspace = unlost("mark", "--json").json["workspace"]
    shutil.rmtree(repository.root)

    told = unlost("-C", "/", "--workspace", workspace, "check", code=4)

    assert "the work tree is gone" in told.out
    unlost("-C", "/", "--workspace", workspace, "restore", "--lost")
    assert repository.read("main.rs") == EDITED.encode()


def test_a_shell_in_a_removed_folder_still_reaches_its_workspace(
    repository: Repository, unlost: Unlost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standing in the folder that was just removed, `unlost check` and `restore` work; without PWD they say why not."""
    repository.write("main.rs", EDITED)
    unlost("mark")
    monkeypatch.chdir(repository.root)
    shutil.rmtree(repository.root)
    monkeypatch.delenv("PWD", raising=False)

    assert "the present folder is gone" in unlost("-C", ".", "check", code=2).err
    monkeypatch.setenv("PWD", str(repository.root))
    unlost("-C", ".", "check", code=4)
    unlost("-C", ".", "restore", "--lost")

    assert repository.read("main.rs") == EDITED.encode()
