"""Whole units that commit, in a real repository: each task, at the end, refused, retried, with hooks."""

from __future__ import annotations

from pathlib import Path

import pytest
from app.supervising import Bench, plan_of
from kit.repository import Repository

from unlost.app.plain import Workspace
from unlost.settings import read_settings
from unlost.unit.facts import UnitState

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
NOTE = "    echo '- renamed' >>docs/notes.md"
EACH = '[commit]\nmode = "each_task"\n'
AT_END = '[commit]\nmode = "at_end"\n'
GIT = "git -c user.name=A -c user.email=a@example.org"
TASKS = {"rename": RENAME, "note": NOTE}


def log(repository: Repository) -> list[str]:
    """The subjects of the branch, newest first."""
    return repository.git("log", "--format=%s").splitlines()


def changed(repository: Repository, commit: str) -> list[str]:
    """The paths of a commit."""
    return repository.git("show", "--pretty=", "--name-only", commit).splitlines()


def state(bench: Bench) -> UnitState:
    """The newest unit's state."""
    with bench.supervisor() as supervisor:
        return supervisor.units()[-1].state


def test_each_task_is_committed_after_its_boundary(bench: Bench) -> None:
    """Decision 2: one commit a task, in order, with its paths alone; a person's dirty file is in none of them."""
    repository = bench.repository
    repository.write("mine.txt", "mine\n")
    repository.write("lib.rs", "pub fn legacy_parse() {} // mine\n")
    unit = bench.run(bench.work(TASKS, head=EACH))

    assert unit.outcome == "done"
    assert log(repository) == ["Do note.", "Do rename.", "first"]
    assert (changed(repository, "HEAD~1"), changed(repository, "HEAD")) == (["main.rs"], ["docs/notes.md"])
    assert repository.git("log", "-1", "--format=%(trailers:key=Unlost-Unit,valueonly)").strip() == unit.id
    assert repository.git("status", "--porcelain") == " M lib.rs\n?? mine.txt"


def test_committed_work_is_a_standing_claim(bench: Bench) -> None:
    """Standing: also committed since. A later task that takes a committed task's work away is found all the same."""
    wipe = "    git show HEAD~1:main.rs >main.rs\n    echo '- wiped' >>docs/notes.md"
    blocked = bench.run(bench.work({"rename": RENAME, "wipe": wipe}, head=EACH))

    assert (blocked.exit_code, blocked.document["reason"]) == (4, "loss")
    assert [lost["state"] for lost in blocked.document["lost"]] == ["reverted"]
    done = bench.resume(restore=True)
    assert (done.outcome, done.document["tasks"][0]["claims"]["standing"]) == ("done", 1)


def test_at_end_there_is_one_commit(bench: Bench) -> None:
    """One commit of everything that was done, what its checks made of it included; nothing before the end."""
    repository = bench.repository
    check = (
        '[[check]]\nname = "format"\nwrites = true\n'
        'run = ["sh", "-c", "test $(git rev-list --count HEAD) = 1 && echo \'// formatted\' >>main.rs"]\n'
    )
    unit = bench.run(bench.work(TASKS, head=AT_END + check))

    assert unit.outcome == "done", unit.document
    assert log(repository) == ["A plan of a test", "first"]
    assert changed(repository, "HEAD") == ["docs/notes.md", "main.rs"]
    assert repository.git("show", "HEAD:main.rs").endswith("// formatted")
    assert repository.git("log", "-1", "--format=%(trailers:key=Unlost-Task,valueonly)").split() == ["rename", "note"]
    assert repository.git("status", "--porcelain") == ""


def test_mode_never_moves_nothing(bench: Bench) -> None:
    """Without the key, HEAD, branch, index and config are as they were."""
    before = bench.repository.outside_objects()
    unit = bench.run(bench.work(TASKS))

    assert unit.outcome == "done"
    assert bench.repository.outside_objects() == before


def test_a_held_lock_is_told_and_tried_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit that another git holds up loses nothing: the next tasks go on, the end waits, `resume` commits all."""
    monkeypatch.setattr("unlost.publish.commits._PATIENCE", 0.0)
    repository = bench.repository
    lock = repository.root / ".git" / "index.lock"
    lock.write_bytes(b"")
    waiting = bench.run(bench.work(TASKS, head=EACH))

    assert (waiting.phase, waiting.document["reason"], waiting.exit_code) == ("blocked", "commit_refused", 75)
    assert [task["state"] for task in waiting.document["tasks"]] == ["done", "done"]
    assert log(repository) == ["first"]
    lock.unlink()
    assert bench.resume().outcome == "done"
    assert log(repository) == ["Do note.", "Do rename.", "first"]


def test_a_moved_head_on_the_same_branch_is_built_upon(bench: Bench) -> None:
    """A person who commits meanwhile keeps their commit; the task's goes on top of it."""
    person = f"    echo x >other.txt && git add other.txt && {GIT} commit -q -m 'by a person' -- other.txt"
    bench.run(bench.work({"rename": f"{RENAME}\n{person}"}, head=EACH))

    assert log(bench.repository) == ["Do rename.", "by a person", "first"]
    assert changed(bench.repository, "HEAD") == ["main.rs"]


def test_another_branch_waits_for_a_person(bench: Bench) -> None:
    """Work is never committed to a branch that the unit was not admitted on; back on its own, it goes on."""
    repository = bench.repository
    waiting = bench.run(bench.work({"rename": f"{RENAME}\n    git checkout -q -b other"}, head=AT_END))

    assert (waiting.document["reason"], waiting.exit_code) == ("commit_refused", 3)
    assert state(bench).commits.deferred is not None
    repository.git("symbolic-ref", "HEAD", "refs/heads/main")
    assert bench.resume().outcome == "done"
    assert log(repository) == ["A plan of a test", "first"]


def test_an_agent_that_commits_itself_leaves_nothing_to_commit(bench: Bench) -> None:
    """What HEAD holds already is not committed again; the claims stand."""
    unit = bench.run(bench.work({"rename": f"{RENAME}\n    {GIT} commit -q -a -m mine"}, head=EACH))

    assert unit.outcome == "done"
    assert log(bench.repository) == ["mine", "first"]


def hook(repository: Repository, script: str) -> None:
    """Put a pre-commit hook into the repository."""
    place = repository.root / ".git" / "hooks" / "pre-commit"
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


def test_a_hook_that_fixes_files_leads_to_one_more_try(bench: Bench) -> None:
    """The fixed content is captured and committed; a second refusal would have waited for a person."""
    repository = bench.repository
    hook(repository, "grep -q formatted main.rs || { echo '// formatted' >>main.rs; exit 1; }")
    unit = bench.run(bench.work({"rename": RENAME}, head='[commit]\nmode = "each_task"\nhooks = true\n'))

    assert unit.outcome == "done", unit.document
    assert repository.git("show", "HEAD:main.rs").endswith("// formatted")
    assert repository.git("status", "--porcelain") == ""


def test_a_hook_that_always_fails_waits_and_keeps_the_work(bench: Bench) -> None:
    """The unit waits with the hook's name; without the hook `resume` goes on, no agent is paid again."""
    repository = bench.repository
    hook(repository, "echo '// more' >>main.rs; echo no >&2; exit 1")
    work = bench.work({"rename": RENAME}, head='[commit]\nmode = "at_end"\nhooks = true\n')
    waiting = bench.run(work)

    assert (waiting.document["reason"], waiting.exit_code) == ("commit_refused", 3)
    assert waiting.state.commits.refused == 2
    assert b"parse_all" in repository.read("main.rs")
    (repository.root / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 0\n")
    still = bench.resume()
    assert still.state.commits.deferred is not None
    assert still.state.commits.deferred.refusal == "hooks_changed"


def test_hooks_that_did_not_run_are_named(bench: Bench, tmp_path: Path) -> None:
    """Off by default: nothing of them runs, and the unit's document says which stood there."""
    mark = tmp_path / "ran"
    hook(bench.repository, f"touch {mark}")
    unit = bench.run(bench.work({"rename": RENAME}, head=EACH))

    assert not mark.exists()
    assert unit.document["commits"]["skipped_hooks"] == ["pre-commit"]
    assert [made["commit"] for made in unit.document["commits"]["made"]] == [bench.repository.git("rev-parse", "HEAD")]


def test_plans_folder_is_untouched(bench: Bench) -> None:
    """A plan that stands in the repository, untracked, is a person's file: it is in no commit."""
    work = bench.work(TASKS, head=EACH)
    inside = bench.repository.root / "plan.toml"
    inside.write_bytes(work.plan.read_bytes())
    with bench.supervisor() as supervisor:
        supervisor.run(plan_of(work), plan_folder=str(work.plan.parent))

    assert bench.repository.git("status", "--porcelain") == "?? plan.toml"


@pytest.mark.slow
def test_a_commit_that_an_agent_took_away_is_made_again(bench: Bench) -> None:
    """An agent that resets the branch loses neither file nor commit: the file is put back, the work committed again."""
    repository = bench.repository
    reset = "    git reset -q --hard HEAD~1\n    echo '- more' >>docs/notes.md"
    blocked = bench.run(bench.work({"rename": RENAME, "reset": reset}, head=EACH))
    assert (blocked.exit_code, blocked.document["reason"]) == (4, "loss")
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        workspace.restore((), lost=True)
    done = bench.resume()

    assert done.outcome == "done", done.document
    assert sorted(log(repository)) == ["Do rename.", "Do reset.", "first"]
    assert repository.git("show", "HEAD:main.rs").count("parse_all") == 1
    assert repository.git("status", "--porcelain") == ""
    assert [made.gone for made in done.state.commits.made] == [True, False, False]


@pytest.mark.slow
def test_a_commit_that_a_person_amended_is_not_made_again(bench: Bench) -> None:
    """While its trailers stand on the branch, an amended or rebased commit is the unit's own."""
    repository = bench.repository
    amend = f'    {GIT} commit -q --amend -m "Better words" -m "$(git log -1 --format=\'%(trailers)\')"\n{NOTE}'
    unit = bench.run(bench.work({"rename": RENAME, "note": amend}, head=EACH))

    assert unit.outcome == "done", unit.document
    assert log(repository) == ["Do note.", "Better words", "first"]
    assert [made.gone for made in unit.state.commits.made] == [False, False]


@pytest.mark.parametrize("mode", ["each_task", "at_end"])
def test_what_could_not_be_captured_is_not_committed_as_deleted(bench: Bench, mode: str) -> None:
    """A tracked file that grew beyond the cap is there all the same: its commit leaves it out, and says so."""
    bench.repository.write("unlost.toml", '[snapshot]\nmax_file = "1KiB"\n')
    bench.repository.commit("a small cap")
    grow = "    head -c 4096 /dev/zero >lib.rs"
    tasks = {"rename": f"{RENAME}\n{grow}", "note": f"{NOTE}\n    rm main.rs"}
    unit = bench.run(bench.work(tasks, head=f'[commit]\nmode = "{mode}"\n', keys='paths = ["main.rs"]'))

    assert unit.outcome == "done"
    assert bench.repository.git("ls-tree", "--name-only", "HEAD").split() == ["docs", "lib.rs", "unlost.toml"]
    assert bench.repository.git("show", "HEAD:lib.rs") == "pub fn legacy_parse() {}"
    assert len(bench.repository.read("lib.rs")) == 4096
    made = state(bench).commits.made
    assert [(each.path, each.reason) for each in made[0].intended.left_out] == [(b"lib.rs", "not_captured")]
