"""An agent dies or hits its cap: its work is proven, brought back on a word, and the next one is told exactly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow

OLD_MAIN = b"fn main() {\n    legacy_parse();\n}\n"
NEW_MAIN = b"fn main() {\n    parse_all();\n}\n"
DIES_FIRST = """    if [ ! -e "$0.once" ]; then
      touch "$0.once"
      sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak
      echo '# parse_all' >notes.md
      exit 1
    fi
    echo 'pub fn parse_all() {}' >>lib.rs"""


@pytest.fixture
def wiped(repository: Repository, program: Program, tmp_path: Path) -> PlannedWork:
    """The first attempt edited and died, then its supervisor was killed, then the edits were wiped."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": DIES_FIRST})
    program.with_variables(UNLOST_CRASH_AT="attempt.closed:1")("run", str(work.plan), code=-9)
    assert repository.read("main.rs") == NEW_MAIN
    repository.git("checkout", "--", "main.rs")
    repository.remove("notes.md")
    return work


def test_wiped_work_waits_and_comes_back(repository: Repository, program: Program, wiped: PlannedWork) -> None:
    """H.27: no second agent is paid before a person decides; `--restore` has it back byte for byte, told as present."""
    blocked = program("resume", "--json", code=3).json
    paid = wiped.attempts()
    shown = program("show", blocked["unit"], code=0).out
    done = program("resume", "--restore", "--json").json
    prompt = wiped.prompt("rename")

    assert (blocked["phase"], blocked["reason"], paid) == ("blocked", "recoverable", ["rename"])
    assert blocked["next"] == f"unlost resume {blocked['unit']} --restore"
    assert "handoff   rename/1 derived · recoverable: main.rs, notes.md" in shown
    assert done["outcome"] == "done"
    assert wiped.attempts() == ["rename", "rename"]
    assert repository.read("main.rs") == NEW_MAIN
    assert repository.read("notes.md") == b"# parse_all\n"
    assert "[PRESENT — verify only, do not rewrite] main.rs" in prompt
    assert "[PRESENT — verify only, do not rewrite] notes.md" in prompt
    assert prompt.count("Definition of done") == 1
    (handoff,) = done["handoffs"]
    assert (handoff["source"], sorted(handoff["restored"])) == ("derived", ["main.rs", "notes.md"])
    assert "brought back: main.rs, notes.md" in program("show", done["unit"]).out


def test_a_plain_resume_goes_on_without_it(repository: Repository, program: Program, wiped: PlannedWork) -> None:
    """The unit waits once: a plain resume leaves the tree alone and tells the next agent where the work is kept."""
    program("resume", code=3)
    done = program("resume", "--json").json
    prompt = wiped.prompt("rename")

    assert done["outcome"] == "done"
    assert repository.read("main.rs") == OLD_MAIN
    assert "[RECOVERABLE (snapshot" in prompt
    assert "before:\n<<<UNTRUSTED before" in prompt
    assert "    legacy_parse();\n" in prompt
    assert "    parse_all();\n" in prompt


def test_a_restore_keeps_what_stands_there(repository: Repository, program: Program, wiped: PlannedWork) -> None:
    """H.26: lines that somebody wrote since are merged with what comes back, and are in a snapshot besides."""
    repository.write("main.rs", OLD_MAIN + b"// mine\n")
    program("resume", code=3)
    program("resume", "--restore")

    assert repository.read("main.rs") == NEW_MAIN + b"// mine\n"
    kept = [row for row in program("snapshots", "--json").json["snapshots"] if row["kind"] == "kept"]
    assert program("show", f"{kept[-1]['snapshot']}:main.rs").out.encode() == OLD_MAIN + b"// mine\n"


@pytest.mark.parametrize(("choice", "content"), [("always", NEW_MAIN), ("never", OLD_MAIN)])
def test_the_plan_may_have_decided(
    repository: Repository, program: Program, tmp_path: Path, choice: str, content: bytes
) -> None:
    """`[resume] restore`: always brings back and never leaves; neither asks."""
    head = f'[resume]\nrestore = "{choice}"\n'
    work = PlannedWork.write(tmp_path / "plan", {"rename": DIES_FIRST}, head=head)
    program.with_variables(UNLOST_CRASH_AT="attempt.closed:1")("run", str(work.plan), code=-9)
    repository.git("checkout", "--", "main.rs")

    assert program("resume", "--json").json["outcome"] == "done"
    assert repository.read("main.rs") == content


HANDOFF = {
    "task": "rename the parser",
    "iteration_cap": 2,
    "design_decisions": [{"decision": "keep the old name exported", "reason": "two callers outside"}],
    "exact_fixes": [{"file": "main.rs", "anchor": "fn main", "before": "legacy_parse();", "after": "parse_all();"}],
    "remaining_steps": ["export parse_all in lib.rs"],
    "source": "handoff",
}
CAPPED = f"""\
[[step]]
do = "edit"
path = "main.rs"
before = "legacy_parse"
after = "parse_all"
only = {{ attempt = 1 }}
[[step]]
do = "handoff"
value = '''{json.dumps(HANDOFF)}'''
only = {{ attempt = 1 }}
[[step]]
do = "git"
args = ["stash", "push", "-q"]
only = {{ attempt = 1 }}
[[step]]
do = "tool"
times = 3
only = {{ attempt = 1 }}
[[step]]
do = "wait_for"
path = "never"
only = {{ attempt = 1 }}
[[step]]
do = "write"
path = "lib.rs"
text = "pub fn parse_all() {{}}\\n"
only = {{ attempt = 2 }}
"""


def test_a_cap_with_a_handoff_of_its_own(repository: Repository, program: Program, tmp_path: Path) -> None:
    """H.3, H.26: at its cap the agent's own handoff counts; what it stashed is back and the stash is still there."""
    (tmp_path / "script.toml").write_text(CAPPED)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'title = "Rename"\ngoal = "Rename it."\n[agent]\nuse = "scripted"\nscript = "script.toml"\n'
        '[budget]\nturns = 2\ngrace = "1s"\n[resume]\nrestore = "always"\n'
        '[[task]]\nid = "rename"\ntext = "Rename it."\n'
    )

    done = program("run", str(plan), "--json").json
    prompt = program("show", done["unit"], "--prompt", "rename/2", "--body").out

    assert done["outcome"] == "done"
    assert repository.read("main.rs") == NEW_MAIN
    assert repository.git("stash", "list").startswith("stash@{0}")
    assert [(each["source"], each["restored"]) for each in done["handoffs"]] == [("asked", ["main.rs"])]
    assert "had to stop at its cap of 2 iterations" in prompt
    assert "because: two callers outside" in prompt
    assert "[PRESENT — verify only, do not rewrite] main.rs" in prompt
    assert "1. export parse_all in lib.rs" in prompt
