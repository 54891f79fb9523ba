"""The list of another tool, run as it is: what is ticked is proven, the source is only read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow

LIST = "# Rename\n\n- [x] Add parse_all\n- [ ] Note it\n"
NO_CHANGE = """    printf '{"outcome": "no_change", "reason": "lib.rs has it"}' >"$UNLOST_OUTBOX/report.json" """
SETTINGS = '[agent]\nuse = "command"\ncommand = ["sh", "-c", "exec sh ~/agent.sh"]\n'


@pytest.fixture
def todo(tmp_path: Path) -> Path:
    """A check list outside the repository, an agent in the settings that finds the ticked entry done."""
    home = Path(os.environ["HOME"])
    (home / ".config" / "unlost").mkdir(parents=True)
    (home / ".config" / "unlost" / "config.toml").write_text(SETTINGS)
    agent = (
        f'cat >"$HOME/prompt.$UNLOST_TASK"\ncase $UNLOST_TASK in\nadd-*)\n{NO_CHANGE}\n;;\n*) echo x >>NOTES ;;\nesac\n'
    )
    (home / "agent.sh").write_text(agent)
    file = tmp_path / "TODO.md"
    file.write_text(LIST)
    file.chmod(0o444)
    return file


def test_a_ticked_entry_is_proven_by_a_check(repository: Repository, program: Program, todo: Path) -> None:
    """A ticked entry is run, told that somebody says it is done, and is `no_change` only by a check; the file stays."""
    done = program("run", str(todo), "--check", "test -e lib.rs", "--json").json

    assert [(task["id"], task["state"]) for task in done["tasks"]] == [
        ("add-parse-all", "no_change"),
        ("note-it", "done"),
    ]
    prompt = (Path(os.environ["HOME"]) / "prompt.add-parse-all").read_text()
    assert "says that this is done" in prompt
    assert "prove it" in prompt
    assert todo.read_text() == LIST


def test_a_word_proves_nothing(repository: Repository, program: Program, todo: Path) -> None:
    """Without a check, an agent that says it found the ticked entry done has proven nothing: the task is not done."""
    failed = program("run", str(todo), "--json", code=1).json

    assert failed["phase"] == "failed"
    assert failed["tasks"][0]["state"] == "failed"


def test_one_digest_for_every_way(repository: Repository, program: Program, todo: Path) -> None:
    """`run FILE -n`, `plan check FILE`, `plan import FILE` and the written plan name one digest; it can be approved."""
    planned = program("run", str(todo), "-n", "--json").json
    checked = program("plan", "check", str(todo), "--json").json
    imported = program("plan", "import", str(todo), "-o", "plan.toml", "--json").json
    again = program("plan", "check", "plan.toml", "--json").json

    digests = {planned["digest"], checked["digest"], imported["digest"], again["digest"]}
    assert len(digests) == 1
    assert (planned["format"], again["format"]) == ("checklist", "unlost")
    assert program("run", str(todo), "--approve", "0" * 64, code=3).out == ""


def test_an_import_writes_over_nothing(repository: Repository, program: Program, todo: Path) -> None:
    """An existing file is kept; a plan of unlost, a bare Markdown file and unknown JSON are refused with a hint."""
    program("plan", "import", str(todo), "-o", "plan.toml")
    written = (repository.root / "plan.toml").read_bytes()

    program("plan", "import", str(todo), "-o", "plan.toml", code=2)
    program("plan", "import", "plan.toml", code=2)
    program("run", "plan.toml", "--check", "true", code=2)
    repository.write("README.md", "# Just prose\n\n## Install\n")
    bare = program("run", "README.md", code=2)
    repository.write("package.json", json.dumps({"name": "x"}))
    unknown = program("plan", "check", "package.json", code=2)

    assert (repository.root / "plan.toml").read_bytes() == written
    assert "line 1: no plan" in bare.err
    assert "hint: " in bare.err
    assert "ralph" in unknown.err
