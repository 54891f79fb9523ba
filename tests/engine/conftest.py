"""A plan of three tasks in a world in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from engine.fake_research import READY
from engine.fake_world import World, writes
from engine.maintained_units import Maintained, publishing
from engine.research_units import Researched, researched
from kit.memory_ledger import MemoryLedger, MemoryRows

from unlost.engine.local import Admission
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.plan.facts import Check, Plan, Task


@pytest.fixture
def world() -> World:
    return World(deeds={"one": writes(b"a", "a1"), "two": writes(b"b", "b1"), "three": writes(b"c", "c1")})


@pytest.fixture
def ledger(world: World) -> Ledger:
    return MemoryLedger(MemoryRows(), world.clock)


@pytest.fixture
def plan() -> Plan:
    tasks = tuple(
        Task(id=name, text=f"Do {name}.", checks=(Check(name=f"{name}/1", run=("true",)),))
        for name in ("one", "two", "three")
    )
    return Plan(title="Three tasks", goal="Do all three.", tasks=tasks, checks=(Check(name="suite", run=("true",)),))


@pytest.fixture
def admission(plan: Plan) -> Admission:
    return Admission(
        unit="u-1",
        plan=plan,
        note=None,
        requester="a person",
        workspace="w-1",
        place="here",
        root_digest="r",
        epoch=1,
    )


@pytest.fixture
def unit(world: World, tmp_path: Path, admission: Admission, plan: Plan) -> Iterator[Researched]:
    """The same plan with a research step, over a ledger in a real file."""
    opened = open_ledger(str(tmp_path / "ledger.db"), world.clock)
    yield Researched(world=world, ledger=opened, admission=replace(admission, plan=researched(plan)))
    opened.close()


@pytest.fixture
def produced(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> Maintained:
    """A unit with a producer, published, whose target moved into a conflict."""
    world.research.brief = READY
    made = Maintained.of(world, ledger, admission, publishing(plan, "research", "code", "publish"))
    world.commits.moved = lambda head: setattr(world.research, "commit", head)
    made.publish()
    world.maintenance.conflicts = (b"a",)
    made.move()
    return made
