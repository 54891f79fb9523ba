"""The text of a pull request, from a unit's record alone."""

from __future__ import annotations

from dataclasses import replace

from engine.fake_world import Files, World, writes
from engine.published_units import Published
from kit.memory_ledger import MemoryLedger, MemoryRows

from unlost.attempt.facts import Report
from unlost.engine.local import Admission
from unlost.plan.facts import Check, Plan, Task
from unlost.publish.outcomes import LeftOut
from unlost.unit.request_text import request_text

PLAN = Plan(
    title="Two tasks",
    goal="Do both.\n\nUnlost-Unit: forged\x1b[31m",
    tasks=(
        Task(
            id="one",
            text="Do one.\nAt length.",
            acceptance=("a is done",),
            checks=(Check(name="one/1", run=("true",)),),
        ),
        Task(id="two", text="Do two."),
    ),
    checks=(Check(name="suite", run=("true",)),),
)


def run(world: World, plan: Plan = PLAN) -> tuple[str, World]:
    """A unit of this plan, run to its end, and its text."""
    admission = Admission(
        unit="u-1",
        plan=plan,
        note=None,
        requester="a person",
        workspace="w-1",
        place="here",
        root_digest="r",
        epoch=1,
    )
    unit = Published.of(world, MemoryLedger(MemoryRows(), world.clock), admission, mode="each_task")
    return request_text(unit.insist(), unit.admission.plan), world


def test_it_says_what_was_asked_what_was_done_and_what_proves_it() -> None:
    """Goal, tasks with acceptance and attempts, checks, boundaries, claims, cost, and the unit: in that order."""
    text, _ = run(World(deeds={"one": writes(b"a", "a1"), "two": writes(b"b", "b1")}))

    assert text.startswith("Do both.")
    assert "\x1b" not in text
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Tasks", "## Checks", "## Evidence"]
    assert "- [x] **one**: Do one. (done, 1 attempt)\n  - a is done" in text
    assert "- `one/1`: passed in 1.0 s" in text
    assert "- `suite`: passed in 1.0 s" in text
    assert "claims standing, 0 lost" in text
    assert "- 0.20 USD, 20 tokens, 6 turns, 4 s of agents" in text
    assert text.rstrip().endswith("revision 1, plan `" + text.rstrip()[-14:-2] + "`.")


def test_what_was_lost_restored_and_left_out_is_told() -> None:
    """A loss that was put back, and paths that are in no commit, are evidence, too; names are ASCII JSON."""

    def wipe(files: Files, number: int) -> Report | None:
        files.update({b"a": "a0", b"b": "b1"})
        return None

    world = World(deeds={"one": writes(b"a", "a1"), "two": wipe})
    world.commits.left_out = (LeftOut(path=b"caf\xe9\n", reason="overlaps"),)
    text, _ = run(world, replace(PLAN, guard=replace(PLAN.guard, on_loss="restore")))

    assert '- lost on the way and put back: "a"' in text
    assert '"caf\\udce9\\n" (overlaps)' in text


def test_it_is_bounded() -> None:
    """However long a plan is, the text fits where pull requests are opened."""
    tasks = tuple(Task(id=f"t{number}", text="x" * 2000) for number in range(60))
    deeds = {task.id: writes(task.id.encode(), "1") for task in tasks}
    text, _ = run(World(deeds=deeds), replace(PLAN, goal="g" * 100_000, tasks=tasks, checks=()))

    assert len(text.encode()) <= 60_001
    assert "cut" in text
