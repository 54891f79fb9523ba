"""`unlost handoff` as a person and a script meet it: the real program in real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from handoff.handoffs import SOLVER_NEW, SOLVER_OLD, fix_object, handoff_file
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow

WARNING = "WARNING: recoverable work exists: 1 file(s); --restore brings it back; nothing was started"


@pytest.fixture
def unlost(solver: Repository) -> Program:
    """The program in the incident's repository; the handoff lies outside of the tree, where no reset reaches."""
    solver.root.parent.joinpath("handoff.json").write_bytes(handoff_file())
    solver.root.parent.joinpath("fix.json").write_bytes(handoff_file(new_files=[]))
    return Program(folder=solver.root)


def test_incident(unlost: Program, solver: Repository) -> None:
    """H.T18, H.T22, H.28: verify names the loss and the survivor as JSON, and resume prints the prompt that says so."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.write("newfile.h", "#pragma once\n")
    solver.git("reset", "--hard", "-q")

    losses = unlost("handoff", "verify", "../handoff.json", "--json", code=4).json
    resumed = unlost("handoff", "resume", "../handoff.json")

    assert losses["schema"] == "unlost.losses/1"
    assert losses["lost_files"] == losses["lost"] == ["solver.cpp"]
    assert losses["untracked_survivors"] == ["newfile.h"]
    assert losses["recoverable"] is False
    assert losses["fixes"] == [{"file": "solver.cpp", "index": 0, "state": "lost", "where": None}]
    assert "[REAPPLY] solver.cpp" in resumed.out
    assert "[PRESENT — verify only, do not rewrite] newfile.h" in resumed.out
    assert resumed.out.endswith("Definition of done: COMMIT\n")


def test_incident_with_a_boundary(unlost: Program, solver: Repository) -> None:
    """H.T22: with a snapshot of the edit the same reset leaves it recoverable, and `--restore` brings it back."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.write("newfile.h", "#pragma once\n")
    unlost("mark")
    solver.git("reset", "--hard", "-q")
    solver.git("clean", "-fdq")

    losses = unlost("handoff", "verify", "../handoff.json", "--json", code=3).json
    resumed = unlost("handoff", "resume", "../handoff.json", "--restore")

    assert losses["snapshot"] == ["solver.cpp", "newfile.h"]
    assert losses["recoverable"] is True
    assert solver.read("solver.cpp") == SOLVER_NEW.encode()
    assert solver.read("newfile.h") == b"#pragma once\n"
    assert "[PRESENT — verify only, do not rewrite] solver.cpp" in resumed.out


def test_gate(unlost: Program, solver: Repository) -> None:
    """H.T19, H.27: recoverable work gates with a warning on stderr, exit 3, and not a byte of a prompt."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")

    gated = unlost("handoff", "resume", "../fix.json", code=3)

    assert gated.err == f"{WARNING}\n"
    assert gated.out == ""
    assert solver.read("solver.cpp") == SOLVER_OLD.encode()


def test_prompt_is_ungated(unlost: Program, solver: Repository) -> None:
    """`handoff prompt` prints whatever the state, and marks what the stash holds."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")

    assert "[RECOVERABLE (git stash)] solver.cpp" in unlost("handoff", "prompt", "../fix.json").out
    assert unlost("handoff", "prompt", "../fix.json", "--json").json["losses"]["stashed"] == ["solver.cpp"]


def test_stash_is_restored(unlost: Program, solver: Repository) -> None:
    """H.T5, H.26: the stashed content is really back, and the stash, HEAD and the index are as they were."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    before = solver.outside_objects()

    resumed = unlost("handoff", "resume", "../fix.json", "--restore", "--json").json

    assert b"return a * b;" in solver.read("solver.cpp")
    assert solver.git("stash", "list").startswith("stash@{0}")
    assert solver.outside_objects() == before
    assert resumed["restored"] == ["solver.cpp"]
    assert resumed["losses"]["applied"] == ["solver.cpp"]
    assert "[PRESENT — verify only, do not rewrite] solver.cpp" in resumed["prompt"]


def test_dangling_is_restored(unlost: Program, solver: Repository) -> None:
    """H.T8, H.26: the files of a dangling commit are put back, unstaged, without moving HEAD."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.commit("multiply")
    solver.git("reset", "-q", "--hard", "HEAD~1")
    head = solver.git("rev-parse", "HEAD")

    unlost("handoff", "resume", "../fix.json", "--restore")

    assert solver.read("solver.cpp") == SOLVER_NEW.encode()
    assert solver.git("rev-parse", "HEAD") == head
    assert solver.git("diff", "--cached", "--name-only") == ""


def test_present_is_kept_first(unlost: Program, solver: Repository) -> None:
    """H.26: what stood in the tree before a restore is in a snapshot, byte for byte."""
    long = SOLVER_OLD + "\n" * 3 + "// one\n// two\n// three\nint last;\n"
    solver.write("solver.cpp", long)
    solver.commit("longer")
    solver.write("solver.cpp", long.replace("a + b", "a * b"))
    solver.git("stash", "push", "-q")
    solver.write("solver.cpp", long.replace("int last;", "long last;"))

    kept = unlost("handoff", "resume", "../fix.json", "--restore", "--json").json["kept"]

    assert solver.read("solver.cpp").decode() == long.replace("a + b", "a * b").replace("int last;", "long last;")
    assert unlost("show", f"{kept}:solver.cpp").out == long.replace("int last;", "long last;")


def test_undo_takes_a_restore_back(unlost: Program, solver: Repository) -> None:
    """H.26: `unlost undo` gives what stood before a handoff's restore, and `redo` the restored work again."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    solver.write("solver.cpp", SOLVER_OLD + "// mine\n")
    unlost("mark")
    unlost("handoff", "resume", "../fix.json", "--restore", "--json", code=None)
    restored = solver.read("solver.cpp")

    unlost("undo")

    assert solver.read("solver.cpp").decode() == SOLVER_OLD + "// mine\n"
    unlost("redo")
    assert solver.read("solver.cpp") == restored
    assert b"return a * b;" in restored


def test_partial_restore_gates_again(unlost: Program, solver: Repository) -> None:
    """H.26: what cannot be put back without pushing other changes aside is told, and gates again."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    present = SOLVER_OLD.replace("return a + b;", "return a + b;  // sum")
    solver.write("solver.cpp", present)

    gated = unlost("handoff", "resume", "../fix.json", "--restore", code=3)

    assert gated.err.startswith("not restored: solver.cpp from stash@{0}: ")
    assert gated.err.endswith(f"{WARNING}\n")
    assert gated.out == ""
    assert solver.read("solver.cpp") == present.encode()


def test_dry_run(unlost: Program, solver: Repository) -> None:
    """`-n` shows what a restore would do, and does nothing."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")

    shown = unlost("handoff", "resume", "-n", "../fix.json", "--restore")

    assert shown.out == "restore     solver.cpp from stash@{0}\n"
    assert solver.read("solver.cpp") == SOLVER_OLD.encode()


@pytest.mark.parametrize("command", ["check", "verify", "prompt", "resume"])
def test_refused_file(unlost: Program, tmp_path: Path, command: str) -> None:
    """H.8: every command refuses a transcript with exit 2 and every reason."""
    file = tmp_path / "bad.json"
    file.write_bytes(handoff_file(source="transcript", exact_fixes=[fix_object("../x")]))

    refused = unlost("handoff", command, str(file), code=2)

    assert 'source "transcript" is banned' in refused.err
    assert "exact_fixes[0].file: " in refused.err
    assert refused.out == ""


def test_check(unlost: Program, tmp_path: Path) -> None:
    """`handoff check` says what a file holds, and tells a secret-like field without its value."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file = tmp_path / "secret.json"
    file.write_bytes(handoff_file(exact_fixes=[fix_object(after=token)]))

    assert unlost("handoff", "check", "../handoff.json").out == (
        "1 exact fix · 1 new file · 1 failing test · 2 remaining steps\n"
    )
    told = unlost("handoff", "check", str(file), "--json")
    assert told.json["valid"] is True
    assert [each["field"] for each in told.json["secrets"]] == ["exact_fixes[0].after"]
    assert token not in told.out + told.err


def test_from_stdin(unlost: Program) -> None:
    """`-` reads the handoff from stdin; a file of 300 KiB is refused by size."""
    assert unlost("handoff", "check", "-", stdin=handoff_file().decode()).code == 0
    large = json.dumps({"task": "t", "notes": "x" * (300 << 10), "remaining_steps": ["x"]})
    assert "are more than the 262144 allowed" in unlost("handoff", "check", "-", stdin=large, code=2).err


def test_outside_a_repository(unlost: Program, tmp_path: Path) -> None:
    """Outside of a repository a handoff can be checked and not verified: exit 2."""
    elsewhere = Program(folder=tmp_path)

    assert elsewhere("handoff", "check", "handoff.json").code == 0
    assert "not inside a git work tree" in elsewhere("handoff", "verify", "handoff.json", code=2).err


def test_verify_registers_nothing(unlost: Program, solver: Repository) -> None:
    """Verifying a repository that nobody marked leaves no workspace behind, and nothing changes in it."""
    before = solver.outside_objects()

    unlost("handoff", "verify", "../handoff.json", "--json", code=4)

    assert solver.outside_objects() == before
    assert list(Path(os.environ["UNLOST_HOME"]).rglob("*")) == [Path(os.environ["UNLOST_HOME"]) / "scratch"]


def test_all_stands(unlost: Program, solver: Repository) -> None:
    """Where everything stands, verify exits 0 and says so."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.write("newfile.h", "#pragma once\n")

    assert unlost("handoff", "verify", "../handoff.json").out.endswith("2 files · all of it stands\n")
