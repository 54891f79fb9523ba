"""Running other programs: what they are given, how they end, and that nothing of them stays."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
from pathlib import Path

import pytest
from kit.ground import bounds

from unlost.host.conversation import Conversation, ConversationEnded
from unlost.host.pipes import Collector
from unlost.host.process import NotStarted, Outcome, Request, find_program, run, start

PATH = {"PATH": "/usr/bin:/bin"}


def shell(script: str, **options: object) -> Request:
    return Request(argv=("/bin/sh", "-c", script), env=PATH, **options)  # type: ignore[arg-type]


def is_alive(pid: int) -> bool:
    """Whether a process still runs; one that was just killed is given a moment to be gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    with open(descriptor, "rb", buffering=0):
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return not poll.poll(120_000)


def test_outcome_of_a_program() -> None:
    """Streams, exit code and argv come back as they were; only 0 is ok."""
    outcome = run(shell("echo out; echo err >&2; exit 3"))

    assert (outcome.stdout, outcome.stderr, outcome.exit_code, outcome.ok) == (b"out\n", b"err\n", 3, False)
    assert outcome.argv == ("/bin/sh", "-c", "echo out; echo err >&2; exit 3")
    assert run(shell("true")).ok


def test_signal_is_a_negative_exit_code() -> None:
    """A program that a signal killed tells which."""
    assert run(shell("kill -TERM $$")).exit_code == -signal.SIGTERM


def test_environment_is_the_requests_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of our own environment reaches a child."""
    monkeypatch.setenv("UNLOST_SECRET", "s")
    outcome = run(Request(argv=("/usr/bin/env",), env={"ONLY": "this"}))

    assert outcome.stdout == b"ONLY=this\n"


@pytest.mark.parametrize("data", [b"", b"fed", os.urandom(3 << 20)])
def test_fed_bytes_arrive(data: bytes) -> None:
    """Bytes of any size are fed while output is read, so neither side waits for the other."""
    assert run(Request(argv=("cat",), env=PATH, stdin=data)).stdout == data


def test_stdin_from_a_file_or_empty(tmp_path: Path) -> None:
    """A path is opened as stdin; without one the program reads an end at once."""
    (tmp_path / "in").write_bytes(b"from a file")

    assert run(Request(argv=("cat",), env=PATH, stdin=str(tmp_path / "in"))).stdout == b"from a file"
    assert run(Request(argv=("cat",), env=PATH)).stdout == b""


def test_program_that_does_not_read_its_stdin() -> None:
    """A program may end without reading what it is fed; its exit code tells what that means."""
    assert run(Request(argv=("true",), env=PATH, stdin=b"x" * (1 << 20))).ok


def test_output_beyond_the_limit_loses_its_middle() -> None:
    """Head and tail are kept, the number of dropped bytes stands between, and the outcome says truncated."""
    script = "i=0; while [ $i -lt 3000 ]; do echo line$i; i=$((i+1)); done"
    outcome = run(shell(script, output_limit=2000))

    assert outcome.truncated
    assert outcome.stdout.startswith(b"line0\n")
    assert outcome.stdout.endswith(b"line2999\n")
    assert b"bytes dropped" in outcome.stdout
    assert len(outcome.stdout) < 2100


def test_collector_keeps_bounded_memory() -> None:
    """Whatever is added, head, tail and the count of the rest add up to all of it."""
    collector = Collector(10)
    for number in range(1000):
        collector.add(b"%04d" % number)

    kept = collector.kept()
    assert kept.startswith(b"00000")
    assert kept.endswith(b"80999")
    assert collector.dropped == 4000 - 10


def test_merged_streams_keep_their_order() -> None:
    """With `merge` both streams are one, in the order they were written."""
    outcome = run(shell("echo a; echo b >&2; echo c", merge=True))

    assert (outcome.stdout, outcome.stderr) == (b"a\nb\nc\n", b"")


def test_time_out_climbs_the_ladder() -> None:
    """A program that outlives its time is stopped with everything in its group, also when it ignores SIGTERM."""
    for timeout in bounds(0.2):
        line = "trap '' TERM; sleep 600 & echo $!; wait"
        outcome = run(shell(line, timeout=timeout), ladder=((signal.SIGTERM, 0.1),))

        assert outcome.timed_out
        assert not outcome.ok
        if outcome.stdout:
            break
    assert outcome.exit_code == -signal.SIGKILL
    assert not is_alive(int(outcome.stdout))


def test_what_a_program_leaves_behind_is_ended() -> None:
    """A child in the background neither delays the outcome, though it holds the pipes, nor outlives it."""
    outcome = run(shell("sleep 600 & echo $!"))

    assert outcome.ok
    assert not is_alive(int(outcome.stdout))


def test_stop_ends_a_running_group() -> None:
    """`stop` ends leader and children, and asked again only answers."""
    running = start(shell("sleep 600 & wait"))

    assert not running.ended(0.0)
    assert running.stop() == -signal.SIGTERM
    assert running.stop() == -signal.SIGTERM
    assert not is_alive(running.pid)


def test_child_leads_a_session_of_its_own() -> None:
    """A signal from our terminal does not reach a child."""
    outcome = run(Request(argv=(sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid())"), env=PATH))

    assert outcome.stdout == b"True\n"


def test_child_has_ordinary_signals_and_descriptors(tmp_path: Path) -> None:
    """SIGPIPE is not ignored in a child, and it has the three streams and what it is handed, nothing else."""
    kept = os.open(tmp_path, os.O_RDONLY)
    # Far above the number that `ls` itself may get for the folder it reads.
    other = fcntl.fcntl(kept, fcntl.F_DUPFD_CLOEXEC, 200)
    try:
        shown = run(Request(argv=("ls", "/proc/self/fd"), env=PATH, inherit=(kept,))).stdout.split()
        blocked = run(shell("grep SigIgn /proc/self/status")).stdout.split()[1]
    finally:
        os.close(kept)
        os.close(other)

    assert int(blocked, 16) & (1 << (signal.SIGPIPE - 1)) == 0
    assert str(kept).encode() in shown
    assert str(other).encode() not in shown


@pytest.mark.parametrize("name", ["a folder", "quote'\"$(x)", "-dash"])
def test_folder_of_a_program(tmp_path: Path, name: str) -> None:
    """A program runs in the folder it is given, whatever its name, with arguments as they are."""
    (tmp_path / name).mkdir()
    outcome = run(Request(argv=("/bin/sh", "-c", 'pwd; echo "$1"', "sh", "$(no)"), env=PATH, cwd=str(tmp_path / name)))

    assert outcome.stdout.decode() == f"{tmp_path / name}\n$(no)\n"


@pytest.mark.parametrize(
    "request_",
    [
        Request(argv=("/no/such/program",), env=PATH),
        Request(argv=("no-such-program",), env=PATH),
        Request(argv=("/no/such/program",), env=PATH, cwd="/"),
        Request(argv=("true",), env=PATH, cwd="/no/such/folder"),
        Request(argv=("true",), env=PATH, cwd="relative"),
        Request(argv=("/etc/passwd",), env=PATH),
    ],
)
def test_program_that_cannot_start(request_: Request) -> None:
    """A missing program, a file without the exec bit and a missing folder are NotStarted, and leak no descriptor."""
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(NotStarted):
        run(request_)

    assert set(os.listdir("/proc/self/fd")) <= before


def test_no_descriptor_is_left() -> None:
    """After an outcome every pipe and process descriptor is closed."""
    before = set(os.listdir("/proc/self/fd"))
    outcomes: list[Outcome] = [run(shell("cat", stdin=b"x")) for _ in range(3)]

    assert all(outcome.ok for outcome in outcomes)
    assert set(os.listdir("/proc/self/fd")) <= before


def test_search_passes_relative_folders_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an empty or relative entry of PATH would find depends on where one stands, so it is not found."""
    program = tmp_path / "here"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert find_program("here", ":.:relative") is None
    assert find_program("here", f".:{tmp_path}") == str(program)


def test_without_process_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has none (macOS) ends, time-outs and left children are handled all the same."""
    with monkeypatch.context() as patched:
        patched.delattr(os, "pidfd_open")
        plain = run(shell("echo x"))
        late = run(shell("exec sleep 600", timeout=0.1))
        left = run(shell("sleep 600 & echo $!"))

    assert plain.stdout == b"x\n"
    assert late.timed_out
    assert left.ok
    assert not is_alive(int(left.stdout))


def test_conversation() -> None:
    """Questions are answered one at a time, by line or by size; the child ends with the conversation."""
    talk = Conversation(Request(argv=("/bin/cat",), env=PATH))
    talk.say(b"one\nlonger line\n")
    assert talk.line() == b"one"
    assert b"".join(talk.stream(6)) == b"longer"
    assert talk.line() == b" line"
    talk.close()
    talk.close()

    assert not is_alive(talk.pid)


def test_conversation_that_ends_early() -> None:
    """A child that ends in the middle of an answer is an error of its own, however often one asks."""
    talk = Conversation(Request(argv=("/bin/sh", "-c", "read line; printf half"), env=PATH))
    talk.say(b"question\n")
    with pytest.raises(ConversationEnded):
        talk.line()
    with pytest.raises(ConversationEnded):
        talk.line()
    talk.close()
    with pytest.raises(NotStarted):
        Conversation(Request(argv=("/no/such/program",), env=PATH))
