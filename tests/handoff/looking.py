"""One look into a real repository, as the app takes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from kit.repository import Repository

from unlost.git.repository import discover
from unlost.handoff.facts import Handoff
from unlost.handoff.forensics import Forensics
from unlost.handoff.places import Store
from unlost.handoff.report import LossReport
from unlost.handoff.restore import RestorePlan, plan_restore
from unlost.handoff.tree import WorkTree
from unlost.handoff.verify import verify
from unlost.traces.inspection import Inspection


class Look:
    """An inspection with tree and forensics over it."""

    def __init__(self, repository: Repository, scratch: Path, *, base_commit: str | None = None) -> None:
        scratch.mkdir(exist_ok=True)
        self._inspection = Inspection(discover(str(repository.root)), scratch=str(scratch))
        self._base_commit = base_commit

    def __enter__(self) -> Self:
        self._inspection.__enter__()
        self.tree = WorkTree(self._inspection)
        self.forensics = Forensics(self._inspection, base_commit=self._base_commit)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inspection.__exit__(kind, error, trace)

    def verify(self, handoff: Handoff, stores: Sequence[Store] = ()) -> LossReport:
        return verify(handoff, self.tree, [*stores, self.forensics])

    def plan(self, handoff: Handoff, report: LossReport, stores: Sequence[Store] = ()) -> RestorePlan:
        return plan_restore(handoff, report, self.tree, [*stores, self.forensics])
