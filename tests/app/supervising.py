"""Real units for tests: a real repository, a real agent in shell, the supervisor in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kit.plans import PlannedWork
from kit.repository import Repository

from unlost.app.supervised import Supervisor
from unlost.app.units import Unit
from unlost.plan.facts import Plan
from unlost.plan.parse import parse_plan
from unlost.settings import read_settings


@dataclass(frozen=True)
class Bench:
    """A repository, a folder for plans beside it, and supervisors over both."""

    repository: Repository
    folder: Path

    def supervisor(self) -> Supervisor:
        """A supervisor of the repository."""
        return Supervisor.open(str(self.repository.root), read_settings())

    def work(self, tasks: dict[str, str], *, head: str = "", keys: str = "", name: str = "plan") -> PlannedWork:
        """A plan whose agent is a shell script with a branch for each task."""
        return PlannedWork.write(self.folder / name, tasks, head=head, keys=keys)

    def run(self, work: PlannedWork) -> Unit:
        """Run a plan to its end or its first wait."""
        with self.supervisor() as supervisor:
            return supervisor.run(plan_of(work), plan_folder=str(work.plan.parent))

    def resume(self, *, restore: bool = False) -> Unit:
        """Go on with the unit that is open here."""
        with self.supervisor() as supervisor:
            return supervisor.resume(restore=restore)


def plan_of(work: PlannedWork) -> Plan:
    """The plan of a file."""
    return parse_plan(work.plan.read_bytes(), name=work.plan.name)
