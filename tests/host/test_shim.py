"""The shim spoken to directly: its frames, and what it does without a subreaper or a name of the boot."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.ground import Ground, bounds, eventually

from unlost.host.shim.facts import (
    Ending,
    Holder,
    Identity,
    Patience,
    Process,
    Spec,
    as_json,
    ending_from,
    holder_from,
    spec_from,
)
from unlost.host.shim.frames import TOLD, Frame, FrameCutter, packed
from unlost.host.shim.identity import own_identity
from unlost.host.shim.launch import ShimNotStarted, ShimProcess, start_shim
from unlost.host.shim.records import (
    attempt_folder,
    read_ending,
    release_lock,
    take_lock,
    take_lock_or_name,
    write_ending,
    write_holder,
)
from unlost.host.shim.sweep import below

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the oracle reads /proc")
OURSELVES = Identity(1, 2, "id:x", "pid:[1]")


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    """A workspace's folder with bystanders."""
    made = Ground(tmp_path)
    yield made
    made.close()


def brief(ground: Ground, agent: str, *, adopts: bool, idle: float = 0.0, attempt: str = "") -> ShimProcess:
    """A shim that has its spec."""
    attempt = attempt or ground.first
    os.makedirs(attempt_folder(ground.workspace, attempt))
    shim = start_shim(attempt, os.path.join(attempt_folder(ground.workspace, attempt), "shim.err"))
    shim.brief(
        Spec(
            attempt=attempt,
            unit="u-1",
            task="t",
            folder=ground.workspace,
            argv=ground.command(agent),
            cwd=ground.root,
            env=ground.environment,
            stdin=os.devnull,
            supervisor=own_identity(),
            patience=Patience(0.1, 0.1, 0.2, 0.1),
            idle=idle,
            adopts=adopts,
        )
    )
    return shim


def told(shim: ShimProcess, *, until: str) -> list[str]:
    """The shim's own events, up to one of them or to the end of the relay."""
    events: list[str] = []
    while shim.is_open and until not in events:
        for frame in shim.frames(20.0):
            if frame.kind == TOLD:
                events.append(frame.told()["event"])
                if events[-1] == "ready":
                    shim.tell("go")
    return events


def test_order_of_a_life(ground: Ground) -> None:
    """Ready, go, started, ended; the ending is on disk before the last word is said."""
    shim = brief(ground, "leaver", adopts=True)

    assert told(shim, until="ended") == ["ready", "started", "ended"]
    assert read_ending(ground.workspace, ground.first) is not None
    assert shim.leave() == 0
    ground.assert_over()


def test_stop_that_comes_with_the_spec(ground: Ground) -> None:
    """A stop that is sent before the shim could say `ready` is heard: no agent starts."""
    shim = brief(ground, "stubborn", adopts=True)
    shim.tell("stop", reason="stopped")

    assert told(shim, until="ended") == ["ready", "ended"]
    shim.leave()
    assert ground.signed() == 0
    ground.assert_over()


@pytest.mark.parametrize("agent", ["daemon", "stubborn", "storm"])
def test_without_a_subreaper(ground: Ground, agent: str) -> None:
    """Where orphans cannot be adopted (macOS), marks and memory find daemons and storms as well."""
    shim = brief(ground, agent, adopts=False)
    told(shim, until="started")
    eventually(lambda: list(shim.frames(0.0)) is not None and ground.signed() >= 3)
    shim.tell("stop", reason="stopped")

    told(shim, until="ended")

    shim.leave()
    ground.assert_over()


def test_slow_supervisor_makes_no_agent_idle(ground: Ground) -> None:
    """A supervisor that does not read bounds the shim's memory, is not the agent's silence, and is obeyed."""
    for number, idle in enumerate(bounds(0.2)):
        attempt = f"{ground.first}-{number}"
        shim = brief(ground, "flood", adopts=True, idle=idle, attempt=attempt)
        told(shim, until="started")
        pid = next(int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(name) == shim.pid)
        samples: list[int] = []
        three_times_idle = time.monotonic() + 3 * idle
        while time.monotonic() < three_times_idle:
            samples.append(_peak(pid))

        shim.tell("stop", reason="stopped")
        told(shim, until="ended")

        shim.leave()
        ending = read_ending(ground.workspace, attempt)
        assert ending is not None
        assert max(samples) < 40_000
        reason = ending.reason
        # An agent that needed longer than this to say its first word was idle indeed.
        if reason != "idle":
            break
    assert reason == "stopped"


@pytest.mark.parametrize("argv", [("/nonexistent",), ("/bin/false",), ("/bin/cat",)])
def test_interpreter_that_fails(ground: Ground, argv: tuple[str, ...]) -> None:
    """An interpreter that is missing, dies or babbles is noticed; nobody waits for it for ever."""
    try:
        shim = start_shim(ground.first, os.devnull, argv=argv)
    except ShimNotStarted:
        assert argv == ("/nonexistent",)
    else:
        shim.tell("go")
        shim.hang_up()
        assert told(shim, until="ready") == []
        shim.leave()


def test_sweep_spares_the_one_who_sweeps() -> None:
    """A person may type `unlost resume` in a shell that bears the mark: we and our ancestors are never struck."""
    mark = f"a-{secrets.token_hex(4)}"
    program = (
        "import sys; from unlost.host.shim.sweep import sweep;"
        f"swept = sweep('{mark}', grace=0.1); sys.exit(3 if not swept.struck and not swept.left else 1)"
    )
    shell = f"{shlex.join([sys.executable, '-c', program])}; exit $?"

    code = os.spawnve(os.P_WAIT, "/bin/sh", ["sh", "-c", shell], {"UNLOST_ATTEMPT": mark})  # noqa: S606  (it is sh)

    assert code == 3


def test_below_follows_parents() -> None:
    """Everything under the roots by parent links, in any order of the table, the roots left out."""
    table = {pid: Process(parent, 0, ended=False) for pid, parent in {5: 4, 4: 1, 9: 5, 7: 1, 1: 0}.items()}

    assert below({4}, table) == {5, 9}
    assert below({1}, table) == {4, 5, 7, 9}


def test_lock_is_one_for_all_that_share_it(ground: Ground) -> None:
    """The lock is exclusive, and letting go frees it at once."""
    first = take_lock(ground.workspace)
    assert first is not None

    assert take_lock(ground.workspace) is None
    release_lock(first)

    second = take_lock(ground.workspace)
    assert second is not None
    release_lock(second)


@pytest.mark.parametrize("happens", ["names itself", "lets go"])
def test_whoever_comes_or_goes_is_waited_for(ground: Ground, monkeypatch: pytest.MonkeyPatch, happens: str) -> None:
    """A holder that has not named itself yet, or is just letting go, is waited for, however long its start takes."""
    held = take_lock(ground.workspace)
    assert held is not None
    known = Holder(ground.first, "u-1", "t", own_identity(), None, None)
    write_holder(ground.workspace, known._replace(shim=OURSELVES))
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 300 and happens == "lets go":
            release_lock(held)
        elif len(naps) == 300:
            write_holder(ground.workspace, known)

    with monkeypatch.context() as patched:
        patched.setattr(time, "sleep", nap)
        lock, holder = take_lock_or_name(ground.workspace)

    assert len(naps) == 300
    assert holder == (None if happens == "lets go" else known)
    assert (lock is not None) == (happens == "lets go")
    release_lock(held if lock is None else lock)


def test_scribbled_records_settle_nothing(ground: Ground) -> None:
    """An ending of another attempt, or of another shape, or behind a link, is no ending."""
    folder = Path(attempt_folder(ground.workspace, ground.first))
    folder.mkdir(parents=True)
    write_ending(ground.workspace, Ending(ground.first, by="shim", reason="exited", agent_code=0))
    assert read_ending(ground.workspace, ground.first) is not None
    good = (folder / "ending.json").read_text(encoding="ascii")

    for bad in (
        "",
        "null",
        "[]",
        "{}",
        good.replace(ground.first, ground.second),
        good.replace('"struck": 0', '"struck": "x"'),
    ):
        (folder / "ending.json").write_text(bad, encoding="ascii")
        assert read_ending(ground.workspace, ground.first) is None
    (folder / "ending.json").unlink()
    (folder / "real.json").write_text(good, encoding="ascii")
    (folder / "ending.json").symlink_to(folder / "real.json")
    assert read_ending(ground.workspace, ground.first) is None


@given(payloads=st.lists(st.binary(max_size=300)), cuts=st.lists(st.integers(1, 50), min_size=1))
def test_frames_do_not_depend_on_the_chunks(payloads: list[bytes], cuts: list[int]) -> None:
    """However the pipe cuts the stream, the frames are those that were sent; a torn last one is never seen."""
    stream = b"".join(packed(b"o", payload) for payload in payloads) + packed(b"e", b"torn")[:-1]
    cutter = FrameCutter()
    frames: list[Frame] = []
    position = turn = 0
    while position < len(stream):
        size = cuts[turn % len(cuts)]
        frames += cutter.feed(stream[position : position + size])
        position, turn = position + size, turn + 1

    assert frames == [Frame(b"o", payload) for payload in payloads]


def test_facts_survive_json() -> None:
    """Spec, holder and ending are read back as they were written."""
    spec = Spec(
        attempt="a",
        unit="u",
        task="t",
        folder="/f",
        argv=("x", "y"),
        cwd="/",
        env={"A": "b"},
        stdin="-",
        supervisor=OURSELVES,
        patience=Patience(1, 2, 3, 4),
    )
    holder = Holder("a", "u", "t", OURSELVES, None, OURSELVES)
    ending = Ending("a", by="keeper", reason="shim_lost", agent_code=-9, struck=2, seconds=1.5, error="e")

    assert spec_from(as_json(spec)) == spec
    assert holder_from(as_json(holder)) == holder
    assert ending_from(as_json(ending)) == ending


def _parent(pid: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def _peak(pid: int) -> int:
    """Peak resident memory in KiB; 0 of a process that has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
