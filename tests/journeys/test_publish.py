"""`unlost publish` as a person uses it: by hand, again, after somebody else moved the branch, and what is printed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"


@pytest.fixture
def remote(repository: Repository, tmp_path: Path) -> Repository:
    """A bare repository that `origin` names."""
    bare = Repository.create(tmp_path / "remote.git", "--bare")
    repository.git("remote", "add", "origin", str(bare.root))
    repository.git("push", "-q", "origin", "main")
    return bare


@pytest.mark.slow
def test_finished_work_is_published_by_hand(
    repository: Repository, remote: Repository, program: Program, tmp_path: Path
) -> None:
    """A unit whose workflow does not publish is published on a person's word, once, and asked again it is done."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME}, head='[commit]\nmode = "each_task"\n')
    ran = program("run", str(work.plan))
    assert "commit" in ran.err
    assert "published" not in ran.out
    first = program("publish", "--json").json
    again = program("publish", "--json").json

    head = repository.git("rev-parse", "HEAD")
    branch = first["publish"]["branch"]
    assert (first["phase"], first["publish"]["commit"], first["publish"]["failure"]) == ("done", head, None)
    assert remote.git("rev-parse", f"refs/heads/{branch}") == head
    assert again["publish"] == first["publish"]
    events = [line for line in program("show", first["unit"]).out.splitlines() if "published" in line]
    assert events == [f"published origin {branch} at {head[:10]}"]
    assert program("status", "--json").code == 0


@pytest.mark.slow
def test_the_request_text_holds_the_evidence(
    repository: Repository, remote: Repository, program: Program, tmp_path: Path
) -> None:
    """Tasks, checks, boundaries, cost: kept as a file in the state home; with `gh` and a host that it knows, opened."""
    tools = tmp_path / "tools"
    tools.mkdir()
    told = tmp_path / "told"
    gh = tools / "gh"
    gh.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{told}"\necho https://github.com/o/r/pull/7\n')
    gh.chmod(0o755)
    home = tmp_path / "gitconfig"
    home.write_text(f'[url "{remote.root}"]\n\tinsteadOf = https://github.com/o/r.git\n')
    repository.git("remote", "set-url", "origin", "https://github.com/o/r.git")
    checked = 'acceptance = ["no call is left"]\ncheck = [["sh", "-c", "! grep legacy_parse main.rs"]]\n'
    work = PlannedWork.write(
        tmp_path / "plan", {"rename": RENAME}, head='[workflow]\nsteps = ["code", "publish"]\n', keys=checked
    )
    path = f"{tools}:/usr/bin:/bin"
    unit = program.with_variables(GIT_CONFIG_GLOBAL=str(home), PATH=path)("run", str(work.plan), "--json").json

    assert unit["publish"]["request"] == "https://github.com/o/r/pull/7"
    arguments = told.read_text().splitlines()
    assert arguments[:8] == [
        *("pr", "create", "--repo", "github.com/o/r", "--head", unit["publish"]["branch"], "--base", "main"),
    ]
    text = Path(arguments[arguments.index("--body-file") + 1]).read_text()
    assert "- [x] **rename**: Do rename. (done, 1 attempt)" in text
    assert "  - no call is left" in text
    assert "- `rename/1`: passed" in text
    assert "claims standing, 0 lost" in text
    assert unit["unit"] in text
    assert str(tmp_path) not in text
    assert program("publish", "--text").out.startswith("Do the tasks.\n\n## Tasks")
    assert program("publish", "--text", "--json").json["title"] == "A plan of a test"


@pytest.mark.slow
def test_a_branch_that_others_forced_is_told_and_left_alone(
    repository: Repository, remote: Repository, program: Program, tmp_path: Path
) -> None:
    """`remote_rewound`: what the unit pushed is not there any more; nothing is pushed over it, and it is said."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME}, head='[workflow]\nsteps = ["code", "publish"]\n')
    unit = program("run", str(work.plan), "--json").json
    ref = f"refs/heads/{unit['publish']['branch']}"
    remote.git("update-ref", ref, "refs/heads/main")
    main = remote.git("rev-parse", "main")
    again = program("publish", unit["unit"], code=3)

    assert remote.git("rev-parse", ref) == main
    assert "left alone" in again.err
    shown = program("show", unit["unit"], "--json").json["publish"]
    assert shown["remote_rewound"] == [{"ref": ref, "from": unit["publish"]["commit"], "to": main}]
    assert shown["failure"] == "not_fast_forward"


def test_unfinished_and_lost_work_is_not_published(
    repository: Repository, remote: Repository, program: Program, tmp_path: Path
) -> None:
    """A unit that waits with open tasks is refused, one whose work is lost is refused with exit 4."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME, "wipe": "    git checkout -q -- main.rs"})
    program("run", str(work.plan), code=4)
    lost = program("publish", code=4)

    assert "nothing was published" in lost.err
    assert remote.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


@pytest.mark.slow
def test_the_remotes_of_another_day_do_not_count(
    repository: Repository, remote: Repository, program: Program, tmp_path: Path
) -> None:
    """Without the local record of the address that the admission noted, nothing is pushed anywhere."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME})
    program("run", str(work.plan))
    for kept in Path(os.environ["UNLOST_HOME"]).glob("workspaces/*/remotes.json"):
        kept.unlink()
    refused = program("publish", code=3)

    assert "does not know the address" in refused.err
    assert repository.git("status", "--porcelain") == " M main.rs"
    assert remote.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    published = program("publish", "--trust-remote", "--json").json["publish"]
    assert remote.git("rev-parse", published["branch"]) == published["commit"]


@pytest.mark.slow
def test_a_remote_that_came_later_is_taken_on_a_persons_word(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """A repository that had no remote at admission gets one: `--trust-remote` says that it is right."""
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME})
    program("run", str(work.plan))
    assert "--trust-remote" in program("publish", code=3).err
    assert "git remote add" in program("publish", "--trust-remote", code=3).err
    bare = Repository.create(tmp_path / "later.git", "--bare")
    repository.git("remote", "add", "origin", str(bare.root))
    assert program("publish", code=3).code == 3

    published = program("publish", "--trust-remote", "--json").json["publish"]
    assert bare.git("rev-parse", published["branch"]) == published["commit"]
