from __future__ import annotations

import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from kit import vendor_programs
from kit.program import Program
from kit.repository import Repository

from unlost.agents import claude
from unlost.app.doctor import (
    Finding,
    diagnose,
    examine_workspace,
    filesystem_of,
    is_healthy,
    judge_filesystem,
    judge_place,
    judge_platform,
    judge_private,
    judge_python,
    judge_room,
)
from unlost.git.index_lock import MARK
from unlost.settings import Settings

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 25 0:27 / /my\\040data rw shared:1 - tmpfs tmpfs rw
31 25 0:28 / /my\\040data/net rw - nfs4 server:/x rw
broken line
"""


def by_name(findings: tuple[Finding, ...]) -> dict[str, Finding]:
    """The findings by what they are about."""
    return {finding.name: finding for finding in findings}


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/home", "ext4"), ("/my data/state", "tmpfs"), ("/my data/network", "tmpfs"), ("/my data/net", "nfs4")],
)
def test_the_file_system_of_a_path_is_its_deepest_mount(path: str, kind: str) -> None:
    """Escaped names are read, and a name that merely begins like a mount point is not below it."""
    assert filesystem_of(path, MOUNTS) == kind
    assert filesystem_of(path, "") is None


@pytest.mark.parametrize(
    ("finding", "level"),
    [
        (judge_python((3, 10)), "problem"),
        (judge_python((3, 14)), "ok"),
        (judge_platform("win32"), "warning"),
        (judge_platform("darwin"), "ok"),
        (judge_filesystem("tmpfs"), "warning"),
        (judge_filesystem("nfs4"), "warning"),
        (judge_filesystem(None), "ok"),
        (judge_room(10, 1 << 20), "warning"),
        (judge_room(1 << 40, 0), "ok"),
    ],
)
def test_each_rule_has_its_level(finding: Finding, level: str) -> None:
    """What keeps unlost from working is a problem, what may cost work a warning that says what helps."""
    assert finding.level == level
    assert finding.level == "ok" or finding.hint or finding.name == "system"


def test_a_state_home_open_to_others_is_a_warning(tmp_path: Path) -> None:
    """The state home holds the content of every snapshot, so others must not enter it."""
    tmp_path.chmod(0o755)
    assert judge_private(str(tmp_path)).level == "warning"

    tmp_path.chmod(0o700)
    assert judge_private(str(tmp_path)).level == "ok"
    assert judge_private(str(tmp_path / "later")).message == "will be made on first use"


def test_a_state_home_that_cannot_be_is_a_problem(tmp_path: Path) -> None:
    """A state home below a file is named as the problem, with the variable that moves it."""
    (tmp_path / "file").write_text("")
    environment = {**os.environ, "UNLOST_HOME": str(tmp_path / "file" / "state")}

    findings = diagnose(environment, str(tmp_path))

    assert not is_healthy(findings)
    assert "UNLOST_HOME" in (by_name(findings)["state home"].hint or "")


def test_settings_that_do_not_parse_are_a_finding(tmp_path: Path) -> None:
    """A broken settings file does not keep doctor from looking at the rest."""
    (tmp_path / "unlost").mkdir()
    (tmp_path / "unlost" / "config.toml").write_text("surprise = 1\n")

    findings = by_name(diagnose({**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}, str(tmp_path)))

    assert findings["settings"].level == "problem"
    assert findings["git"].level == "ok"


def test_doctor_on_a_sound_machine(program: Program) -> None:
    """Exit 0; text shows where things are, JSON holds no absolute path."""
    shown = program("doctor")
    document = program("doctor", "--json").json

    assert document["schema"] == "unlost.doctor/1"
    assert document["healthy"] is True
    assert str(program.folder) in shown.out
    assert str(program.folder) not in str(document)
    assert os.environ["UNLOST_HOME"] not in str(document)


def test_doctor_outside_a_work_tree_warns(program: Program, tmp_path: Path) -> None:
    """Outside any repository the machine is still examined, and the exit is 0."""
    findings = program("-C", str(tmp_path), "doctor", "--json").json["findings"]

    assert [finding["name"] for finding in findings if finding["level"] == "warning"] == ["workspace"]


def test_a_commit_that_was_interrupted_is_told(repository: Repository) -> None:
    """A lock of unlost's own that a kill left on the index is known for what it is; one of git's is git's business."""
    lock = repository.root / ".git" / "index.lock"
    lock.write_bytes(b"DIRC")
    assert examine_workspace(str(repository.root)).level == "ok"
    lock.write_bytes(MARK)
    found = examine_workspace(str(repository.root))

    assert (found.level, found.hint) == ("warning", "unlost resume")


def test_a_deep_look_finds_damage_and_names_it(program: Program, repository: Repository) -> None:
    """A changed row and a changed object are each named; a sound state home is told whole, exit 0."""
    repository.write("main.rs", "kept\n")
    workspace = program("mark", "--json").json["workspace"]
    assert "streams that are whole: 1" in program("doctor", "--deep").out
    home = Path(os.environ["UNLOST_HOME"])

    with sqlite3.connect(home / "ledger.db") as ledger:
        ledger.execute("UPDATE events SET facts = '{}' WHERE sequence = 1")
    ledger.close()
    for file in (home / "stores").rglob("objects/??/*"):
        file.chmod(0o600)
        file.write_bytes(b"damaged")
    findings = program("doctor", "--deep", "--json", code=1).json["findings"]

    problems = {finding["name"]: finding["message"] for finding in findings if finding["level"] == "problem"}
    assert workspace in problems["record"]
    assert "is damaged" in problems["store"]


def test_agents_are_told_with_their_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that is missing, of another version, or mute is told, and is nothing that stands in the way."""
    vendor_programs.install(tmp_path, "claude", "echo '9.9.9 (Claude Code)'")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    findings = by_name(diagnose(os.environ, str(tmp_path)))

    assert findings["claude"].message == f"9.9.9; tested with {claude.TESTED}"
    vendor_programs.install(tmp_path, "claude", "exit 1")
    assert "cannot be told" in by_name(diagnose(os.environ, str(tmp_path)))["claude"].message
    monkeypatch.setenv("PATH", "/nonexistent")
    assert by_name(diagnose(os.environ, str(tmp_path)))["claude"].message == "not installed"


def test_the_place_is_told_and_no_password(tmp_path: Path) -> None:
    """A person sees what this machine is called, and that a shared store is set, never its address."""
    settings = Settings(home=str(tmp_path), ledger="", place="here", store="https://me:secret@host/x.git")

    assert judge_place(settings).message == "here; a shared store is set"
    assert judge_place(replace(settings, store=None)).message == "here; no shared store (UNLOST_STORE)"
