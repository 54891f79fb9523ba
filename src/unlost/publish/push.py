"""Remotes by the addresses of a unit's admission: read, pushed to with a lease, read back.

What git says of a push decides nothing: the remote is read afterwards, and what stands there is what happened. Where
it cannot be read, nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from unlost.facts.records import dataclass
from unlost.git.refs import is_oid
from unlost.git.repository import Repository
from unlost.host.process import Outcome
from unlost.publish.orders import Pushed, PushOrder
from unlost.publish.outcomes import PushFailure, RemoteReading
from unlost.publish.remembered import remembered_address
from unlost.publish.store import PublishStore
from unlost.publish.user_git import run_user_git

LOOK_TIMEOUT: Final = 120.0
PUSH_TIMEOUT: Final = 900.0
"""Seconds for a look at a remote, and for a push to it or a fetch from it."""

_AUTH: Final = re.compile(
    r"authentication failed|could not read (?:username|password)|permission denied|terminal prompts disabled"
    r"|host key verification failed|\b40[13]\b|access denied|not authorized|authorization failed|invalid credentials",
    re.IGNORECASE,
)
_STALE: Final = ("stale info", "fetch first", "non-fast-forward", "already exists", "remote ref updated since checkout")
_ADDRESS: Final = re.compile(r"(?i)\b[a-z][a-z0-9+.-]*://\S+")


@dataclass(frozen=True, kw_only=True)
class RemoteGit:
    """One remote of one unit, over the publishing git dir. `url` is the digest of its address."""

    store: PublishStore
    address: str
    url: str
    look_timeout: float = LOOK_TIMEOUT
    push_timeout: float = PUSH_TIMEOUT

    def read(self, ref: str) -> RemoteReading:
        """What stands at a full ref now."""
        outcome = run_user_git(self.store.folder, "ls-remote", "--refs", self.address, ref, timeout=self.look_timeout)
        if not outcome.ok:
            return RemoteReading(url=self.url, failure=_why_unread(outcome), told=self.told(outcome))
        for line in outcome.stdout.decode("utf-8", "replace").splitlines():
            oid, _, name = line.partition("\t")
            if name == ref and is_oid(oid):
                return RemoteReading(url=self.url, oid=oid)
        return RemoteReading(url=self.url)

    def push(self, order: PushOrder) -> Pushed:
        """Push under a lease and read back."""
        outcome = run_user_git(
            self.store.folder,
            *("push", "--porcelain", "--no-verify", f"--force-with-lease={order.ref}:{order.before or ''}"),
            *(self.address, f"{order.commit}:{order.ref}"),
            timeout=self.push_timeout,
        )
        failure = None if outcome.ok else _why_unpushed(outcome)
        return Pushed(failure=failure, told="" if outcome.ok else self.told(outcome), seen=self.read(order.ref))

    def fetch(self, ref: str) -> RemoteReading:
        """Bring in what stands at a full ref, with its history."""
        before = self.read(ref)
        if before.oid is None:
            return before
        outcome = run_user_git(
            self.store.folder,
            *("fetch", "-q", "--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules"),
            *("--refmap=", self.address, f"+{ref}:refs/unlost/fetched/{self.url}"),
            timeout=self.push_timeout,
        )
        if not outcome.ok:
            return RemoteReading(url=self.url, failure=_why_unread(outcome), told=self.told(outcome))
        return RemoteReading(url=self.url, oid=self.store.kept(f"fetched/{self.url}"))

    def told(self, outcome: Outcome) -> str:
        """What git said, without addresses: they can hold passwords and local paths."""
        if outcome.timed_out:
            return "the remote did not answer in time"
        text = (outcome.stderr + outcome.stdout).decode("utf-8", "replace").replace(self.address, "the remote")
        return _ADDRESS.sub("the remote", text).strip()


@contextmanager
def open_remote(
    workspace_folder: str, repository: Repository, url: str, *, push_timeout: float = PUSH_TIMEOUT
) -> Iterator[RemoteGit | None]:
    """A remote by the digest of its address; None when this machine does not know it, or git must not be given it."""
    address = remembered_address(workspace_folder, url)
    if address is None or address.startswith("-"):
        yield None
        return
    with PublishStore(workspace_folder, repository) as store:
        yield RemoteGit(store=store, address=address, url=url, push_timeout=push_timeout)


def _why_unread(outcome: Outcome) -> PushFailure:
    return "auth" if _AUTH.search(outcome.stderr.decode("utf-8", "replace")) else "unreachable"


def _why_unpushed(outcome: Outcome) -> PushFailure:
    """The reason as git gives it: by the line of the ref, else by what it said of the remote."""
    refused = [line for line in outcome.stdout.decode("utf-8", "replace").splitlines() if line.startswith("!")]
    if refused:
        text = " ".join(refused)
        return "not_fast_forward" if any(word in text for word in _STALE) else "rejected"
    return _why_unread(outcome)
