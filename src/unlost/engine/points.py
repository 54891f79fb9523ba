"""The crash points of a unit's journey, one literal list: a test kills the supervisor at each of them.

Between any two events and between every effect and its record there is one. Those inside a capture, a restore and an
attempt are named by the rooms that make them.
"""

from __future__ import annotations

from typing import Final

POINTS: Final = (
    "unit.bounded",  # boundary 0 is taken, the unit is not admitted yet
    "unit.admitted",
    "unit.resumed",
    "boundary.captured",
    "boundary.recorded",  # in the workspace's stream, not in the unit's
    "boundary.taken",
    "research.opened",  # the request is stored, no researcher runs yet
    "research.returned",
    "research.ended",
    "research.submitted",  # the brief is stored and confirmed, the step is not settled yet
    "research.settled",
    "review.opened",  # the request is stored, no reviewer runs yet
    "review.returned",
    "review.ended",
    "review.settled",
    "repair.opened",
    "maintenance.opened",
    "maintenance.merging",  # carried over, nothing says so in the ledger
    "maintenance.merged",
    "maintenance.repair_intended",  # charged, no agent runs yet
    "maintenance.returned",
    "maintenance.repair_ended",
    "maintenance.committing",
    "maintenance.resolved",
    "maintenance.settled",
    "attempt.composed",
    "attempt.intended",
    "attempt.returned",  # the agent ended, nothing says so in the ledger
    "attempt.recorded",
    "attempt.captured",
    "attempt.judged",
    "attempt.bounded",  # the closing boundary is in the workspace's stream alone
    "attempt.closed",
    "check.intended",
    "check.returned",
    "check.recorded",
    "restore.intended",
    "restore.returned",
    "restore.recorded",
    "commit.composed",  # in unlost's own store, nothing says so
    "commit.intended",
    "commit.delivered",  # the branch moved, nothing says so
    "commit.recorded",
    "push.read",
    "push.intended",
    "push.returned",  # the remote may have it, nothing says so
    "push.recorded",
    "request.returned",
    "request.kept",
    "handoff.verified",
    "handoff.restore_intended",
    "handoff.returned",  # files are back, the outcome is not recorded
    "handoff.restored",
    "revision.captured",
    "revision.opened",
    "task.failed",
    "limit.awaited",
    "limit.passed",
    "unit.waiting",
    "unit.ended",
)
