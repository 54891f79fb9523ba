"""What a unit published, as its record tells it."""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.publish.outcomes import PushFailure
from unlost.unit.publish_events import PushIntended, RemoteRewound, RequestKept


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishRecord:
    """The newest push, and what kept one from being.

    `open` is a push whose outcome nobody recorded; `uncertain_at` the event after which even the remote could not be
    asked. `failure` is why nothing was pushed at event `failed_at`. `number` counts the pushes.
    A person asked for it by hand at event `asked_at`; at `verified_at` the remote last held what it should.
    """

    number: int = 0
    open: PushIntended | None = None
    uncertain_at: int = 0
    failure: PushFailure | None = None
    failed_at: int = 0
    remote: str | None = None
    ref: str | None = None
    published: str | None = None
    request: RequestKept | None = None
    rewound: tuple[RemoteRewound, ...] = ()
    asked_at: int = 0
    verified_at: int = 0
