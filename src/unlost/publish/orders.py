"""Orders for commits and pushes, and what came of them: facts that the engine hands down and gets back."""

from __future__ import annotations

from collections.abc import Mapping

from unlost.facts.records import dataclass
from unlost.publish.outcomes import CommitRefusal, LeftOut, PushFailure, RemoteReading


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """The user's repository as it stood when a unit was admitted: what an agent may have changed since is not asked.

    `branch` is HEAD's full ref (None: detached), `head` its commit. `remotes` maps a remote's name to the sha256 of
    its addresses, which are kept on this machine alone; `hooks` is the digest of the commit hooks (None: none).
    """

    branch: str | None
    head: str | None
    remotes: Mapping[str, str]
    hooks: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A stretch of work between two captured trees.

    `own`: every path that changed in it is the unit's. Else only those that an earlier segment changed already.
    """

    before: str
    after: str
    own: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitOrder:
    """A commit to be made of a unit's work, and of nobody else's.

    `name` tells it from the unit's other commits for ever. `branch` is the one that the unit was admitted on, `base`
    what stood there then. `at` is the commit's time in whole seconds: the same order over the same HEAD gives the same
    commit. `scratch` are the plan's patterns of untracked files that are nobody's work.
    """

    unit: str
    name: str
    tasks: tuple[str, ...]
    segments: tuple[Segment, ...]
    subject: str
    body: str
    snapshot: str
    branch: str | None
    base: str | None
    at: int
    scratch: tuple[str, ...] = ()
    hooks: bool = False
    hooks_digest: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Composed:
    """A commit in unlost's own store, nothing of it in the user's repository yet.

    `commit` equals `before` when HEAD holds everything already. `branch` is HEAD's then. With `refusal` nothing was
    made, and `told` says why, in git's or a hook's own words. `skipped_hooks` stand in the repository and did not run;
    `hooks_ran`: others did, and may have changed files.
    """

    before: str | None = None
    commit: str | None = None
    branch: str | None = None
    paths: int = 0
    left_out: tuple[LeftOut, ...] = ()
    skipped_hooks: tuple[str, ...] = ()
    hooks_ran: bool = False
    signed: bool = False
    refusal: CommitRefusal | None = None
    told: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivered:
    """What became of a commit in the user's repository: with `refusal`, nothing there was changed."""

    refusal: CommitRefusal | None = None
    told: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PushOrder:
    """A push of one commit to one branch of a remote, allowed only while that holds `before` (None: is not there).

    `url` is the digest of the address that the unit's admission recorded for the remote.
    """

    unit: str
    remote: str
    url: str
    ref: str
    before: str | None
    commit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pushed:
    """What git said of a push, and what the remote said afterwards: the second one decides.

    `failure` None: git said that it is done.
    """

    failure: PushFailure | None
    told: str
    seen: RemoteReading


@dataclass(frozen=True, kw_only=True, slots=True)
class Requested:
    """A pull request's text in a file of the state home; `address` where a program opened one for it."""

    digest: str
    address: str | None = None
    told: str = ""
