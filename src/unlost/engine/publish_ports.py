"""What commits and publishing need from the world: composing, the user's repository, remotes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from unlost.facts.records import dataclass
from unlost.publish.facts import CommitReceipt
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

    `name` tells it from the unit's other commits for ever, `branch` is the one that the unit was admitted on. `at` is
    the commit's time in whole seconds: the same order over the same HEAD gives the same commit.
    """

    unit: str
    name: str
    tasks: tuple[str, ...]
    segments: tuple[Segment, ...]
    subject: str
    body: str
    snapshot: str
    branch: str | None
    at: int
    hooks: bool = False
    hooks_digest: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Composed:
    """A commit in unlost's own store, nothing of it in the user's repository yet.

    `commit` equals `before` when HEAD holds everything already. `branch` is HEAD's then. With `refusal` nothing was
    made, and `told` says why in git's own words (redacted).
    """

    before: str | None = None
    commit: str | None = None
    branch: str | None = None
    paths: int = 0
    left_out: tuple[LeftOut, ...] = ()
    skipped_hooks: tuple[str, ...] = ()
    signed: bool = False
    refusal: CommitRefusal | None = None
    told: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivered:
    """What became of a commit in the user's repository: with `refusal`, nothing there was changed."""

    refusal: CommitRefusal | None = None
    told: str = ""


class Commits(Protocol):
    """Makes commits of captured trees, and brings them to the branch that HEAD is on."""

    def ground(self) -> Ground:
        """The repository as it is now; its remotes' addresses are kept on this machine for later."""

    def compose(self, order: CommitOrder) -> Composed:
        """Make the commit in unlost's own store, on top of what HEAD names now. Writes nothing else."""

    def deliver(self, order: CommitOrder, composed: Composed) -> Delivered:
        """Move the branch from `before` to the commit, and the index with it; all or nothing."""

    def settle(self, order: CommitOrder, *, before: str, commit: str) -> str | None:
        """What an interrupted delivery came to: the commit that stands on the branch, or None when none does.

        Found by its id, else by its trailers. What was half done (a lock, an index) is finished or taken back.
        """

    def own(self, order: CommitOrder, *, earlier: CommitReceipt | None) -> Composed:
        """Make the commit for a unit that commits nothing in the user's repository: it stays in unlost's own store."""


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
    """What git said of a push, and what the remote said afterwards: the second one decides."""

    failure: PushFailure | None
    told: str
    seen: RemoteReading


@dataclass(frozen=True, kw_only=True, slots=True)
class Requested:
    """A pull request's text in a file of the state home; `address` where a program opened one for it."""

    digest: str
    address: str | None = None
    told: str = ""


class Remotes(Protocol):
    """Remotes by the addresses recorded at admission, reached with the user's own settings and credentials."""

    def read(self, remote: str, url: str, ref: str) -> RemoteReading:
        """What the remote holds at a full ref now. Never raises for a remote that cannot be reached."""

    def push(self, order: PushOrder) -> Pushed:
        """Push with a lease, then read the remote back. Hooks of the workspace do not run."""

    def request(self, unit: str, *, remote: str, url: str, branch: str, target: str | None, text: str) -> Requested:
        """Keep the text of a pull request as a file, and open one with `gh` where that is at hand."""
