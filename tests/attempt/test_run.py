"""One attempt as its supervisor sees it: what the agent gets, what comes back, what ends it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from kit.ground import Audience, Ground, bounds, eventually, fast

from unlost.agents.command import Command
from unlost.agents.protocol import AgentEvent, AgentSettings, Ended, Errand, Heard, Launch, Said, ToolCall
from unlost.agents.registry import open_agent
from unlost.attempt.facts import AttemptEnd
from unlost.attempt.orphans import settle
from unlost.attempt.run import run
from unlost.attempt.writer import current_writer
from unlost.host.clock import SystemClock

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the oracle reads /proc")


def shell(ground: Ground, line: str, audience: Audience | None = None, prompt: bytes = b"") -> AttemptEnd:
    adapter = open_agent("command", AgentSettings(command=("/bin/sh", "-c", line)))
    return run(ground.request(ground.first, adapter, prompt=prompt, caps=fast()), audience or Audience(), SystemClock())


def test_prompt_arrives_byte_for_byte(ground: Ground) -> None:
    """The agent reads exactly the stored prompt on its stdin, bytes that are no text included."""
    prompt = bytes(range(256)) * 300

    end = shell(ground, f"cmp - {ground.folder}/expected", prompt=_put(ground.folder / "expected", prompt))

    assert (end.reason, end.error, end.exit_code) == ("exited", None, 0)


def test_unread_prompt_blocks_nobody(ground: Ground) -> None:
    """An agent that never reads a prompt of megabytes ends as any other."""
    end = shell(ground, "exit 0", prompt=b"p" * 5_000_000)

    assert end.error is None


def test_environment_is_built_from_nothing(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent gets what was passed on and UNLOST_*, and nothing of the supervisor's own environment."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    audience = Audience()

    shell(ground, "env", audience)

    names = {event.text.partition("=")[0] for event in audience.events if isinstance(event, Said)}
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {
        *("PATH", "ROLL", "UNLOST_PROTOCOL", "UNLOST_UNIT", "UNLOST_STEP", "UNLOST_TASK", "UNLOST_ATTEMPT"),
        *("UNLOST_ATTEMPT_NUMBER", "UNLOST_OUTBOX"),
    }


def test_no_descriptor_of_ours_reaches_the_agent(ground: Ground) -> None:
    """The agent has its three descriptors: neither the writer lock nor a pipe of ours."""
    audience = Audience()
    inherited = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(inherited, True)

    shell(ground, "ls /proc/self/fd", audience)

    # `ls` itself opens the folder as 3.
    assert [event.text for event in audience.events if isinstance(event, Said)] == ["0", "1", "2", "3"]
    os.close(inherited)


def test_stderr_is_kept_and_exit_code_is_an_error_end(ground: Ground) -> None:
    """A non-zero exit is an error end, and the tail of stderr tells why."""
    end = shell(ground, "echo no model >&2; exit 3")

    assert (end.error, end.exit_code, end.stderr) == ("exit code 3", 3, b"no model\n")


@pytest.mark.parametrize(
    "argv",
    [("/nonexistent",), ("/etc/passwd",), ("a\0b",), ("/bin/sh", "-c", "x" * 3_000_000)],
    ids=["missing", "not-executable", "nul", "too-long"],
)
def test_agent_that_cannot_start(ground: Ground, argv: tuple[str, ...]) -> None:
    """A program that cannot be run is `not_started` with the system's reason, and the workspace is free."""
    end = run(ground.request(ground.first, Command(argv), caps=fast()), Audience(), SystemClock())

    assert (end.reason, end.killed_by_us) == ("not_started", True)
    assert end.error
    ground.assert_over()


def test_root_that_is_gone(ground: Ground) -> None:
    """An agent whose folder has vanished does not start anywhere else."""
    Path(ground.root).rmdir()

    end = shell(ground, "touch somewhere")

    assert end.reason == "not_started"
    ground.assert_over()


@pytest.mark.parametrize("agent", ["quiet", "mute"])
def test_idle_cap(ground: Ground, agent: str) -> None:
    """An agent that says nothing, its outputs open or closed, ends at the idle cap and not before."""
    end = ground.run(agent, idle=0.3)

    assert (end.reason, end.at_cap, end.error) == ("idle", True, "stopped at the cap of idle")
    assert end.seconds >= 0.3
    ground.assert_over()


def test_wall_clock_cap(ground: Ground) -> None:
    """A busy and stubborn agent ends at the wall-clock cap."""
    for number, cap in enumerate(bounds(0.3)):
        before, attempt = ground.signed(), f"{ground.first}-{number}"
        end = ground.run("stubborn", attempt, wall_clock=cap, idle=0.0)

        assert end.reason == "wall_clock"
        ground.assert_over(attempt)
        if ground.signed() - before >= 3:
            break
    assert end.struck >= 2


@pytest.mark.parametrize(
    ("line", "caps", "reason"),
    [
        ('{"type": "tool", "name": "edit", "id": "1"}', {"turns": 1}, "exited"),
        ('{"type": "tool", "name": "edit"}', {"turns": 1}, "turns"),
        ('{"type": "usage", "tokens": 900}', {"tokens": 900}, "tokens"),
        ('{"type": "usage", "cost_usd": 2.5}', {"cost_usd": 2.0}, "cost"),
        ('{"type": "usage", "tokens": 10}', {"cost_usd": 2.0}, "exited"),
    ],
)
def test_caps_that_events_tell(ground: Ground, line: str, caps: dict[str, float], reason: str) -> None:
    """Distinct calls over the cap, tokens or cost at it, end the attempt; a call told twice is one."""
    wait = "" if reason == "exited" else "sleep 600"
    adapter = Command(("/bin/sh", "-c", f"echo '{line}'; echo '{line}'; {wait}"))

    end = run(ground.request(ground.first, adapter, caps=fast(**caps)), Audience(), SystemClock())

    assert end.reason == reason


def test_agent_hands_over_at_a_cap(ground: Ground) -> None:
    """H.3: an agent that is asked to end at a cap has its grace to write a handoff, which lies outside the tree."""
    end = ground.run("polite", turns=1, grace=300.0)

    assert (end.reason, end.exit_code) == ("turns", 0)
    assert end.returned.handoff == b'{"task": "t"}'
    assert end.seconds < 300


def test_stubborn_daemon_left_behind(ground: Ground) -> None:
    """The agent leaves well; the daemon it leaves does not outlive the attempt, and the exit stays its own."""
    end = ground.run("leaver")

    assert (end.reason, end.error, end.exit_code) == ("exited", None, 0)
    assert end.struck >= 1
    ground.assert_over()


@pytest.mark.parametrize("agent", ["clean", "storm"])
def test_stop_when_asked(ground: Ground, agent: str) -> None:
    """An observer that asks for the end gets it: the whole tree, whatever it forks or forgets."""
    end = ground.run(agent, audience=Audience(lambda: ground.signed() >= 3))

    assert (end.reason, end.killed_by_us) == ("stopped", True)
    ground.assert_over()


def test_second_interrupt_loses_patience(ground: Ground) -> None:
    """The first Ctrl-C asks the agent, the second ends it without waiting for the answer."""
    supervisor = ground.drive("unmoved", cancel=60.0)
    eventually(lambda: ground.signed() == 2)
    supervisor.send_signal(signal.SIGINT)
    eventually(Path(f"{ground.roll}.asked").exists)
    supervisor.send_signal(signal.SIGINT)

    assert supervisor.communicate()[0].split() == ["stopped", "interrupted"]
    ground.assert_over()


def test_failing_observer(ground: Ground) -> None:
    """An observer that raises is heard, and the agent does not run on unseen."""

    class Broken(Audience):
        def event(self, event: AgentEvent) -> None:
            raise RuntimeError("the ledger is gone")

    with pytest.raises(RuntimeError, match="the ledger is gone"):
        ground.run("stubborn", audience=Broken())

    ground.assert_over()


def test_flood_without_newline(ground: Ground) -> None:
    """Thirty megabytes in one line pass in bounded memory: a mebibyte is kept, the rest is counted."""
    audience = Audience()

    end = ground.run("flood", audience=audience)

    (said,) = audience.events
    assert isinstance(said, Said)
    assert (len(said.text), said.dropped) == (1 << 20, 480 * 65536 - (1 << 20))
    assert end.error is None


def test_state_folder_vanishes(ground: Ground) -> None:
    """An error of ours after the agent started (here: no folder to write to) leaves nothing running."""
    away = ground.workspace + ".away"

    class Thief(Audience):
        def event(self, event: AgentEvent) -> None:
            if os.path.isdir(ground.workspace):
                os.rename(ground.workspace, away)

    with pytest.raises(OSError, match=r"spent|writer|ending|attempts"):
        ground.run("polite", audience=Thief())
    os.rename(away, ground.workspace)

    settle(ground.workspace, ground.first, SystemClock())
    ground.assert_over()


def test_current_writer_is_named_while_it_runs(ground: Ground) -> None:
    """Who writes in a workspace can be asked without disturbing it; nobody does before and after."""
    seen = []

    class Curious(Audience):
        def event(self, event: AgentEvent) -> None:
            seen.append(current_writer(ground.workspace))

    assert current_writer(ground.workspace) is None
    ground.run("daemon", audience=Curious(lambda: bool(seen)))

    assert seen[0] is not None
    assert (seen[0].attempt, seen[0].unit, seen[0].task) == (ground.first, "u-1", "t")
    assert current_writer(ground.workspace) is None


def test_spent_outlives_the_supervisor(ground: Ground) -> None:
    """What a dead supervisor had counted is in the end that a later one reads; what it had not is unknown."""
    supervisor = ground.drive("polite")
    spent = Path(ground.workspace, "attempts", ground.first, "spent.json")
    eventually(lambda: spent.exists() and json.loads(spent.read_text(encoding="utf-8"))["turns"] == 2)
    supervisor.kill()
    supervisor.communicate()

    end = settle(ground.workspace, ground.first, SystemClock())

    assert (end.turns, end.usage.tokens, end.usage.cost_usd) == (2, None, None)


def test_agent_that_converses(ground: Ground) -> None:
    """An agent can be talked to on its stdin: opening words, then a reply to each line, then words that cancel."""
    audience = Audience()
    adapter = Parrot()

    end = run(ground.request(ground.first, adapter, caps=fast(cancel=120.0, turns=2)), audience, SystemClock())

    assert [event.text for event in audience.events if isinstance(event, Said)] == ["hello", "hello!", "hello!!"]
    assert (end.reason, end.exit_code) == ("turns", 7)


def test_the_adapter_says_how_long_a_line_may_be(ground: Ground) -> None:
    """A line is cut where the adapter says, not before: a message that is cut is one that nobody can answer."""
    told = []

    class Wide(Parrot):
        def launch(self, errand: Errand) -> Launch:
            return Launch(
                argv=("/bin/sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; exit 7"), longest_line=2_000_000
            )

        def listen(self, line: bytes, dropped: int) -> Heard:
            told.append((len(line), dropped))
            return Heard()

    run(ground.request(ground.first, Wide(), caps=fast()), Audience(), SystemClock())

    assert told == [(2_000_000, 1_000_000)]


class Parrot:
    """Says what it hears; leaves with 7 at the word `leave`."""

    variables: tuple[str, ...] = ()
    carries_on: bool = False

    def launch(self, errand: Errand) -> Launch:
        line = 'while read word; do [ "$word" = leave ] && exit 7; echo "$word"; done'
        return Launch(argv=("/bin/sh", "-c", line), stdin="talk", opening=b"hello\n")

    def listen(self, line: bytes, dropped: int) -> Heard:
        text = line.decode()
        call = ToolCall(call=text, name="speech")
        return Heard(events=(Said(text=text), call), reply=line + b"!\n" if len(text) < 7 else b"")

    def cancel(self) -> bytes:
        return b"leave\n"

    def conclude(self, exit_code: int | None) -> Ended:
        return Ended(error=None if exit_code == 7 else "lost")


def _put(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    return data
