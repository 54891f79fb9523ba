"""The chapters of commits, pushes and maintenance: receipts by both of their heads. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.unit import commit_events as commit
from unlost.unit import maintenance_events as maintenance
from unlost.unit import publish_events as publish
from unlost.unit.story_words import Told, branch_of, named, short, words


def _committed(event: commit.CommitEnded) -> Told:
    receipt = event.receipt
    if receipt is None:
        return "commit", f"{event.name} was not made: {words(event.refusal)}"
    where = "in unlost's own store" if receipt.branch is None else f"on {branch_of(receipt.branch)}"
    return "commit", f"{short(receipt.before)} to {short(receipt.after)} {where}, for {', '.join(receipt.tasks)}"


def _deferred(event: commit.CommitDeferred) -> Told:
    return "commit", f"put off: {words(event.refusal)}"


def _pushed(event: publish.PushEnded) -> Told:
    receipt = event.receipt
    if receipt is None:
        return "publish", f"nothing was pushed: {words(event.failure or 'it never began')}"
    where = f"{receipt.remote} {branch_of(receipt.ref)}"
    return "publish", f"{where}: {short(receipt.before)} to {short(receipt.after)}, read back"


def _rewound(event: publish.RemoteRewound) -> Told:
    where = f"{event.remote} {branch_of(event.ref)}"
    return "publish", f"others moved {where}: {short(event.expected)} was there, now {short(event.found)}"


def _request(event: publish.RequestKept) -> Told:
    where = f", opened at {event.address}" if event.address else ", kept as a file"
    return "publish", f"text of a pull request {short(event.digest)}{where}"


def _opened(event: maintenance.MaintenanceOpened) -> Told:
    told = f"{branch_of(event.target)} moved to {short(event.onto)}; {branch_of(event.ref)} is at {short(event.before)}"
    return "maintain", f"{event.action}: {told}"


def _merged(event: maintenance.MaintenanceMerged) -> Told:
    if event.commit is None:
        return "maintain", f"conflict in {named(event.conflicts)}"
    return "maintain", f"carried over as {short(event.commit)}"


def _repair(event: maintenance.MaintenanceRepairIntended) -> Told:
    writer = "" if event.writer is None else f" on the brief of {event.writer.producer}"
    return "repair", f"{event.identity} settles the conflict{writer}, charged once"


def _repaired(event: maintenance.MaintenanceRepairEnded) -> Told:
    if not event.known:
        return "repair", f"nobody knows how {event.identity} ended; no credit, and it is not run again"
    return "repair", f"{event.identity} ended{' with an error' if event.failed else ''}"


def _settled(event: maintenance.MaintenanceSettled) -> Told:
    receipt = event.receipt
    if receipt is None:
        why = f": {', '.join(event.refusals)}" if event.refusals else ""
        paths = f": {named(event.paths)}" if event.paths else ""
        return "maintain", f"{event.action} came to {words(event.result + why)}{paths}"
    told = f"rebased onto {short(receipt.onto)}: {short(receipt.before)} to {short(receipt.after)}"
    return "maintain", f"{event.action} {told}"


TELL: Final[Mapping[type, Callable[[Any], Told | None]]] = {
    commit.CommitEnded: _committed,
    commit.CommitDeferred: _deferred,
    publish.PushEnded: _pushed,
    publish.PushUncertain: lambda _event: ("publish", "nobody knows what the push came to; the remote will be asked"),
    publish.PublishDeferred: lambda event: ("publish", f"not pushed: {words(event.failure)}"),
    publish.RemoteRewound: _rewound,
    publish.RequestKept: _request,
    maintenance.MaintenanceOpened: _opened,
    maintenance.MaintenanceMerged: _merged,
    maintenance.MaintenanceRepairIntended: _repair,
    maintenance.MaintenanceRepairEnded: _repaired,
    maintenance.MaintenanceSettled: _settled,
}
