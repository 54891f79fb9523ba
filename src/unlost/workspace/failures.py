"""How a restore ended, as scripts read it, and the errors that carry it (contracts.md)."""

from __future__ import annotations

from typing import Any, Literal

from unlost.facts.errors import NeedsPerson, SupersededWriter, TryLater, UnlostError
from unlost.facts.records import dataclass

RestoreOutcome = Literal["restored", "adopted", "refused"]


@dataclass(frozen=True, kw_only=True)
class RestoreReport:
    """One restore.

    `exit` is that of the program on the place, None when it was not asked; `step`, `stage` and `reason` say where and
    why it ended, None when all went well.
    """

    workspace: str
    root: str
    epoch: int | None
    identity: str | None
    outcome: RestoreOutcome
    replaced: bool = False
    step: str | None = None
    operation: str = "restore"
    exit: int | None = None
    stage: str | None = None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """`unlost.restore_root/1`."""
        return {
            "schema": "unlost.restore_root/1",
            "workspace": self.workspace,
            "root": self.root,
            "epoch": self.epoch,
            "identity": self.identity,
            "outcome": self.outcome,
            "replaced": self.replaced,
            "step": self.step,
            "operation": self.operation,
            "exit": self.exit,
            "stage": self.stage,
            "reason": self.reason,
        }

    def text(self) -> str:
        """The one line that names step, operation, exit, stage and reason (W.18)."""
        exit_code = "none" if self.exit is None else self.exit
        return (
            f"workspace_restore_failed: step={self.step} operation={self.operation} exit={exit_code} "
            f"stage={self.stage} reason={self.reason}"
        )


class RestoreRefused(NeedsPerson):
    """The root stays as it is until a person acts."""

    def __init__(self, report: RestoreReport, *, hint: str | None = None) -> None:
        super().__init__(report.text(), hint=hint)
        self.report = report


class RestoreSuperseded(SupersededWriter):
    """A newer epoch owns the workspace or the root; the root stays as it is."""

    def __init__(self, report: RestoreReport) -> None:
        super().__init__(report.text(), hint="unlost workspace list")
        self.report = report


class RestoreUnreachable(TryLater):
    """The place did not answer; the same command again goes on with what is there."""

    def __init__(self, report: RestoreReport, *, why: str) -> None:
        super().__init__(f"{report.text()} ({why})", hint="the same command again goes on")
        self.report = report


class RestoreFailed(UnlostError):
    """The place could not do it; the root holds the old content or the new one, whole."""

    def __init__(self, report: RestoreReport, *, hint: str | None = None) -> None:
        super().__init__(report.text(), hint=hint)
        self.report = report


_HINTS = {
    "occupied_root": "look at what is there; name another root, or move it away",
    "unsaved": "unlost workspace save, where the work is",
    "missing_snapshot": "unlost workspace save",
    "conflicting_permissions": "leave --allow-empty out",
}


def failure(report: RestoreReport) -> UnlostError:
    """The error that tells of a refusal."""
    if report.reason == "stale_epoch":
        return RestoreSuperseded(report)
    if report.reason == "unreachable":
        return RestoreUnreachable(report, why="another restore works beside this root")
    return RestoreRefused(report, hint=_HINTS.get(report.reason or ""))
