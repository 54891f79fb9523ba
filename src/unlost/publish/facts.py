"""The line of origin of a unit's work: one producer, its writers, and the receipts that prove an advanced head.

The accepted research step is the producer: recorded once, never replaced (R.51, R.54). A writer is a coding attempt
that was admitted on its brief; the pointer alone proves no push (R.52). Only receipts prove that a head advanced
(R.33, R.56); what a remote, a page or a message says of a branch proves nothing (R.57).
"""

from __future__ import annotations

from typing import Literal

from unlost.facts.records import dataclass

WriterKind = Literal["code", "repair", "maintenance"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProducerPointer:
    """The accepted research step of a unit: what every later coding admission has to rest on.

    `attempt` is the researcher's identity and names the producer. `contract` is the plan's digest when it was opened,
    `brief` the digest of its brief, `sources` the ids of its closure, in its order.
    """

    ledger: str
    unit: str
    requester: str
    step: str
    attempt: str
    repository: str
    commit: str
    contract: str
    brief: str
    sources: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class WriterPointer:
    """A coding attempt that was admitted on the producer's brief.

    `identity` is the attempt's own, `head` the commit that it was admitted on (None while nothing was committed), on
    `branch` (None: detached). `action` is the key of the maintenance action that it carries out, for that kind alone.
    """

    unit: str
    producer: str
    brief: str
    kind: WriterKind
    identity: str
    epoch: int
    head: str | None
    branch: str | None
    action: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitReceipt:
    """unlost itself moved `branch` (a full ref) from one commit to another, which holds the claims of these tasks.

    `branch` None: the commit stands in unlost's own store alone. `producer` None: the unit has no research.
    """

    unit: str
    producer: str | None
    tasks: tuple[str, ...]
    branch: str | None
    before: str
    after: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PushReceipt:
    """A remote's `ref` was read back and held `after`; `before` None: there was no such ref.

    `remote` is the name that the plan gives, `url` the sha256 of the address that was pushed to.
    """

    unit: str
    producer: str | None
    remote: str
    url: str
    ref: str
    before: str | None
    after: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RebaseReceipt:
    """The unit's work was put onto a moved target: `before` became `after`, on top of `onto`, for `branch`.

    `target` is the full ref that moved. `action` is the maintenance action's key, `writer` the identity of the coding
    attempt that settled a conflict (None: it was clean).
    """

    unit: str
    producer: str | None
    action: str
    target: str
    onto: str
    branch: str
    before: str
    after: str
    writer: str | None = None


Receipt = CommitReceipt | PushReceipt | RebaseReceipt
