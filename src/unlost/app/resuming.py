"""`resume --all`: every unit of this machine that can go on goes on, each workspace under a supervisor of its own.

What waits for a person is told and left alone: nothing is paid for that nobody asked for. The supervisors run in the
background, so that one that dies takes no other with it, and none dies with the caller.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from unlost.app.background import Background, start_supervisor
from unlost.app.running import who_runs
from unlost.app.supervised import Supervisor
from unlost.app.units import open_on, read_units
from unlost.app.worktree_places import Machine
from unlost.facts.errors import TryLater, UnlostError
from unlost.facts.records import dataclass
from unlost.ledger.protocol import StreamDamaged
from unlost.settings import Settings
from unlost.snapshot.identity import state_of
from unlost.snapshot.registry import Identity, RegistryDamaged, read_row, registered_workspaces
from unlost.snapshot.whereabouts import workspace_folder
from unlost.unit.facts import UnitState
from unlost.unit.fold import fold
from unlost.unit.report import exit_code, next_command

AT_ONCE: Final = 4
"""Workspaces that are worked in side by side; the next one begins when one of them is through."""

Fate = Literal["went on", "waits", "driven", "gone", "refused"]
_LOOK_EVERY: Final = 0.1
_WORST_FIRST: Final = (4, 70, 1, 2, 3, 5, 75)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What became of one open unit: how it stands now, and the exit code that it comes to.

    `fate`: it *went on* and ended or waits now; it *waits* for a person and was left alone; it is *driven* already;
    its work tree is *gone*; its supervisor was *refused*, and `why` says by what.
    """

    unit: str
    title: str
    root: str
    phase: str
    reason: str
    fate: Fate
    code: int
    next: str | None
    why: str | None = None

    def to_json(self) -> dict[str, object]:
        """One of `units` in `unlost.resume/1`."""
        return {
            "unit": self.unit,
            "title": self.title,
            "root": self.root,
            "phase": self.phase,
            "reason": self.reason or None,
            "fate": self.fate.replace(" ", "_"),
            "exit": self.code,
            "next": self.next,
        }


def resume_all(machine: Machine, environment: Mapping[str, str]) -> Iterator[Told]:
    """Carry on what can go on, and tell every open unit of this machine's workspaces as soon as it is settled."""
    waiting: list[tuple[Identity, UnitState]] = []
    for identity, state in _open_units(machine):
        told = _left_alone(machine.settings, identity, state)
        if told is None:
            waiting.append((identity, state))
        else:
            yield told
    running: list[tuple[Identity, Background]] = []
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            identity, state = waiting.pop(0)
            try:
                running.append((identity, _begin(machine.settings, identity, state, environment)))
            except UnlostError as error:
                yield _told(identity, state, "refused", code=error.exit_code, why=error.message)
        for each in list(running):
            if (code := _ended(each[1])) is not None:
                running.remove(each)
                yield _after(machine, *each, code)
        machine.clock.wait(_LOOK_EVERY if running else 0.0)


def worst(codes: Iterator[int]) -> int:
    """The exit code that says most: work lost before everything, then bugs, failures, waits; 0 when all went well."""
    given = set(codes)
    return next((code for code in _WORST_FIRST if code in given), max(given, default=0))


def _open_units(machine: Machine) -> Iterator[tuple[Identity, UnitState]]:
    """Every unit that is not over, workspace by workspace; damage to one record hides no other."""
    for workspace in registered_workspaces(machine.settings.home):
        try:
            identity = read_row(machine.settings.home, workspace)
        except RegistryDamaged:
            continue
        if identity is not None:
            listing = read_units(machine.ledger, workspace=workspace, now=machine.clock.now())
            yield from ((identity, state) for state in open_on(listing))


def _left_alone(settings: Settings, identity: Identity, state: UnitState) -> Told | None:
    """What is told of a unit that does not go on; None for one that does."""
    if state_of(identity) in {"missing", "not_a_repository", "replaced"}:
        return _told(identity, state, "gone", code=75)
    if state.waiting is not None:
        return _told(identity, state, "waits", code=exit_code(state))
    if who_runs(workspace_folder(settings.home, identity.workspace)) is not None:
        return _told(identity, state, "driven", code=0)
    return None


def _begin(settings: Settings, identity: Identity, state: UnitState, environment: Mapping[str, str]) -> Background:
    with Supervisor.open(identity.workspace, settings) as supervisor:
        return start_supervisor(supervisor, state.unit, environment)


def _ended(background: Background) -> int | None:
    return background.exit_code if background.exit_code is not None else background.process.exit_code()


def _after(machine: Machine, identity: Identity, background: Background, code: int) -> Told:
    """A unit behind its supervisor. One that was killed itself has only to be carried on again."""
    try:
        state = fold(machine.ledger.read(background.unit))
    except StreamDamaged as error:
        return Told(
            unit=background.unit,
            title="",
            root=identity.root,
            phase="",
            reason="",
            fate="refused",
            code=error.exit_code,
            next=None,
            why=error.message,
        )
    assert state is not None, "an event of it was read before"
    if code < 0:
        return _told(identity, state, "refused", code=TryLater.exit_code, why=f"its supervisor was killed ({-code})")
    if code == TryLater.exit_code:
        return _told(identity, state, "refused", code=code, why="`unlost watch --log` there tells why")
    return _told(identity, state, "went on", code=code)


def _told(identity: Identity, state: UnitState, fate: Fate, *, code: int, why: str | None = None) -> Told:
    return Told(
        unit=state.unit,
        title=state.title,
        root=identity.root,
        phase=state.phase,
        reason=state.reason,
        fate=fate,
        code=code,
        next=f"unlost watch {state.unit}" if fate == "driven" else next_command(state),
        why=why,
    )
