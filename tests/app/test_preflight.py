"""What a plan will want at its end is asked for before anything is started, by `run` and by `amend --run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from app.supervising import Bench, plan_of
from kit.repository import Repository

from unlost.app.steering import Amendment, amend
from unlost.app.supervised import Supervisor
from unlost.facts.errors import NeedsPerson, UnlostError, UsageError

COMMIT = '[commit]\nmode = "at_end"\n'
PUBLISH = '[workflow]\nsteps = ["code", "publish"]\n'
REVIEW = '[workflow]\nsteps = ["code", "review"]\n[review]\nuse = "codex"\n'
FAILING = {"fails": "    echo bad >>lib.rs\n    exit 1"}
WORKING = {"fails": "    echo good >>lib.rs"}
ONE = "[budget]\nattempts = 1\n"


@dataclass(frozen=True)
class Grief:
    """A plan's head, what stands in its way, and what a person hears."""

    head: str
    stand: Callable[[Repository], object]
    error: type[UnlostError]
    told: str
    hint: str


def nothing(repository: Repository) -> None:
    """Leave all as it is."""


def merging(repository: Repository) -> None:
    """A merge is in progress."""
    repository.write(".git/MERGE_HEAD", repository.git("rev-parse", "HEAD") + "\n")


GRIEFS = {
    "detached": Grief(COMMIT, lambda r: r.git("checkout", "-q", "--detach"), NeedsPerson, "HEAD is detached", "switch"),
    "merge": Grief(COMMIT, merging, NeedsPerson, "a merge, rebase or the like is in progress", "finish or abort it"),
    "no remote": Grief(PUBLISH, nothing, NeedsPerson, "no remote of the plan's name", "git remote add"),
    "reviewer": Grief(REVIEW, nothing, UsageError, "`codex` is not on PATH", ""),
}


@pytest.mark.slow
@pytest.mark.parametrize("grief", GRIEFS.values(), ids=GRIEFS)
@pytest.mark.parametrize("amending", [False, True], ids=["run", "amend --run"])
def test_no_agent_is_paid_in_vain(
    bench: Bench, grief: Grief, monkeypatch: pytest.MonkeyPatch, *, amending: bool
) -> None:
    """The error names what is in the way and what to type then; no agent starts and no revision is opened."""
    unit = bench.run(bench.work(FAILING, head=ONE)) if amending else None
    work = bench.work(WORKING, head=ONE + grief.head, name="better")
    plan, folder = plan_of(work), str(work.plan.parent)
    grief.stand(bench.repository)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    def start(supervisor: Supervisor) -> object:
        if unit is None:
            return supervisor.run(plan, plan_folder=folder)
        return amend(supervisor, unit.id, Amendment(plan=plan, plan_folder=folder, run=True))

    with bench.supervisor() as supervisor, pytest.raises(grief.error) as refused:
        start(supervisor)

    assert grief.told in refused.value.message
    assert grief.hint in (refused.value.hint or "")
    if grief.error is NeedsPerson:
        assert "nothing was started" in refused.value.message
        again = "unlost run PLAN" if unit is None else f"unlost amend {unit.id} --plan FILE --run"
        assert again in (refused.value.hint or "")
    assert work.attempts() == []
    if unit is not None:
        with bench.supervisor() as supervisor:
            assert supervisor.show(unit.id).state.revision == 1


@pytest.mark.slow
def test_an_amendment_that_starts_nothing_is_asked_for_nothing(bench: Bench) -> None:
    """Without `run` a plan is put in force whatever the repository looks like now; a person may mend it before."""
    unit = bench.run(bench.work(FAILING, head=ONE))
    work = bench.work(WORKING, head=ONE + COMMIT, name="better")
    bench.repository.git("checkout", "-q", "--detach")

    with bench.supervisor() as supervisor:
        amendment = Amendment(plan=plan_of(work), plan_folder=str(work.plan.parent))
        assert amend(supervisor, unit.id, amendment).state.revision == 2
