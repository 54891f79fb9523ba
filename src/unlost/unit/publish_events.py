"""The events by which a unit's commits are pushed: intent, outcome, what nobody could find out, what others did."""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared
from unlost.publish.facts import PushReceipt
from unlost.publish.outcomes import PushFailure


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishAsked:
    """A person asks for the finished work to be published now; what failed before is tried again."""

    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PushIntended:
    """A commit is about to be pushed to a ref that was read and held `before` (None: was not there)."""

    number: int
    remote: str
    url: str
    ref: str
    before: str | None
    commit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PushEnded:
    """The remote was read back: a receipt, or why it holds something else. Body: what git said.

    `settled`: found out afterwards, because nobody had heard how the push ended.
    """

    number: int
    receipt: PushReceipt | None
    failure: PushFailure | None
    settled: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class PushUncertain:
    """Neither the push nor a look at the remote says what stands there; it is never pushed again for that."""

    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishDeferred:
    """Nothing could be pushed now, and nothing was. Body: what git said."""

    failure: PushFailure
    remote: str
    ref: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishVerified:
    """The remote was read and holds what the unit's newest receipt says."""

    remote: str
    ref: str
    commit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteRewound:
    """The unit's own branch at a remote holds what the unit did not push there; it is left alone.

    `expected` is what the newest receipt says, `found` what stands there (None: the branch is gone).
    """

    remote: str
    ref: str
    expected: str
    found: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestKept:
    """The text of a pull request was kept as a file for this commit; `address` where one was opened.

    It says what people were told. It proves no head (R.57).
    """

    commit: str
    digest: str
    branch: str
    address: str | None


KINDS: Final = {
    "publish.asked": Declared(payload=PublishAsked),
    "push.intended": Declared(payload=PushIntended),
    "push.ended": Declared(payload=PushEnded),
    "push.uncertain": Declared(payload=PushUncertain),
    "publish.deferred": Declared(payload=PublishDeferred),
    "publish.verified": Declared(payload=PublishVerified),
    "remote.rewound": Declared(payload=RemoteRewound),
    "request.kept": Declared(payload=RequestKept),
}
