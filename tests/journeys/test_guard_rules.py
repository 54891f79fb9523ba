"""What the guard of a run promises beside finding losses: where it lives, what it leaves, what it does not judge."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
WIPE = "    git checkout -- main.rs; echo more >>docs/notes.md"


def test_a_run_installs_no_hook_anywhere(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.3: the guard lives in the run: no hook and no setting is written for the user or the repository."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME})
    home = Path(os.environ["HOME"])
    before = (sorted(home.rglob("*")), sorted((repository.root / ".git" / "hooks").iterdir()))

    program("run", str(work.plan))

    assert (sorted(home.rglob("*")), sorted((repository.root / ".git" / "hooks").iterdir())) == before
    assert not [name for name in os.listdir(repository.root) if name in (".claude", ".codex", ".unlost")]


def test_it_detects_and_anchors_and_does_not_prevent(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.4: the discarding command takes effect; what it cost is found at the boundary and can be read back."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME, "wipe": WIPE})

    blocked = program("run", str(work.plan), "--json", code=4).json

    assert b"legacy_parse" in repository.read("main.rs")
    snapshot = blocked["lost"][0]["last_seen"]["snapshot"]
    assert "parse_all" in program("show", f"{snapshot}:main.rs").out


def test_every_boundary_has_a_snapshot_and_the_repository_has_none(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """G.5, G.6: each boundary has a recovery snapshot, in our own store in place of `git stash create` (decision 8)."""
    repository.write("mine.txt", "untracked before the run\n")
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME, "notes": "    echo more >>docs/notes.md"})

    done = program("run", str(work.plan), "--json").json

    assert len(done["boundaries"]) >= 5
    for boundary in done["boundaries"]:
        assert program("show", f"{boundary['snapshot']}:mine.txt").out == "untracked before the run\n"
    assert repository.git("stash", "list") == ""
    assert repository.git("fsck", "--no-reflogs", "--dangling") == ""
    assert repository.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


@pytest.mark.parametrize("disposition", ["commit", "discard"])
def test_what_a_person_does_afterwards_is_no_trip(
    disposition: str, repository: Repository, program: Program, tmp_path: Path
) -> None:
    """G.19: committing or discarding the whole tree after the run trips nothing: the unit stays done."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME})
    done = program("run", str(work.plan), "--json").json

    if disposition == "commit":
        repository.commit("all of it")
        assert program("check", "--json").json["verdict"] == "ok"
    else:
        repository.git("checkout", "--", ".")

    shown = program("show", done["unit"], "--json").json
    assert (shown["phase"], shown["outcome"], shown["lost"]) == ("done", "done", [])


def test_a_later_revision_asks_the_agent_in_the_same_way(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """N.21: the note adds no key to the request: variables and arguments of the agent are those of revision 1."""
    lines = f'    env | cut -d= -f1 | sort >"{tmp_path}/request.$(ls {tmp_path} | grep -c request)"; echo $# >>lib.rs'
    work = PlannedWork.write(tmp_path / "plan", {"only": f"{lines}; exit 1"}, head="[budget]\nattempts = 1\n")
    program("run", str(work.plan), code=1)
    work.plan.write_text(work.plan.read_text().replace('text = "Do only."', 'text = "Do only better."'))

    program("amend", "--plan", str(work.plan), "--run", code=1)

    assert "earlier coding attempt" in work.prompt("only")
    assert (tmp_path / "request.0").read_text() == (tmp_path / "request.1").read_text()
    assert repository.read("lib.rs").endswith(b"0\n0\n")
