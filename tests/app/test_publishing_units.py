"""Whole units that publish to a real bare repository: pushed, read back, refused, cut, found again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from app.supervising import Bench
from kit.repository import Repository
from kit.sshd import running_sshd

from unlost.app.publishing import publish_unit
from unlost.facts.errors import NeedsPerson, UsageError

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
PUBLISH = '[workflow]\nsteps = ["code", "publish"]\n'
AT_END = f'{PUBLISH}[commit]\nmode = "at_end"\n'
REF = "refs/heads/unlost/a-plan-of-a-test-"


@pytest.fixture
def remote(bench: Bench, tmp_path: Path) -> Repository:
    """A bare repository that `origin` names, with what is committed so far."""
    bare = Repository.create(tmp_path / "remote.git", "--bare")
    bench.repository.git("remote", "add", "origin", f"file://{bare.root}")
    bench.repository.git("push", "-q", "origin", "main")
    return bare


def branches(remote: Repository) -> dict[str, str]:
    """What the remote holds beside `main`."""
    rows = remote.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return {name: oid for name, oid in (row.split(" ") for row in rows) if name != "refs/heads/main"}


def test_a_unit_is_pushed_to_a_branch_of_its_own(bench: Bench, remote: Repository) -> None:
    """The branch is named for plan and unit, holds the unit's commit, and nothing else at the remote moved."""
    main = remote.git("rev-parse", "main")
    unit = bench.run(bench.work({"rename": RENAME}, head=AT_END))

    assert unit.outcome == "done", unit.document
    head = bench.repository.git("rev-parse", "HEAD")
    assert branches(remote) == {f"{REF}{unit.id}": head}
    assert remote.git("rev-parse", "main") == main
    assert unit.document["publish"]["commit"] == head
    receipts = unit.state.origin.receipts
    assert [type(receipt).__name__ for receipt in receipts] == ["CommitReceipt", "PushReceipt"]


def test_with_mode_never_only_the_remote_gets_a_commit(bench: Bench, remote: Repository) -> None:
    """The commit is made in unlost's own store and pushed from there: the user's repository stays as it was."""
    bench.repository.write("mine.txt", "mine\n")
    before = bench.repository.outside_objects()
    unit = bench.run(bench.work({"rename": RENAME, "note": "    echo '- x' >>docs/notes.md"}, head=PUBLISH))

    assert unit.outcome == "done", unit.document
    assert bench.repository.outside_objects() == before
    [(ref, commit)] = branches(remote).items()
    assert ref == f"{REF}{unit.id}"
    assert remote.git("rev-parse", f"{commit}^") == bench.repository.git("rev-parse", "HEAD")
    assert remote.git("show", "--pretty=", "--name-only", commit).splitlines() == ["docs/notes.md", "main.rs"]
    remote.git("fsck", "--strict")


def test_local_commits_travel_along(bench: Bench, remote: Repository) -> None:
    """A person's own unpushed commits below the unit's are part of its branch: history is whole at the remote."""
    for number in range(3):
        bench.repository.write("other.txt", f"{number}\n")
        bench.repository.commit(f"local {number}")
    unit = bench.run(bench.work({"rename": RENAME}, head=PUBLISH))

    [commit] = branches(remote).values()
    assert unit.outcome == "done"
    assert remote.git("rev-list", "--count", commit) == "5"


def test_the_branch_of_the_plan(bench: Bench, remote: Repository) -> None:
    """`[publish] branch` names it, and another remote's name is followed."""
    bench.repository.git("remote", "rename", "origin", "fork")
    unit = bench.run(bench.work({"rename": RENAME}, head=f'{PUBLISH}[publish]\nremote = "fork"\nbranch = "topic/x"\n'))

    assert unit.outcome == "done", unit.document
    assert list(branches(remote)) == ["refs/heads/topic/x"]


def test_an_agent_cannot_send_the_work_elsewhere(bench: Bench, remote: Repository, tmp_path: Path) -> None:
    """The address is the one of the admission: neither a changed remote nor a hook counts."""
    stranger = Repository.create(tmp_path / "stranger.git", "--bare")
    mark = tmp_path / "ran"
    script = (
        f"{RENAME}\n    git config remote.origin.url file://{stranger.root}\n"
        f"    git config url.file://{stranger.root}.insteadOf file://{remote.root}\n"
        f"    git config core.sshCommand 'touch {mark}'\n"
        "    mkdir -p .git/hooks\n"
        f"    printf '#!/bin/sh\\ntouch {mark}\\n' >.git/hooks/pre-push; chmod +x .git/hooks/pre-push\n"
    )
    unit = bench.run(bench.work({"rename": script}, head=PUBLISH))

    assert unit.outcome == "done", unit.document
    assert list(branches(remote)) == [f"{REF}{unit.id}"]
    assert branches(stranger) == {}
    assert not mark.exists()


def test_a_remote_that_this_machine_does_not_know_is_told(bench: Bench, remote: Repository) -> None:
    """Without the address of the admission nothing is pushed anywhere; the work is committed and kept."""
    forget = '    rm -f "$UNLOST_HOME"/workspaces/*/remotes.json'
    home = os.environ["UNLOST_HOME"]
    unit = bench.run(bench.work({"rename": f"{RENAME}\n{forget.replace('$UNLOST_HOME', home)}"}, head=AT_END))

    assert (unit.document["reason"], unit.exit_code) == ("publish_refused", 3)
    assert unit.document["publish"]["failure"] == "remote_changed"
    assert bench.repository.git("log", "-1", "--format=%s") == "A plan of a test"
    assert branches(remote) == {}


def test_an_unreachable_remote_is_tried_again(bench: Bench, remote: Repository) -> None:
    """Nobody there: exit 75, nothing lost, no agent paid again; once it is there `resume` publishes."""
    away = remote.root.parent / "away"
    remote.root.rename(away)
    work = bench.work({"rename": RENAME}, head=PUBLISH)
    waiting = bench.run(work)

    assert (waiting.document["reason"], waiting.exit_code) == ("publish_refused", 75)
    assert waiting.document["publish"]["failure"] == "unreachable"
    away.rename(remote.root)
    assert bench.resume().outcome == "done"
    assert work.attempts() == ["rename"]
    assert len(branches(remote)) == 1


def server_hook(remote: Repository, name: str, script: str) -> Path:
    """Put a hook into the remote."""
    place = remote.root / "hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    return place


def test_a_rule_of_the_remote_is_told(bench: Bench, remote: Repository) -> None:
    """A hook there that declines: exit 3 with its reason kept, the branch is not there, the unit keeps its work."""
    place = server_hook(remote, "pre-receive", "echo 'sign your commits' >&2; exit 1")
    waiting = bench.run(bench.work({"rename": RENAME}, head=PUBLISH))

    assert (waiting.document["reason"], waiting.exit_code) == ("publish_refused", 3)
    assert waiting.document["publish"]["failure"] == "rejected"
    assert branches(remote) == {}
    place.unlink()
    assert bench.resume().outcome == "done"


def test_a_branch_of_somebody_else_is_left_alone(bench: Bench, remote: Repository) -> None:
    """R.57: a branch of the wanted name that this unit never pushed is not overwritten, whatever it holds."""
    remote.git("branch", "topic", "main")
    main = remote.git("rev-parse", "main")
    waiting = bench.run(bench.work({"rename": RENAME}, head=f'{PUBLISH}[publish]\nbranch = "topic"\n'))

    assert (waiting.document["reason"], waiting.exit_code) == ("publish_refused", 3)
    assert waiting.document["publish"]["failure"] == "not_fast_forward"
    assert branches(remote) == {"refs/heads/topic": main}


def test_a_lost_reply_is_settled_by_reading_the_remote(bench: Bench, remote: Repository) -> None:
    """Decision 12: the push went through and its reply was lost: the remote is read, and it is done, pushed once."""
    # The server takes the push, then dies before it says so.
    server_hook(remote, "post-receive", "kill -9 $PPID")
    unit = bench.run(bench.work({"rename": RENAME}, head=PUBLISH))

    assert unit.outcome == "done", unit.document
    assert unit.document["publish"]["failure"] is None
    assert len(branches(remote)) == 1


def test_an_unknown_outcome_is_never_pushed_again_blindly(bench: Bench, remote: Repository) -> None:
    """Decision 12: the push went through, and nobody can be asked: uncertain; once it can be read, it is done."""
    away = remote.root.parent / "away"
    counted = remote.root.parent / "counted"
    script = f"echo x >>{counted}; mv {remote.root} {away}; kill -9 $PPID"
    place = server_hook(remote, "post-receive", script)
    waiting = bench.run(bench.work({"rename": RENAME}, head=PUBLISH))

    assert (waiting.document["reason"], waiting.exit_code) == ("publish_refused", 75)
    assert waiting.state.publishing.open is not None
    assert waiting.document["publish"]["failure"] == "unknown"
    still = bench.resume()
    assert still.state.publishing.open is not None
    away.rename(remote.root)
    assert place.exists()
    done = bench.resume()
    assert done.outcome == "done"
    assert counted.read_text() == "x\n"
    assert [type(receipt).__name__ for receipt in done.state.origin.receipts] == ["CommitReceipt", "PushReceipt"]


def test_a_push_cut_before_the_remote_took_it_is_made_again(bench: Bench, remote: Repository) -> None:
    """Cut during the transfer: the remote still holds what it held, so it is told as not done; `resume` pushes."""
    place = server_hook(remote, "pre-receive", "kill -9 $PPID")
    waiting = bench.run(bench.work({"rename": RENAME}, head=PUBLISH))

    assert waiting.document["reason"] == "publish_refused"
    assert branches(remote) == {}
    assert waiting.state.publishing.open is None
    place.unlink()
    assert bench.resume().outcome == "done"
    assert len(branches(remote)) == 1


@pytest.mark.parametrize(
    ("state", "head", "told"),
    [
        ("detached", AT_END, "HEAD is detached"),
        ("no remote", PUBLISH, "no remote"),
        ("merging", '[commit]\nmode = "each_task"\n', "in progress"),
    ],
)
def test_what_cannot_end_well_is_not_begun(bench: Bench, remote: Repository, state: str, head: str, told: str) -> None:
    """A plan whose commits or push could not be made as things stand starts nothing: no agent is paid in vain."""
    match state:
        case "detached":
            bench.repository.git("checkout", "-q", "--detach")
        case "no remote":
            bench.repository.git("remote", "remove", "origin")
        case _:
            (bench.repository.root / ".git" / "MERGE_HEAD").write_text(bench.repository.git("rev-parse", "HEAD"))
    work = bench.work({"rename": RENAME}, head=head)
    with pytest.raises(NeedsPerson, match=told):
        bench.run(work)

    assert work.attempts() == []
    with bench.supervisor() as supervisor:
        assert supervisor.units() == ()


@pytest.mark.slow
def test_a_unit_is_published_over_ssh(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R.56: over sshd on loopback, with a lost reply in the middle: pushed once, read back, done."""
    bare = Repository.create(tmp_path / "remote.git", "--bare")
    with running_sshd() as server:
        monkeypatch.setenv("GIT_SSH_COMMAND", server.client)
        bench.repository.git("remote", "add", "origin", server.url(bare.root))
        bench.repository.git("push", "-q", "origin", "main")
        server_hook(bare, "post-receive", "kill -9 $PPID")
        unit = bench.run(bench.work({"rename": RENAME}, head=AT_END))

    assert unit.outcome == "done", unit.document
    assert branches(bare) == {f"{REF}{unit.id}": bench.repository.git("rev-parse", "HEAD")}


def test_published_by_hand_while_it_waits(bench: Bench, remote: Repository) -> None:
    """A unit that waits because of its push is published by hand, and `resume` ends it without another push."""
    counted = remote.root.parent / "counted"
    place = server_hook(remote, "pre-receive", "exit 1")
    waiting = bench.run(bench.work({"rename": RENAME}, head=PUBLISH))
    assert waiting.document["reason"] == "publish_refused"
    place.unlink()
    server_hook(remote, "post-receive", f"echo x >>{counted}")
    with bench.supervisor() as supervisor:
        by_hand = publish_unit(supervisor, waiting.id)
    done = bench.resume()

    assert (by_hand.phase, by_hand.document["publish"]["failure"]) == ("blocked", None)
    assert done.outcome == "done"
    assert counted.read_text() == "x\n"


def test_the_words_of_a_remote_that_declines_are_told(bench: Bench, remote: Repository) -> None:
    """Published by hand against a rule of the remote, its own words are in the error, without control characters."""
    server_hook(remote, "pre-receive", r"printf 'sign\033[31m your commits\nsee /wiki\n' >&2; exit 1")
    waiting = bench.run(bench.work({"rename": RENAME}, head=PUBLISH))

    with bench.supervisor() as supervisor, pytest.raises(NeedsPerson) as caught:
        publish_unit(supervisor, waiting.id)

    assert "declined (" in caught.value.message
    assert "your commits see /wiki)" in caught.value.message
    assert "\033" not in caught.value.message
    assert str(remote.root) not in caught.value.message


def test_an_agent_may_not_publish(bench: Bench, remote: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishing is a person's word: refused to a process below an agent."""
    unit = bench.run(bench.work({"rename": RENAME}))
    monkeypatch.setenv("UNLOST_ATTEMPT", "u-1-1-1")
    with bench.supervisor() as supervisor, pytest.raises(UsageError):
        publish_unit(supervisor, unit.id)

    assert branches(remote) == {}
