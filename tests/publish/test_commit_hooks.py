"""Commit hooks, where a plan says that they run: they pass, fail, fix, rename, hang, leave something running."""

from __future__ import annotations

from pathlib import Path

from kit.ground import bounds, eventually
from kit.misbehaviour import start_of
from kit.repository import Repository
from publish.committing import Bench

from unlost.publish.orders import CommitOrder


def hook(repository: Repository, name: str, script: str) -> None:
    """Put a hook into the repository."""
    place = repository.root / ".git" / "hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


def hooked(bench: Bench) -> CommitOrder:
    """A commit with hooks, ordered while they stand as they stood at admission."""
    ground = bench.commits().ground()
    pair = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    return bench.order(pair, hooks=True, hooks_digest=ground.hooks)


def test_a_hook_sees_exactly_what_is_committed(bench: Bench, tmp_path: Path) -> None:
    """The hook's index holds HEAD and the task's paths; a person's staged and dirty files are not in it."""
    repository = bench.repository
    repository.write("staged.txt", "mine\n")
    repository.git("add", "staged.txt")
    told = tmp_path / "told"
    hook(repository, "pre-commit", f'git diff --cached --name-only >"{told}"; pwd >>"{told}"')
    hook(repository, "post-commit", f'git log -1 --format=%s >>"{told}"')
    composed, delivered = bench.commit(hooked(bench))

    assert (composed.hooks_ran, delivered.refusal) == (True, None)
    assert told.read_text().splitlines() == ["main.rs", str(repository.root), "Swap the call sites."]
    assert repository.git("status", "--porcelain") == "A  staged.txt"


def test_a_failing_hook_stops_the_commit_and_loses_nothing(bench: Bench) -> None:
    """What it said is told; HEAD, index and files are as before."""
    repository = bench.repository
    hook(repository, "pre-commit", "echo 'line too long' >&2; exit 3")
    order = hooked(bench)
    index = (repository.root / ".git" / "index").read_bytes()
    head = repository.git("rev-parse", "HEAD")
    composed, _ = bench.commit(order)

    assert composed.refusal == "hook_failed"
    assert "line too long" in composed.told
    assert repository.git("rev-parse", "HEAD") == head
    assert (repository.root / ".git" / "index").read_bytes() == index
    assert repository.read("main.rs") == b"fn main() {}\n"


def test_a_hook_that_stages_what_it_fixed_is_followed(bench: Bench) -> None:
    """As with git: what the hook's index holds is what is committed, and the person's index follows."""
    repository = bench.repository
    hook(repository, "pre-commit", "echo '// formatted' >>main.rs; git add main.rs")
    bench.commit(hooked(bench))

    assert repository.git("show", "HEAD:main.rs") == "fn main() {}\n// formatted"
    assert repository.git("status", "--porcelain") == ""


def test_message_hooks_may_change_the_message_but_not_the_origin(bench: Bench) -> None:
    """A hook that rewrites the message keeps its words; the trailers stay."""
    repository = bench.repository
    hook(repository, "commit-msg", "echo 'TICKET-1: reworded' >\"$1\"")
    bench.commit(hooked(bench))

    message = repository.git("log", "-1", "--format=%B")
    assert message.startswith("TICKET-1: reworded\n\n")
    assert "Unlost-Unit: u-1" in message


def test_a_hook_that_hangs_is_ended(bench: Bench, tmp_path: Path) -> None:
    """After its time it and all that it started are gone, whatever group they are in; nothing is committed."""
    pid = tmp_path / "pid"
    hook(bench.repository, "pre-commit", f"setsid sh -c 'echo $$ >{pid}; exec sleep 600' & sleep 600")
    order = hooked(bench)
    for seconds in bounds(0.5):
        bench.hook_timeout = seconds
        composed, _ = bench.commit(order)

        assert composed.refusal == "hook_timed_out"
        if pid.exists() and pid.read_text():
            break
    eventually(lambda: start_of(pid.read_text().strip()) is None)


def test_hooks_that_came_since_admission_do_not_run(bench: Bench, tmp_path: Path) -> None:
    """An agent that writes a hook gets it run by nobody: the hooks must be those of the admission."""
    order = hooked(bench)
    mark = tmp_path / "ran"
    hook(bench.repository, "pre-commit", f"touch {mark}")
    composed, _ = bench.commit(order)

    assert composed.refusal == "hooks_changed"
    assert not mark.exists()
