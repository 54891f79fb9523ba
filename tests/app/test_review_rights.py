"""Who may give findings, read them and have work maintained: the requester and the operators of the settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit.program import Program
from kit.published import Remote
from kit.repository import Repository
from kit.scripted_work import ScriptedWork, finding, hands_in

from unlost.app import findings as reviews
from unlost.app import maintenance, supervised
from unlost.app.findings import give_findings, show_review
from unlost.app.maintenance import Maintained, maintain_unit, sweep, watch
from unlost.app.supervised import Supervisor
from unlost.facts.errors import NeedsPerson, UnlostError, UsageError
from unlost.publish.findings import Findings
from unlost.settings import read_settings

CODING: list[dict[str, Any]] = [
    {"do": "write", "path": "notes.txt", "text": "swaped\n", "only": {"task": "tell"}},
    {"do": "write", "path": "main.rs", "text": "fn main() {}\n", "only": {"task": "swap"}},
]


@pytest.fixture
def supervisor(repository: Repository) -> Iterator[Supervisor]:
    """A supervisor of the workspace, for whose operator grace is."""
    with Supervisor.open(str(repository.root), replace(read_settings(), operators=("grace",))) as opened:
        yield opened


def become(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Be another user of the system from now on."""
    for module in (reviews, maintenance, supervised):
        monkeypatch.setattr(module, "user_name", lambda: name)


@pytest.fixture
def waiting(program: Program, tmp_path: Path) -> str:
    """A unit whose findings wait for a person."""
    work = ScriptedWork.write(
        tmp_path / "plan",
        [*CODING, hands_in(finding("notes.txt", "A word is misspelt."))],
        workflow=("code", "review"),
        review={"use": "scripted", "rounds": 0},
    )
    return str(program("run", str(work.plan), "--json", code=3).json["unit"])


def test_a_stranger_may_neither_read_nor_review(
    waiting: str, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R.13, R.41: no word of a finding and no verdict for who is neither requester nor operator; counts are public."""
    become(monkeypatch, "mallory")

    with pytest.raises(NeedsPerson):
        give_findings(supervisor, waiting, Findings())
    with pytest.raises(NeedsPerson):
        show_review(supervisor.ledger, waiting, body=True, reader="mallory", operators=("grace",))
    shown = show_review(supervisor.ledger, waiting, body=False, reader="mallory", operators=("grace",))
    assert shown.findings is None
    assert shown.record.settled[-1].settled.warnings == 0
    assert supervisor.show(waiting).phase == "blocked"


def test_an_operator_may_do_both(waiting: str, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    """R.41: whom [operators] names reads what was found and settles it under their own name."""
    become(monkeypatch, "grace")
    shown = show_review(supervisor.ledger, waiting, body=True, reader="grace", operators=("grace",))
    give_findings(supervisor, waiting, Findings())

    assert shown.findings is not None
    assert shown.findings.findings[0].what == "A word is misspelt."
    record = supervisor.show(waiting).state.review
    assert record is not None
    assert record.settled[-1].settled.by == "grace"
    assert supervisor.resume(waiting).outcome == "done"


def test_there_is_a_time_for_findings(waiting: str, supervisor: Supervisor) -> None:
    """R.54: findings on a unit that is over change nothing."""
    give_findings(supervisor, waiting, Findings())
    supervisor.resume(waiting)

    with pytest.raises(UsageError, match="nothing to review now"):
        give_findings(supervisor, waiting, Findings())


@pytest.mark.slow
def test_maintenance_is_for_the_units_own_people(
    repository: Repository, program: Program, tmp_path: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R.59, R.A13d: a stranger maintains nothing, by command or by watching; the requester's sweep does, and once."""
    remote = Remote.beside(repository)
    work = ScriptedWork.write(tmp_path / "plan", CODING, workflow=("code", "publish"))
    unit = program("run", str(work.plan), "--json").json["unit"]
    remote.move_main({"lib.rs": "pub fn other() {}\n"})
    with monkeypatch.context() as patch:
        become(patch, "mallory")
        with pytest.raises(NeedsPerson, match="neither the requester"):
            maintain_unit(supervisor, unit)
        ((name, refused),) = sweep(supervisor, None)
        assert (name, isinstance(refused, NeedsPerson)) == (unit, True)
    told: list[tuple[str, Maintained | UnlostError]] = []
    watch(supervisor, None, lambda name, found: told.append((name, found)), every=0.0, rounds=3)

    done = [found for _, found in told if isinstance(found, Maintained) and found.action is not None]
    assert [found.exit_code for found in done] == [0]
    assert len(supervisor.show(unit).document["maintenance"]) == 1
