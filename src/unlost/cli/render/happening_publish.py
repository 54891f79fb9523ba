"""What happens to a unit's commits while it happens, one line an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.cli.palette import Palette
from unlost.cli.render.published import refusal_text
from unlost.cli.render.row import row
from unlost.unit import commit_events as commit
from unlost.unit import publish_events as publish

_SHORT: Final = 10


def _committed(event: commit.CommitEnded, palette: Palette) -> str | None:
    if event.receipt is None:
        return None if event.refusal is None else row("commit", refusal_text(event.refusal), palette.warning)
    where = event.receipt.branch
    told = f"on {where.removeprefix('refs/heads/')}" if where else "in unlost's own store"
    return row("commit", f"{event.receipt.after[:_SHORT]} {told}  {palette.faint(event.name)}", palette.good)


def _deferred(event: commit.CommitDeferred, palette: Palette) -> str:
    return row("commit", f"not made: {refusal_text(event.refusal)}", palette.warning)


def _pushed(event: publish.PushEnded, palette: Palette) -> str | None:
    if event.receipt is None:
        return None if event.failure is None else row("publish", refusal_text(event.failure), palette.warning)
    branch = event.receipt.ref.removeprefix("refs/heads/")
    return row("published", f"{event.receipt.remote} {branch} at {event.receipt.after[:_SHORT]}", palette.good)


def _uncertain(_event: publish.PushUncertain, palette: Palette) -> str:
    return row("publish", refusal_text("unknown"), palette.warning)


def _not_published(event: publish.PublishDeferred, palette: Palette) -> str:
    return row("publish", refusal_text(event.failure), palette.warning)


def _rewound(event: publish.RemoteRewound, palette: Palette) -> str:
    now = "gone" if event.found is None else f"at {event.found[:_SHORT]}"
    return row("rewound", f"{event.ref} was at {event.expected[:_SHORT]} and is {now}", palette.warning)


def _requested(event: publish.RequestKept, palette: Palette) -> str | None:
    return None if event.address is None else row("request", event.address, palette.good)


LINES: Final[Mapping[type, Callable[[Any, Palette], str | None]]] = {
    commit.CommitEnded: _committed,
    commit.CommitDeferred: _deferred,
    publish.PushEnded: _pushed,
    publish.PushUncertain: _uncertain,
    publish.PublishDeferred: _not_published,
    publish.RemoteRewound: _rewound,
    publish.RequestKept: _requested,
}
