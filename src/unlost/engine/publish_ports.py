"""What commits and publishing need from the world: composing, the user's repository, remotes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from unlost.publish.facts import CommitReceipt
from unlost.publish.orders import CommitOrder, Composed, Delivered, Ground, Pushed, PushOrder, Requested
from unlost.publish.outcomes import RemoteReading


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

    def gone(self, commits: Mapping[str, str], *, since: str | None) -> frozenset[str]:
        """Which of these commits (to the branch that each came to) the branch does not hold any more.

        One that a person amended counts as held while its trailers stand there. `since` is where the unit began.
        Where nothing can be asked, nothing is gone.
        """

    def own(self, order: CommitOrder, *, earlier: CommitReceipt | None) -> Composed:
        """Make the commit for a unit that commits nothing in the user's repository: it stays in unlost's own store."""


class Remotes(Protocol):
    """Remotes by the addresses recorded at admission, reached with the user's own settings and credentials."""

    def read(self, remote: str, url: str, ref: str) -> RemoteReading:
        """What the remote holds at a full ref now. Never raises for a remote that cannot be reached."""

    def push(self, order: PushOrder) -> Pushed:
        """Push with a lease, then read the remote back. Hooks of the workspace do not run."""

    def fetch(self, remote: str, url: str, ref: str) -> RemoteReading:
        """Bring what a remote's ref holds, with its history, into the publishing store; `oid` is its commit."""

    def request(self, unit: str, *, url: str, branch: str, target: str | None, title: str, text: str) -> Requested:
        """Keep the text of a pull request as a file, and open one with `gh` where that is at hand."""
