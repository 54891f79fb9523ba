"""Walls around an agent, built by bubblewrap itself."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from kit.ground import Audience, Ground, fast
from kit.walls import BWRAP, WHY_NOT

from unlost.agents.command import Command
from unlost.agents.protocol import Said
from unlost.attempt.run import run
from unlost.attempt.sandbox import Walls, walled
from unlost.host.clock import SystemClock


@pytest.fixture
def walls(ground: Ground) -> Walls:
    """The ground's root may be written; the workspace's folder, our state, is hidden but for the outbox."""
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    Path(ground.workspace, "ledger.db").write_text("ours", encoding="utf-8")
    Path(ground.workspace, "outbox").mkdir()
    return Walls(
        program=str(BWRAP),
        writable=(str(ground.folder),),
        hidden=(ground.workspace,),
        inside=(ground.root, f"{ground.workspace}/outbox"),
    )


def shell(walls: Walls, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        walled(walls, ("/bin/sh", "-c", line)), capture_output=True, text=True, check=False, timeout=120
    )


def test_the_work_tree_can_be_written(ground: Ground, walls: Walls) -> None:
    """The agent writes in its work tree and in what is handed in, and the machine sees it."""
    done = shell(walls, f"echo x >{ground.root}/a && echo y >{ground.workspace}/outbox/report.json")

    assert done.returncode == 0, done.stderr
    assert Path(ground.root, "a").read_text(encoding="utf-8") == "x\n"
    assert Path(ground.workspace, "outbox", "report.json").read_text(encoding="utf-8") == "y\n"


def test_our_state_is_hidden_and_takes_nothing(ground: Ground, walls: Walls) -> None:
    """What lies in a hidden folder is not there, and nothing can be kept there: it would be gone with the walls."""
    done = shell(walls, f"ls {ground.workspace}; cat {ground.workspace}/ledger.db; echo x >{ground.workspace}/new")

    assert done.stdout.split() == ["outbox"]
    assert "No such file" in done.stderr
    assert "Read-only" in done.stderr
    assert not Path(ground.workspace, "new").exists()


def test_the_rest_of_the_machine_is_only_read(ground: Ground, walls: Walls, tmp_path: Path) -> None:
    """Outside of what may be written a file can be read and not be changed."""
    narrow = replace(walls, writable=())
    other = tmp_path / "other"
    other.write_text("as it was", encoding="utf-8")

    done = shell(narrow, f"cat {other}; echo x >{other}; rm {other}")

    assert done.stdout == "as it was"
    assert other.read_text(encoding="utf-8") == "as it was"


def test_an_agent_behind_walls_is_told_to_end(ground: Ground, walls: Walls) -> None:
    """At a cap the agent itself is interrupted, through its walls, and can still hand over; nothing of it is left."""
    line = """
        trap 'echo handing over; exit 3' INT
        echo '{"type": "tool", "name": "edit"}'; echo '{"type": "tool", "name": "edit"}'
        setsid sleep 600 & while :; do sleep 0.02; done
    """
    audience = Audience()
    request = ground.request(ground.first, Command(("/bin/sh", "-c", line)), caps=fast(turns=1, grace=300.0))
    outbox = request.errand.outbox
    os.makedirs(outbox)
    end = run(replace(request, walls=replace(walls, inside=(ground.root, outbox))), audience, SystemClock())

    assert (end.reason, end.exit_code) == ("turns", 3)
    assert "handing over" in [event.text for event in audience.events if isinstance(event, Said)]
    assert end.seconds < 300
    ground.assert_over()
