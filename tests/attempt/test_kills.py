"""Whoever is killed, whenever: nothing of an attempt runs on, its ending is written, and nobody else is hit.

Each random trial runs once in the suite and twenty times in `make campaign`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest
from kit.campaign import rounds
from kit.ground import Ground, eventually

from unlost.attempt.orphans import settle, unsettled
from unlost.facts.errors import TryLater
from unlost.host.clock import SystemClock

ROUNDS = range(rounds(1, 20))
AGENTS = ["daemon", "stubborn", "clean", "storm"]

linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the oracle reads /proc")
pytestmark = [linux_only, pytest.mark.campaign, pytest.mark.slow]


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def moment(agent: str, seed: int) -> int:
    """How many processes the agent has had when the blow falls: early, late, in the middle of its forks."""
    most = {"daemon": 3, "stubborn": 3, "clean": 3, "storm": 60}[agent]
    return random.Random(f"{agent} {seed}").randint(1, most)  # noqa: S311  (chance, not secrecy)


@pytest.mark.parametrize("point", ["attempt.prepared", "attempt.ready", "attempt.started"])
def test_supervisor_dies_at_each_point_of_the_start(ground: Ground, point: str) -> None:
    """A supervisor killed between any two records leaves nothing that a later one does not find."""
    supervisor = ground.drive("stubborn", crash=point)
    supervisor.communicate()

    settle(ground.workspace, ground.first, SystemClock())

    assert supervisor.returncode == -signal.SIGKILL
    ground.assert_over()


@pytest.mark.parametrize("seed", ROUNDS)
@pytest.mark.parametrize("agent", AGENTS)
def test_supervisor_killed_then_settled(ground: Ground, agent: str, seed: int) -> None:
    """The supervisor is killed at some moment; the next one settles the attempt as lost by its supervisor."""
    supervisor = ground.drive(agent)
    eventually(lambda: ground.signed() >= moment(agent, seed))
    kill(supervisor)

    end = settle(ground.workspace, ground.first, SystemClock())

    assert (end.reason, end.killed_by_us) == ("supervisor_lost", True)
    assert unsettled(ground.workspace) == ()
    ground.assert_over()


@pytest.mark.parametrize("agent", ["stubborn", "clean"])
def test_supervisor_killed_and_nobody_comes(ground: Ground, agent: str) -> None:
    """The shim alone ends everything and writes the ending."""
    supervisor = ground.drive(agent)
    eventually(lambda: ground.signed() >= 3)
    kill(supervisor)

    eventually(lambda: unsettled(ground.workspace) == ())
    eventually(ground.is_free)

    ground.assert_over()


@pytest.mark.parametrize("seed", ROUNDS)
@pytest.mark.parametrize("agent", AGENTS)
def test_shim_killed(ground: Ground, agent: str, seed: int) -> None:
    """The keeper clears what a killed shim leaves, a daemon without the mark too, before the lock is free."""
    supervisor = ground.drive(agent)
    eventually(lambda: ground.signed() >= moment(agent, seed))
    os.kill(ground.holder("shim"), signal.SIGKILL)

    said = supervisor.communicate()[0]

    assert said.strip() == "shim_lost"
    ground.assert_over()


@pytest.mark.parametrize("seed", ROUNDS)
@pytest.mark.parametrize("agent", ["daemon", "stubborn", "storm"])
def test_shim_keeper_and_supervisor_killed(ground: Ground, agent: str, seed: int) -> None:
    """With all three gone the next attempt's shim sweeps by record and mark before its own agent starts."""
    supervisor = ground.drive(agent)
    eventually(lambda: ground.signed() >= moment(agent, seed))
    shim = ground.holder("shim")
    keeper = int(Path(f"/proc/{shim}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
    # Frozen first: between two blows it would notice the one before, and settle the attempt itself.
    os.kill(shim, signal.SIGSTOP)
    for pid in (supervisor.pid, keeper, shim):
        os.kill(pid, signal.SIGKILL)
    supervisor.communicate()

    witness = ground.run("witness", attempt=ground.second)

    assert witness.exit_code == 0
    assert settle(ground.workspace, ground.first, SystemClock()).reason == "shim_lost"
    ground.assert_over(ground.first, ground.second)


def test_frozen_shim_is_ended_by_a_later_supervisor(ground: Ground) -> None:
    """A shim that hangs with a dead supervisor is asked, then killed, by identity."""
    supervisor = ground.drive("stubborn")
    eventually(lambda: ground.signed() >= 3)
    os.kill(ground.holder("shim"), signal.SIGSTOP)
    kill(supervisor)

    end = settle(ground.workspace, ground.first, HastyClock(), patience=0.2)

    assert end.reason == "shim_lost"
    ground.assert_over()


def test_living_supervisor_is_left_alone(ground: Ground) -> None:
    """An attempt that somebody drives is not settled: the holder is named, nothing is touched."""
    supervisor = ground.drive("daemon")
    eventually(lambda: ground.signed() >= 3)

    with pytest.raises(TryLater, match=rf"unit u-1 .*attempt {ground.first}"):
        settle(ground.workspace, ground.first, SystemClock(), patience=0.1)

    assert len(ground.living()) >= 2
    supervisor.send_signal(signal.SIGINT)
    assert supervisor.communicate()[0].split() == ["stopped", "interrupted"]
    ground.assert_over()


def test_reused_pid_is_not_hit(ground: Ground) -> None:
    """A recorded pid that another process has by now (another start, another boot) is nobody of ours."""
    victim = ground.bystanders[0].pid
    start = int(Path(f"/proc/{victim}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[19])
    boot = "id:" + Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    space = os.readlink("/proc/self/ns/pid")
    folder = Path(ground.workspace, "attempts", ground.first)
    folder.mkdir(parents=True)
    (folder / "record.json").write_text(
        f'{{"shim": {{"pid": {victim}, "start": {start - 1}, "boot": "{boot}", "space": "{space}"}},'
        f' "agent": {{"pid": {victim}, "start": {start}, "boot": "id:another", "space": "{space}"}}}}',
        encoding="ascii",
    )

    end = settle(ground.workspace, ground.first, SystemClock())

    assert (end.reason, end.struck) == ("shim_lost", 0)
    ground.assert_over()


def test_four_supervisors_at_once(ground: Ground) -> None:
    """Writers never overlap, and every loser is told who holds the workspace."""
    supervisors = [ground.drive("turn", attempt=f"{ground.first}-{number}") for number in range(4)]
    said = [supervisor.communicate()[0].strip() for supervisor in supervisors]

    won = said.count("exited")
    turns = Path(f"{ground.roll}.turns").read_text(encoding="ascii").split()

    assert won >= 1
    assert turns == ["in", "out"] * won
    assert all(line == "exited" or line.startswith("BUSY unit u-1 works") for line in said), said
    ground.assert_over(*(f"{ground.first}-{number}" for number in range(4)))


class HastyClock(SystemClock):
    """For whom five seconds pass in a quarter of one."""

    def monotonic(self) -> float:
        return super().monotonic() * 20
