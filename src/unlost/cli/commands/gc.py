"""`unlost gc`: let go of old snapshots."""

from __future__ import annotations

import click

from unlost.app.collecting import Gathered, collect_all
from unlost.cli.invocation import Command, Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.amounts import count, size_text
from unlost.host.clock import SystemClock
from unlost.host.state_home import make_state_home
from unlost.ledger.registry import open_ledger
from unlost.settings import read_settings


@click.command("gc", cls=Command, dry_run=True, examples=("unlost gc", "unlost gc -n"))
@click.pass_obj
def command(invocation: Invocation) -> int:
    """Let go of old snapshots, in every store of this machine.

    What stays is packed small. Autosaves are thinned with age and live for a week, boundaries for 30 days; what an
    open loss, an open unit or an undo needs stays. While a store is over its budget, what is worth least goes first.
    mark and run do a little of this by themselves.
    """
    settings, clock = read_settings(invocation.environment), SystemClock()
    make_state_home(settings.home)
    ledger = open_ledger(settings.ledger, clock)
    try:
        with Progress(invocation.terminal) as progress:
            progress("looking through the stores")
            gathered = collect_all(settings, ledger, clock, dry_run=invocation.dry_run)
    finally:
        ledger.close()
    invocation.answer(gathered.to_json(), _text(gathered))
    left_alone = [each for each in gathered.stores if each.left_alone is not None]
    for each in left_alone:
        invocation.terminal.complain(f"store {each.store} was left alone: {each.left_alone}")
    return 1 if left_alone else 0


def _text(gathered: Gathered) -> str:
    document = gathered.to_json()
    dropped = count(document["dropped"], "snapshot")
    if gathered.dry_run:
        return f"would let go of {dropped} by age; nothing was changed (-n)"
    lines = [f"let go of {dropped}, freed {size_text(max(0, document['freed']))} · {size_text(document['bytes'])} kept"]
    lines += [f"store {each.store} is {size_text(each.over)} over its budget" for each in gathered.stores if each.over]
    return "\n".join(lines)
