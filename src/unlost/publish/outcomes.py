"""What came of a commit, a look at a remote, or a push, in words that events keep."""

from __future__ import annotations

from typing import Final, Literal

from unlost.facts.records import dataclass

CommitRefusal = Literal[
    "no_repository",
    "unborn",  # nothing is committed here yet
    "detached",
    "other_branch",  # HEAD is on another branch than the unit was admitted on
    "operation",  # a merge, rebase, cherry-pick, revert, bisect or am is in progress
    "conflicted",  # the index holds unmerged paths
    "index_locked",  # another git works here, or one that was killed left its lock
    "head_moved",  # it moved while the commit was made, every time
    "no_identity",  # neither user.name nor user.email says whose commit it is
    "signing_failed",
    "hook_failed",
    "hook_timed_out",
    "hooks_changed",  # they are not those that stood here when the unit was admitted
    "failed",  # git said something else; it is kept in the event's body
]
LATER: Final[frozenset[CommitRefusal]] = frozenset({"index_locked", "head_moved"})
"""Refusals that time alone may heal."""

LeftOutReason = Literal[
    "overlaps",  # a person's uncommitted lines, staged or not, touch the task's
    "ignored",
    "nested_repository",
    "converted",  # git would store other bytes by a filter that is the person's own (LFS, git-crypt)
    "not_captured",  # it is there, and could not be read, or was too large, when the task ended
]

PushFailure = Literal[
    "auth",
    "unreachable",
    "rejected",  # a hook or a rule of the remote declined
    "not_fast_forward",  # the branch is not what the lease says: somebody else was there
    "remote_changed",  # the remote is not the one that was recorded at admission
    "no_remote",
    "nothing",  # there is nothing to publish
    "unknown",  # neither the push nor a look afterwards says what stands there
]


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A path of a finished task that its commit does not hold, and why; the work stands in the tree as before."""

    path: bytes
    reason: LeftOutReason


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteReading:
    """What a remote says of a ref: `oid` None, there is none. With `failure` nothing is known.

    `url` is the sha256 of the address, `told` what git said, cut and redacted.
    """

    url: str
    oid: str | None = None
    failure: PushFailure | None = None
    told: str = ""
