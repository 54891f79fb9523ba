"""A workspace goes to another folder, machine or sandbox, and comes home; and every way that can be refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.ground import eventually
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository
from kit.sshd import running_sshd

pytestmark = pytest.mark.slow
"""Each is a journey through several commands, seconds each."""


@pytest.fixture
def shared(tmp_path: Path) -> dict[str, str]:
    """A ledger and a store that two machines share."""
    store = tmp_path / "shared.git"
    subprocess.run(["git", "init", "-q", "--bare", str(store)], check=True)
    return {"UNLOST_LEDGER": f"sqlite:///{tmp_path}/ledger.db", "UNLOST_STORE": str(store)}


@pytest.fixture
def here(repository: Repository, shared: dict[str, str]) -> Program:
    """The machine that the work begins on."""
    repository.write(".gitignore", ".env\n")
    repository.commit("ignores")
    repository.write("main.rs", "fn main() { parse_all(); }\n")
    repository.write(".env", "KEY=1\n")
    return Program(folder=repository.root, variables={**shared, "UNLOST_PLACE": "here"})


@pytest.fixture
def there(tmp_path: Path, shared: dict[str, str]) -> Program:
    """Another machine: its own state home, nothing known yet."""
    (tmp_path / "there").mkdir()
    home = {"UNLOST_HOME": str(tmp_path / "there" / "state"), "UNLOST_PLACE": "there"}
    return Program(folder=tmp_path / "there", variables={**shared, **home})


def saved(program: Program) -> Any:
    """The document of a save."""
    return program("workspace", "save", "--json").json


def at(program: Program, folder: Path) -> Program:
    """The same machine, standing in another folder."""
    return Program(folder=folder, variables=program.variables)


def test_work_goes_to_another_machine_and_comes_home(
    here: Program, there: Program, repository: Repository, tmp_path: Path
) -> None:
    """W.A1: saved here, restored there, worked on, saved there, restored over this machine's own retired root."""
    here("mark")
    save = saved(here)
    workspace = save["workspace"]

    made = there("workspace", "restore", workspace, "--to", "work", "--json").json
    work = Repository(root=tmp_path / "there" / "work")
    assert (made["outcome"], made["epoch"], made["replaced"]) == ("restored", 2, False)
    assert work.git("log", "--format=%s") == "ignores"
    assert work.git("status", "--porcelain") == "M main.rs".rjust(10)
    assert not work.exists(".env")
    work.write("child.rs", "// made there\n")
    assert at(there, work.root)("check", "--json").json["added"] == ["child.rs"]
    saved(at(there, work.root))

    home = here("workspace", "restore", workspace, "--to", str(repository.root), "--json").json

    assert (home["outcome"], home["replaced"], home["epoch"]) == ("restored", True, 3)
    assert repository.read("child.rs") == b"// made there\n"
    assert repository.read("main.rs") == b"fn main() { parse_all(); }\n"
    names = sorted(path.name for path in repository.root.parent.iterdir())
    assert [name for name in names if name.startswith("repository")] == ["repository"]
    listed = here("workspace", "list", "--json").json["workspaces"]
    assert [(row["workspace"], row["place"], row["epoch"]) for row in listed] == [(workspace, "here", 3)]


def test_the_same_restore_again_keeps_new_edits(here: Program, there: Program, tmp_path: Path) -> None:
    """W.A2: a repeated restore is the same operation: nothing is written, unsaved edits stay."""
    workspace = saved(here)["workspace"]
    first = there("workspace", "restore", workspace, "--to", "work", "--json").json
    Path(tmp_path, "there", "work", "edit").write_text("unsaved\n")

    again = there("workspace", "restore", workspace, "--to", "work", "--json").json

    assert (again["outcome"], again["epoch"], again["identity"]) == ("adopted", first["epoch"], first["identity"])
    assert Path(tmp_path, "there", "work", "edit").read_text() == "unsaved\n"


def test_an_occupied_root_is_refused_and_stays(here: Program, there: Program, tmp_path: Path) -> None:
    """W.R4, W.R5, W.11, W.18: a folder of somebody else's is exit 3 with the cause in one line, and untouched."""
    workspace = saved(here)["workspace"]
    (tmp_path / "there" / "work").mkdir()
    (tmp_path / "there" / "work" / "mine").write_text("mine\n")

    told = there("workspace", "restore", workspace, "--to", "work", code=3).err
    document = there("workspace", "restore", workspace, "--to", "work", "--json", code=3).json

    assert (
        "workspace_restore_failed: step=sandbox_restore operation=restore exit=1 "
        "stage=inspect_root reason=occupied_root" in told
    )
    assert (document["schema"], document["outcome"], document["reason"]) == (
        "unlost.restore_root/1",
        "refused",
        "occupied_root",
    )
    assert (tmp_path / "there" / "work" / "mine").read_text() == "mine\n"


def test_an_empty_folder_is_taken_only_when_asked(here: Program, there: Program, tmp_path: Path) -> None:
    """W.16: `--allow-empty` is the one permission for an empty folder, and for that alone."""
    workspace = saved(here)["workspace"]
    (tmp_path / "there" / "work").mkdir()

    there("workspace", "restore", workspace, "--to", "work", code=3)
    made = there("workspace", "restore", workspace, "--to", "work", "--allow-empty", "--json").json

    assert made["outcome"] == "restored"
    assert (tmp_path / "there" / "work" / "main.rs").exists()


def test_private_files_travel_only_when_asked(here: Program, there: Program, tmp_path: Path) -> None:
    """Precious ignored files stay home; with `--private` on both sides they come along."""
    workspace = saved(here)["workspace"]
    there("workspace", "restore", workspace, "--to", "without")
    assert not (tmp_path / "there" / "without" / ".env").exists()
    here("workspace", "restore", workspace, "--to", str(tmp_path / "back"), "--abandon", "--private")
    assert (tmp_path / "back" / ".env").read_text() == "KEY=1\n"

    at(here, tmp_path / "back")("workspace", "save", "--private")
    there("workspace", "restore", workspace, "--to", "with", "--private")

    assert (tmp_path / "there" / "with" / ".env").read_text() == "KEY=1\n"


def test_a_root_that_was_left_behind_is_no_writer_any_more(
    here: Program, there: Program, repository: Repository, tmp_path: Path
) -> None:
    """W.3: once the workspace went elsewhere, the old place may neither save nor run: exit 75, and why."""
    workspace = saved(here)["workspace"]
    there("workspace", "restore", workspace, "--to", "work")
    work = PlannedWork.write(tmp_path / "plan", {"a": "    echo more >>lib.rs"})

    save = here("workspace", "save", code=75)
    run = here("run", str(work.plan), code=75)

    assert "older copy" in save.err
    assert "went to there" in run.err
    assert work.attempts() == []
    here("mark")


def test_what_was_never_saved_is_not_restored(here: Program, there: Program, repository: Repository) -> None:
    """A workspace without a save is `missing_snapshot`; one that is used elsewhere is `unsaved`, unless given up."""
    workspace = here("mark", "--json").json["workspace"]
    assert there("workspace", "restore", workspace, "--to", "x", "--json", code=3).json["reason"] == "missing_snapshot"

    saved(here)
    there("workspace", "restore", workspace, "--to", "x")
    refused = here("workspace", "restore", workspace, "--to", str(repository.root), "--json", code=3).json
    given_up = here("workspace", "restore", workspace, "--to", str(repository.root), "--abandon", "--json").json

    assert refused["reason"] == "unsaved"
    assert given_up["outcome"] in ("restored", "adopted")


def test_a_unit_that_is_over_is_no_new_writer(here: Program, there: Program, tmp_path: Path) -> None:
    """Resuming a finished unit leaves the save before it the workspace's newest use, so that it can go elsewhere."""
    work = PlannedWork.write(tmp_path / "plan", {"add": "    echo done >made.txt"})
    unit = here("run", str(work.plan), "--json").json["unit"]
    workspace = saved(here)["workspace"]

    assert here("resume", unit, "--json").json["outcome"] == "done"

    assert there("workspace", "restore", workspace, "--to", "work", "--json").json["outcome"] == "restored"
    assert (tmp_path / "there" / "work" / "made.txt").read_text() == "done\n"


def test_no_save_while_an_agent_runs(here: Program, tmp_path: Path) -> None:
    """`workspace save` while a unit is driven here is exit 75, names it, and saves nothing."""
    started = tmp_path / "started"
    work = PlannedWork.write(tmp_path / "plan", {"wait": f"    touch {started}; sleep 600"})
    running = here.start("run", str(work.plan))
    try:
        eventually(lambda: started.exists() or running.poll() is not None)
        assert started.exists()
        refused = here("workspace", "save", code=75)
    finally:
        here("stop", code=None)
        running.communicate(timeout=240)

    assert "u-" in refused.err
    assert here("workspace", "save", "--json").json["state"] == "committed"


def test_an_agent_can_neither_save_nor_restore(here: Program) -> None:
    """Below an attempt the workspace's moves are refused: exit 2."""
    inside = here.with_variables(UNLOST_ATTEMPT="a-1")

    for arguments in (
        ("save",),
        ("restore", "w-1", "--to", "x"),
        ("apply", "w-1"),
        ("remove", "w-1"),
        ("adopt", "w-1"),
    ):
        assert "inside an attempt" in inside("workspace", *arguments, code=2).err


def test_a_store_that_is_gone_saves_nothing(here: Program, there: Program) -> None:
    """A shared store that cannot be reached is told, nothing counts as saved, and a later save does."""
    away = here.with_variables(UNLOST_STORE="ssh://127.0.0.1:1/x.git")

    assert "cannot be reached" in away("workspace", "save", code=75).err
    workspace = here("workspace", "list", "--json").json["workspaces"][0]["workspace"]
    assert there("workspace", "restore", workspace, "--to", "x", "--json", code=3).json["reason"] == "missing_snapshot"
    saved(here)
    there("workspace", "restore", workspace, "--to", "x")


def test_a_place_behind_a_command(here: Program, tmp_path: Path) -> None:
    """`--through`: a root behind any `docker exec`-like prefix, named by what that place calls itself."""
    workspace = saved(here)["workspace"]
    box = tmp_path / "box"

    made = here(
        "workspace",
        "restore",
        workspace,
        "--to",
        str(box),
        "--through",
        "env -i PATH=/usr/local/bin:/usr/bin:/bin",
        "--json",
    ).json

    assert made["outcome"] == "restored"
    assert (box / "main.rs").read_text() == "fn main() { parse_all(); }\n"
    receipt = json.loads((box / ".unlost" / "workspace-restored.json").read_text())
    assert receipt["identity"] == made["identity"]


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """A real sshd on loopback."""
    with running_sshd() as running:
        yield running


@pytest.mark.service
def test_a_place_behind_ssh(here: Program, server: Any, tmp_path: Path) -> None:
    """A root on a host over an ordinary sshd, its own retired root replaced when the work comes back to it."""
    machine = here.with_variables(UNLOST_SSH=server.client)
    workspace = saved(machine)["workspace"]
    root = tmp_path / "it's a place"

    made = machine("workspace", "restore", workspace, "--to", server.url(str(root).replace(" ", "%20")), "--json").json

    assert made["outcome"] == "restored"
    assert (root / "main.rs").read_text() == "fn main() { parse_all(); }\n"
    assert made["root"] == str(root)
    unknown = here.with_variables(UNLOST_SSH=f"{server.client} -o UserKnownHostsFile=/dev/null")
    refused = unknown("workspace", "restore", workspace, "--to", server.url("/x"), code=75)
    assert "Host key" in refused.err
