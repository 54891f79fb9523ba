"""Commits and remotes in memory: a branch that tests move, a remote that tests cut, both of which survive a kill."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from unlost.publish.facts import CommitReceipt
from unlost.publish.orders import CommitOrder, Composed, Delivered, Ground, Pushed, PushOrder, Requested
from unlost.publish.outcomes import CommitRefusal, LeftOut, PushFailure, RemoteReading

FIRST = "a" * 40
MAIN = "refs/heads/main"
URL = "u" * 64


@dataclass
class FakeCommits:
    """`engine.publish_ports.Commits`; `refusal` is what the next composing says, `dies` ends the next delivery."""

    head: str = FIRST
    branch: str | None = MAIN
    hooks: str | None = None
    remotes: dict[str, str] = field(default_factory=lambda: {"origin": URL})
    refusal: CommitRefusal | None = None
    delivery_refusal: CommitRefusal | None = None
    hooks_ran: bool = False
    needed: bool = True
    left_out: tuple[LeftOut, ...] = ()
    dies: BaseException | None = None
    dies_after: bool = False
    orders: list[CommitOrder] = field(default_factory=list)
    own_orders: list[CommitOrder] = field(default_factory=list)
    log: list[tuple[str, str]] = field(default_factory=list)
    moved: Callable[[str], object] = str

    def ground(self) -> Ground:
        return Ground(branch=self.branch, head=self.head, remotes=dict(self.remotes), hooks=self.hooks)

    def compose(self, order: CommitOrder) -> Composed:
        self.orders.append(order)
        if self.refusal is not None:
            return Composed(refusal=self.refusal, told="git said no: s3cret-value", hooks_ran=self.hooks_ran)
        commit = named(self.head, order.name) if self.needed else self.head
        return Composed(
            before=self.head,
            commit=commit,
            branch=self.branch,
            paths=1,
            left_out=self.left_out,
            hooks_ran=self.hooks_ran,
        )

    def deliver(self, order: CommitOrder, composed: Composed) -> Delivered:
        assert composed.commit is not None
        dies, self.dies = self.dies, None
        if dies is not None and not self.dies_after:
            raise dies
        if self.delivery_refusal is not None:
            return Delivered(refusal=self.delivery_refusal)
        self.head = composed.commit
        self.log.append((order.name, composed.commit))
        self.moved(self.head)
        if dies is not None:
            raise dies
        return Delivered()

    def settle(self, order: CommitOrder, *, before: str, commit: str) -> str | None:
        return commit if (order.name, commit) in self.log else None

    def gone(self, commits: Mapping[str, str], *, since: str | None) -> frozenset[str]:
        here = {commit for _, commit in self.log}
        return frozenset(commit for commit in commits if commit not in here)

    def own(self, order: CommitOrder, *, earlier: CommitReceipt | None) -> Composed:
        self.own_orders.append(order)
        if self.refusal is not None:
            return Composed(refusal=self.refusal)
        before = earlier.after if earlier is not None else order.base or FIRST
        return Composed(before=before, commit=named(before, order.name), paths=1)


@dataclass
class FakeRemotes:
    """`engine.publish_ports.Remotes`: refs of one remote; each of the cuts is used once."""

    refs: dict[str, str] = field(default_factory=dict)
    unreadable: list[PushFailure | None] = field(default_factory=list)
    push_failure: PushFailure | None = None
    reply_lost: bool = False
    dies: BaseException | None = None
    dies_after: bool = False
    pushes: list[PushOrder] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    address: str | None = None

    def read(self, remote: str, url: str, ref: str) -> RemoteReading:
        failure = self.unreadable.pop(0) if self.unreadable else None
        if failure is not None:
            return RemoteReading(url=url, failure=failure, told="no answer")
        return RemoteReading(url=url, oid=self.refs.get(ref))

    def push(self, order: PushOrder) -> Pushed:
        self.pushes.append(order)
        dies, self.dies = self.dies, None
        if dies is not None and not self.dies_after:
            raise dies
        failure = self.push_failure
        if failure is None and self.refs.get(order.ref) != order.before:
            failure = "not_fast_forward"
        if failure is None:
            self.refs[order.ref] = order.commit
        if dies is not None:
            raise dies
        return Pushed(
            failure="unknown" if self.reply_lost else failure, told="", seen=self.read("", order.url, order.ref)
        )

    def fetch(self, remote: str, url: str, ref: str) -> RemoteReading:
        return self.read(remote, url, ref)

    def request(self, unit: str, *, url: str, branch: str, target: str | None, title: str, text: str) -> Requested:
        self.texts.append(text)
        return Requested(digest=hashlib.sha256(text.encode()).hexdigest(), address=self.address)


def named(before: str, name: str) -> str:
    """The commit of this name on top of another one."""
    return hashlib.sha1(f"{before} {name}".encode(), usedforsecurity=False).hexdigest()
