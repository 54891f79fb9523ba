"""A workspace's folder to run misbehaving agents in, with an oracle that asks nothing of unlost."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kit import driver, misbehaviour

from unlost.agents.protocol import Agent, AgentEvent, AgentSettings, Errand
from unlost.agents.registry import open_agent
from unlost.attempt.facts import AttemptEnd, AttemptRequest, Caps
from unlost.attempt.prepare import folders
from unlost.attempt.run import run
from unlost.host.clock import SystemClock

FAST = {"grace": 0.3, "cancel": 0.1, "terminate": 0.2, "linger": 0.1}


def fast(**caps: float) -> Caps:
    """Caps with the patience of a test."""
    return replace(Caps(**FAST), **caps)  # type: ignore[arg-type]  # every cap is a number


def bounds(shortest: float) -> tuple[float, ...]:
    """A time limit of the product's to try, then longer ones for a machine that has not got there within it.

    A limit of the product's own can cut off what has not even begun, where a core has much to do. What a test proves
    it proves at each limit; a longer one follows only when what should have been cut off was not there yet.
    """
    return (shortest, 10 * shortest, 100 * shortest)


def eventually(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """Poll until the condition holds; fail when it does not in time, which is far above what any machine needs."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"{condition} did not come true within {seconds} s"
        time.sleep(0.005)


class Audience:
    """An observer that remembers; it asks for a stop once `wants_stop` says so."""

    def __init__(self, wants_stop: Callable[[], bool] = lambda: False) -> None:
        self.events: list[AgentEvent] = []
        self.wants_stop = wants_stop

    def event(self, event: AgentEvent) -> None:
        self.events.append(event)

    def pulse(self) -> bool:
        return self.wants_stop()


class Ground:
    """One workspace's folder, two bystanders (no mark, another mark), and the roll of the agents' processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Attempts mark their processes, and a sweep finds marks on the whole machine: no two tests share an id.
        tag = secrets.token_hex(4)
        self.first, self.second = f"{tag}-1", f"{tag}-2"
        self.workspace = str(folder / "workspace")
        self.root = str(folder / "root")
        self.roll = folder / "roll"
        for made in (self.workspace, self.root):
            Path(made).mkdir()
        self.roll.touch()
        self.environment = {"PATH": os.environ["PATH"], "ROLL": str(self.roll)}
        line = [sys.executable, "-S", "-c", "import time; time.sleep(3600)", "misbehaviour.py", "daemon"]
        self.bystanders = [
            subprocess.Popen(line, env={}, start_new_session=True),
            subprocess.Popen(line, env={"UNLOST_ATTEMPT": "another"}, start_new_session=True),
        ]

    def command(self, agent: str) -> tuple[str, ...]:
        return (sys.executable, "-S", str(misbehaviour.__file__), agent)

    def request(self, attempt: str, agent: Agent, *, prompt: bytes = b"do it\n", caps: Caps) -> AttemptRequest:
        made = folders(self.workspace, attempt)
        errand = Errand(
            attempt=attempt,
            number=1,
            unit="u-1",
            step="code",
            task="t",
            prompt=prompt,
            root=self.root,
            outbox=made.outbox,
            folder=made.private,
        )
        return AttemptRequest(
            workspace_folder=self.workspace,
            errand=errand,
            agent=agent,
            environment=self.environment,
            caps=caps,
        )

    def run(self, agent: str, attempt: str = "", audience: Audience | None = None, **caps: float) -> AttemptEnd:
        """Run a misbehaving agent in this process."""
        adapter = open_agent("command", AgentSettings(command=self.command(agent)))
        return run(
            self.request(attempt or self.first, adapter, caps=fast(**caps)), audience or Audience(), SystemClock()
        )

    def drive(self, agent: str, attempt: str = "", crash: str = "", **caps: float) -> subprocess.Popen[str]:
        """A supervisor as a process of its own; `crash` names a point where it kills itself."""
        told = {"workspace": self.workspace, "root": self.root, "roll": str(self.roll), "agent": self.command(agent)}
        return subprocess.Popen(
            [
                sys.executable,
                str(driver.__file__),
                json.dumps({**told, "attempt": attempt or self.first, "caps": {**FAST, **caps}}),
            ],
            env={**self.environment, "UNLOST_CRASH_AT": crash},
            stdout=subprocess.PIPE,
            text=True,
        )

    def holder(self, role: str) -> int:
        """The pid of the shim or agent that the holder file names."""
        holder = json.loads(Path(self.workspace, "writer.json").read_text(encoding="utf-8"))
        return int(holder[role]["pid"])

    def signed(self) -> int:
        """How many processes the agents have had."""
        return len(self.roll.read_text(encoding="ascii").splitlines())

    def is_free(self) -> bool:
        """Whether the writer lock can be had."""
        with open(Path(self.workspace, "writer.lock"), "w", encoding="ascii") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def living(self) -> dict[int, int]:
        """The agents' processes that live: {pid: start}."""
        rows = [line.split() for line in self.roll.read_text(encoding="ascii").splitlines()]
        return {int(pid): int(start) for pid, start in rows if misbehaviour.start_of(pid) == int(start)}

    def assert_over(self, *attempts: str) -> None:
        """Nothing of the agents lives, the lock is free, each attempt (the first) has its ending, bystanders live."""
        assert self.living() == {}
        assert self.is_free()
        for attempt in attempts or (self.first,):
            assert Path(self.workspace, "attempts", attempt, "ending.json").exists()
        assert [bystander.poll() for bystander in self.bystanders] == [None, None]

    def close(self) -> None:
        """End what a failed test left: by identity."""
        for bystander in self.bystanders:
            bystander.kill()
            bystander.wait()
        for pid in self.living():
            os.kill(pid, signal.SIGKILL)
