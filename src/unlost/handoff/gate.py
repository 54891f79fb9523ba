"""The gate before a fresh worker is paid for: recoverable work is brought back first, or a person is asked (H.27)."""

from __future__ import annotations

from collections.abc import Sequence

from unlost.facts.quoting import path_text
from unlost.handoff.report import LossReport
from unlost.handoff.restore import HeldBack


def gate_warning(report: LossReport) -> str | None:
    """The line that stops a resume, with the number of files that `--restore` would bring back; None: go on."""
    count = len(report.recoverable_files)
    if not count:
        return None
    return f"WARNING: recoverable work exists: {count} file(s); --restore brings it back; nothing was started"


def held_back_lines(held_back: Sequence[HeldBack]) -> tuple[str, ...]:
    """What a restore left as it was, a line each."""
    return tuple(
        f"not restored: {path_text(each.path)} from {each.place.name}: {each.reason}; nothing was overwritten"
        for each in held_back
    )
