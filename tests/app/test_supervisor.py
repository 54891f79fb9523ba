"""Whole units in a real repository, seen from the supervisor."""

from __future__ import annotations

import os
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from app.supervising import Bench, plan_of
from kit.ground import eventually

from unlost.app.steering import accept_check, accept_scope
from unlost.facts.errors import NeedsPerson, TryLater, UsageError
from unlost.host.environment import user_name
from unlost.plan.facts import ReviewRules, Workflow

EDIT = "    echo '- more' >>docs/notes.md"
WIPE = "    git checkout -- main.rs\n    echo '- wiped' >>docs/notes.md"
RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
NEW_MAIN = b"fn main() {\n    parse_all();\n}\n"


def test_a_plan_may_restore_by_itself(bench: Bench) -> None:
    """`on_loss = "restore"`: the wiped file is back byte for byte, the unit goes on, and nobody was asked."""
    work = bench.work({"rename": RENAME, "wipe": WIPE}, head='[guard]\non_loss = "restore"\n')
    unit = bench.run(work)

    assert unit.outcome == "done"
    assert bench.repository.read("main.rs") == NEW_MAIN
    assert work.attempts() == ["rename", "wipe"]
    assert b"- wiped" in bench.repository.read("docs/notes.md")


def test_resume_with_restore_is_the_persons_word(bench: Bench) -> None:
    """`resume --restore` brings the loss back by merge and finishes the task without another attempt."""
    work = bench.work({"rename": RENAME, "wipe": WIPE})
    blocked = bench.run(work)
    done = bench.resume(restore=True)

    assert (blocked.phase, blocked.exit_code) == ("blocked", 4)
    assert (done.outcome, done.exit_code) == ("done", 0)
    assert bench.repository.read("main.rs") == NEW_MAIN
    assert work.attempts() == ["rename", "wipe"]


def test_a_path_outside_the_scope_waits_for_a_word(bench: Bench) -> None:
    """N.27: named, blocked, kept; after a person's word the same attempt is done."""
    work = bench.work({"edit": EDIT + "\n    echo x >>lib.rs"}, head='[scope]\npaths = ["docs"]\n')
    blocked = bench.run(work)
    with bench.supervisor() as supervisor:
        accepted = accept_scope(supervisor, None, None)
    done = bench.resume()

    assert (blocked.phase, blocked.document["reason"], blocked.exit_code) == ("blocked", "out_of_scope", 3)
    assert accepted == (b"lib.rs",)
    assert done.outcome == "done"
    assert work.attempts() == ["edit"]


CHECKED = """\
[[check]]
name = "suite"
run = ["sh", "suite.sh"]
definitions = ["suite.sh"]
"""


def test_a_check_whose_definition_was_changed_waits_for_a_word(bench: Bench) -> None:
    """N.R7: an agent that rewrites the test it is judged by does not pass by it until a person has seen that."""
    bench.repository.write("suite.sh", "grep -q parse_all main.rs\n")
    bench.repository.commit("suite")
    work = bench.work({"cheat": "    echo true >suite.sh"}, head=CHECKED)
    blocked = bench.run(work)
    with bench.supervisor() as supervisor:
        redefined = accept_check(supervisor, None, "suite")
        with pytest.raises(UsageError):
            accept_check(supervisor, None, "suite")
    done = bench.resume()

    assert (blocked.phase, blocked.document["reason"]) == ("blocked", "definition_changed")
    assert redefined == (b"suite.sh",)
    assert done.outcome == "done"


def test_a_protected_check_runs_with_the_bases_copies(bench: Bench) -> None:
    """N.R7: a protected check runs over the agent's tree with the base's definitions too, in a checkout of its own."""
    bench.repository.write("suite.sh", "grep -q parse_all main.rs\n")
    bench.repository.commit("suite")
    work = bench.work({"cheat": "    echo true >suite.sh"}, head=CHECKED + "protected = true\n")
    unit = bench.run(work)

    assert (unit.phase, unit.document["reason"]) == ("failed", "checks_failed")
    assert bench.repository.read("suite.sh") == b"true\n"


def test_what_a_check_writes_is_nobodys_claim(bench: Bench) -> None:
    """A check that changes files is credited with them: the next task may change them without being a loss."""
    head = '[[check]]\nname = "last"\nrun = ["true"]\n'
    keys = 'check = [["sh", "-c", "date +%s%N >report.txt"]]'
    unit = bench.run(bench.work({"one": EDIT, "two": "    rm -f report.txt\n" + RENAME}, head=head, keys=keys))

    assert unit.outcome == "done"
    assert "checks" in [boundary["kind"] for boundary in unit.document["boundaries"]]


@pytest.mark.slow
def test_stop_from_elsewhere_ends_a_running_agent(bench: Bench, tmp_path: Path) -> None:
    """`stop` in another process ends the agent, proves what stands and keeps the work."""
    gate = tmp_path / "gate"
    work = bench.work({"wait": f"    echo x >>lib.rs; touch '{gate}'; sleep 600", "never": EDIT})
    ended: list[str] = []
    runner = threading.Thread(target=lambda: ended.append(bench.run(work).phase))
    runner.start()
    eventually(lambda: gate.exists() or not runner.is_alive())
    assert gate.exists()
    with bench.supervisor() as supervisor:
        with pytest.raises(TryLater, match="u-"):
            supervisor.resume()
        unit = supervisor.stop()
    runner.join(240)

    assert ended == ["stopped"]
    assert (unit.phase, unit.outcome, unit.exit_code) == ("stopped", "stopped", 1)
    assert b"x\n" in bench.repository.read("lib.rs")
    assert unit.document["boundaries"][-1]["kind"] == "attempt_end"
    assert work.attempts() == ["wait"]


def test_bad_input_starts_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of another digest, one whose reviewer cannot be had, a run inside an attempt: no unit."""
    work = bench.work({"edit": EDIT})
    plan = plan_of(work)
    reviewed = replace(plan, workflow=Workflow(steps=("code", "review")), review=ReviewRules(use="scripted"))
    with bench.supervisor() as supervisor:
        with pytest.raises(NeedsPerson):
            supervisor.run(plan, plan_folder="/", approve="0" * 64)
        with pytest.raises(UsageError):
            supervisor.run(reviewed, plan_folder="/")
        monkeypatch.setenv("UNLOST_ATTEMPT", "a-1")
        with pytest.raises(UsageError, match="inside an attempt"):
            supervisor.run(plan, plan_folder="/")
        with pytest.raises(UsageError, match="inside an attempt"):
            supervisor.resume()
        with pytest.raises(UsageError, match="inside an attempt"):
            supervisor.stop()
        monkeypatch.delenv("UNLOST_ATTEMPT")
        with pytest.raises(UsageError, match="no unit"):
            supervisor.find(None)
    assert work.attempts() == []


def test_the_ledger_names_no_local_path(bench: Bench) -> None:
    """Decision 17, N.R4: no event of a unit or workspace holds the root or any other absolute path of this machine."""
    bench.run(bench.work({"edit": EDIT}))
    with bench.supervisor() as supervisor:
        events = [event for stream in supervisor.ledger.streams() for event in supervisor.ledger.read(stream)]

    assert len(events) > 8
    told = " ".join(str(event.facts) + event.key for event in events)
    assert str(bench.repository.root) not in told
    assert str(bench.folder) not in told


def test_an_agent_cannot_read_the_state_home_of_others(bench: Bench) -> None:
    """The state home and what is kept of a unit on this machine are the user's alone."""
    bench.run(bench.work({"edit": EDIT}))
    settings_home = Path(os.environ["UNLOST_HOME"])

    assert stat.S_IMODE(settings_home.stat().st_mode) == 0o700
    for file in settings_home.rglob("units/*.json"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_prompt_can_be_read_back(bench: Bench) -> None:
    """Decision 7, N.23: what an attempt was told is kept byte for byte, for the requester."""
    work = bench.work({"edit": EDIT})
    unit = bench.run(work)
    with bench.supervisor() as supervisor:
        kept = supervisor.prompt(unit.id, "edit", 1)
        with pytest.raises(UsageError):
            supervisor.prompt(unit.id, "edit", 2)

    assert kept.decode() == work.prompt("edit")
    assert unit.state.requester == user_name()
