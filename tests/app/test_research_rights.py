"""Who may answer and read: the requester and the operators of the settings, by the name the system gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kit.program import Program
from kit.repository import Repository
from kit.researched import QUESTION, ResearchedWork, blocked_brief, head_of

from unlost.app import supervised, units
from unlost.app.briefs import list_sources, revoke_source, show_brief
from unlost.app.supervised import Supervisor
from unlost.facts.errors import NeedsPerson
from unlost.settings import read_settings


@pytest.fixture
def supervisor(repository: Repository, program: Program, tmp_path: Path) -> Iterator[Supervisor]:
    """The supervisor of a workspace with one parked unit."""
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(head_of(repository)))
    program("run", str(work.plan), code=3)
    settings = replace(read_settings(), operators=("grace",))
    with Supervisor.open(str(repository.root), settings) as opened:
        yield opened


def become(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Be another user of the system from now on."""
    for module in (supervised, units):
        monkeypatch.setattr(module, "user_name", lambda: name)


def test_a_stranger_may_neither_read_nor_answer(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    """R.13, R.17, R.41, R.A9b: no question text, no prompt, no brief, no source, no answer for anybody else."""
    unit = supervisor.show().id
    become(monkeypatch, "mallory")

    assert "text" not in supervisor.show().document["question"]
    with pytest.raises(NeedsPerson):
        supervisor.answer(None, "Yes.")
    with pytest.raises(NeedsPerson):
        supervisor.prompt(unit, "research", 1)
    with pytest.raises(NeedsPerson):
        show_brief(supervisor.ledger, unit, body=True, reader="mallory", operators=())
    (row,) = list_sources(supervisor.ledger, body=True, reader="mallory", operators=())
    assert row.ref is None
    with pytest.raises(NeedsPerson):
        revoke_source(supervisor.ledger, row.id, by="mallory", operators=())
    assert supervisor.show().phase == "parked"


def test_an_operator_may_do_both(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    """R.13, R.41: whoever [operators] names reads the question and answers it, under their own name."""
    become(monkeypatch, "grace")

    assert supervisor.show().document["question"]["text"] == QUESTION
    assert supervisor.answer(None, "Yes.").phase == "coding"
    assert supervisor.show().state.answered[-1].by == "grace"


def test_the_requester_reads_the_request(supervisor: Supervisor) -> None:
    """R.42: the exact request that the researcher was given can be read back by its requester."""
    request = supervisor.prompt(None, "research", 1).decode()

    assert request.startswith("# Research before coding: Drop the legacy parser")
