"""The main job: a plan of several tasks in a real repository, one of which wipes another's work."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.ground import eventually
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
ELSEWHERE = "    echo 'pub fn parse_all() {}' >>lib.rs"
WIPE_ONCE = """    if [ ! -e "$0.wiped" ]; then touch "$0.wiped"; git checkout -- main.rs; fi
    echo '- parser renamed' >>docs/notes.md"""
THREE_TASKS = {"rename": RENAME, "elsewhere": ELSEWHERE, "notes": WIPE_ONCE}


@pytest.fixture
def work(tmp_path: Path) -> PlannedWork:
    """The three tasks of the main job, no declared paths."""
    return PlannedWork.write(tmp_path / "plan", THREE_TASKS)


def test_a_wiped_task_blocks_is_restored_and_finished(
    repository: Repository, program: Program, work: PlannedWork
) -> None:
    """G.9, G.13, G.14, G.15, G.16: the trip blocks, names path and snapshot, and restores nothing unasked."""
    blocked = program("run", str(work.plan), "--json", code=4).json

    assert blocked["phase"] == "blocked"
    assert blocked["outcome"] is None
    assert [(lost["path"], lost["state"]) for lost in blocked["lost"]] == [("main.rs", "reverted")]
    assert b"legacy_parse" in repository.read("main.rs")
    last_seen = blocked["lost"][0]["last_seen"]
    assert program("show", f"{last_seen['snapshot']}:main.rs").out == "fn main() {\n    parse_all();\n}\n"
    boundaries = {boundary["n"]: boundary for boundary in blocked["boundaries"]}
    assert boundaries[last_seen["boundary"]]["verdict"] == "ok"

    program("restore", "main.rs")
    done = program("resume", "--json").json

    assert done["outcome"] == "done"
    assert [task["state"] for task in done["tasks"]] == ["done", "done", "done"]
    assert work.attempts().count("rename") == 1
    assert work.attempts().count("elsewhere") == 1
    assert repository.read("main.rs") == b"fn main() {\n    parse_all();\n}\n"
    assert b"parser renamed" in repository.read("docs/notes.md")


def test_the_sources_own_five_tasks_run_through(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.10: swapping call sites, rewriting tests and deleting the function runs through with no declared paths."""
    callers = "".join(f"fn {name}() {{ old({number}); }}\n" for number, name in enumerate("abc", 1))
    repository.write("main.rs", f"{callers}fn old(x: u8) {{}}\n#[test]\nfn t() {{ old(9); }}\n")
    repository.commit("callers")
    work = PlannedWork.write(
        tmp_path / "plan",
        {
            "swap": "    sed -i.bak 's/{ old(\\([123]\\))/{ fresh(\\1)/' main.rs && rm main.rs.bak\n"
            "    echo 'fn fresh(x: u8) {}' >>main.rs",
            "tests": "    sed -i.bak 's/old(9)/fresh(9)/' main.rs && rm main.rs.bak",
            "fixtures": "    rm docs/notes.md",
            "delete": "    sed -i.bak '/^fn old/d' main.rs && rm main.rs.bak",
            "tidy": "    sed -i.bak 's/fresh/parse/' main.rs && rm main.rs.bak",
        },
    )

    done = program("run", str(work.plan), "--json").json

    assert done["outcome"] == "done"
    assert work.attempts() == ["swap", "tests", "fixtures", "delete", "tidy"]


def test_a_persons_edit_before_the_run_is_protected(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.17: an uncommitted edit from before the run that task 1 wipes blocks the unit and comes back."""
    repository.write("lib.rs", "pub fn legacy_parse() { /* mine */ }\n")
    work = PlannedWork.write(tmp_path / "plan", {"first": "    git checkout -- lib.rs\n    echo more >>docs/notes.md"})

    blocked = program("run", str(work.plan), "--json", code=4).json
    program("restore", "--lost")

    assert [(lost["path"], lost["owner"]) for lost in blocked["lost"]] == [("lib.rs", "person")]
    assert repository.read("lib.rs") == b"pub fn legacy_parse() { /* mine */ }\n"


def test_a_clean_run_leaves_git_as_it_was(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.6: a supervised run moves neither HEAD nor refs nor index and commits nothing to a branch."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME, "elsewhere": ELSEWHERE})
    before = repository.outside_objects()

    program("run", str(work.plan))

    assert repository.outside_objects() == before


def test_an_intended_deletion_is_no_loss_when_declared(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """A task whose `paths` names a file may delete an earlier task's work in it."""
    work = PlannedWork.write(
        tmp_path / "plan",
        {"make": "    echo draft >draft.md", "drop": "    rm draft.md && echo final >final.md"},
        keys='paths = ["draft.md", "final.md"]',
    )

    done = program("run", str(work.plan), "--json").json

    assert done["outcome"] == "done"
    assert done["lost"] == []


def test_a_failing_check_ends_partial(repository: Repository, program: Program, tmp_path: Path) -> None:
    """A task whose check never passes fails after its attempts: partial when an earlier task is done, exit 1."""
    work = PlannedWork.write(
        tmp_path / "plan",
        {"rename": RENAME, "elsewhere": '    echo "$$" >>lib.rs'},
        head="[budget]\nattempts = 2\n",
    )
    text = work.plan.read_text()
    work.plan.write_text(text.replace('id = "elsewhere"\n', 'id = "elsewhere"\ncheck = [["false"]]\n'))

    ended = program("run", str(work.plan), "--json", code=1).json

    assert ended["outcome"] == "partial"
    assert [task["state"] for task in ended["tasks"]] == ["done", "failed"]
    assert work.attempts() == ["rename", "elsewhere", "elsewhere"]


def test_no_progress_stops_paying(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.20: two attempts in a row that end on the same tree fail the task as no_progress; no third is paid."""
    work = PlannedWork.write(tmp_path / "plan", {"idle": "    :"}, head="[budget]\nattempts = 5\n")

    ended = program("run", str(work.plan), "--json", code=1).json

    assert ended["reason"] == "no_progress"
    assert work.attempts() == ["idle", "idle"]


def test_a_second_unit_on_the_workspace_waits(repository: Repository, program: Program, tmp_path: Path) -> None:
    """A second supervised run on a busy workspace ends with 75 and names the holder; the first is not disturbed."""
    gate = tmp_path / "gate"
    slow = PlannedWork.write(
        tmp_path / "plan",
        {"wait": f"    touch '{gate}.started'; while [ ! -e '{gate}' ]; do sleep 0.05; done; echo x >>lib.rs"},
    )
    other = PlannedWork.write(tmp_path / "other", {"rename": RENAME})
    first = program.start("run", str(slow.plan))
    try:
        eventually(lambda: Path(f"{gate}.started").exists() or first.poll() is not None)
        assert first.poll() is None, first.communicate()
        refused = program("run", str(other.plan), code=75)
    finally:
        gate.touch()
        first.communicate(timeout=240)

    assert "u-" in refused.err
    assert first.returncode == 0
    assert other.attempts() == []
