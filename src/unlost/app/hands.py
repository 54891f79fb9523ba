"""What carries out the actions of the units of one workspace, put together on this machine."""

from __future__ import annotations

import os

from unlost.app.attempts import LocalAttempts
from unlost.app.autosaving import Autosaving
from unlost.app.checking import LocalChecks
from unlost.app.desk import Desks
from unlost.app.handing_over import LocalHandoffs
from unlost.app.maintaining import LocalMaintenance
from unlost.app.noting import LineNoter
from unlost.app.research import LocalResearch
from unlost.app.reviewing import LocalReviews
from unlost.app.watching import Workplace
from unlost.engine.ports import Hands, Listener
from unlost.facts.patterns import at_any_depth, matches_any
from unlost.host.clock import Clock
from unlost.host.ids import new_nonce
from unlost.host.redaction import Redactor
from unlost.ledger.protocol import Ledger
from unlost.publish.commits import LocalCommits
from unlost.publish.remotes import LocalRemotes
from unlost.settings import Settings


def hands_for(
    place: Workplace, settings: Settings, ledger: Ledger, clock: Clock, listener: Listener, plan_folder: str
) -> Hands:
    """The hands of a unit in this workspace; `plan_folder` is where its plan lay, from which scripts are found."""
    rules = place.place.rules
    scratch = tuple(at_any_depth(pattern) for pattern in rules.scratch)
    apart = Desks(root=place.root, settings=settings, may_restore=False)
    return Hands(
        ledger=ledger,
        watch=place.watch,
        attempts=LocalAttempts(
            root=place.root,
            workspace_folder=place.folder,
            plan_folder=plan_folder,
            clock=clock,
            autosaving=Autosaving(archive=place.archive, longest=rules.autosave, clock=clock),
            desks=Desks(root=place.root, settings=settings),
            note=listener.noted,
        ),
        checks=LocalChecks(archive=place.archive, folder=os.path.join(place.folder, "checkouts")),
        research=LocalResearch(
            archive=place.archive,
            ledger=ledger,
            workspace=place.workspace,
            folder=os.path.join(place.folder, "research"),
            plan_folder=plan_folder,
            clock=clock,
            desks=apart,
        ),
        reviews=LocalReviews(
            archive=place.archive,
            workspace_folder=place.folder,
            plan_folder=plan_folder,
            clock=clock,
            desks=apart,
        ),
        maintenance=LocalMaintenance(
            root=place.root,
            workspace_folder=place.folder,
            plan_folder=plan_folder,
            clock=clock,
            desks=apart,
        ),
        handoffs=LocalHandoffs(root=place.root, archive=place.archive, settings=settings, clock=clock),
        commits=LocalCommits(
            archive=place.archive,
            workspace_folder=place.folder,
            clock=clock,
            is_scratch=lambda path: matches_any(scratch, path),
            include_ignored=rules.include_ignored,
        ),
        remotes=LocalRemotes(root=place.root, workspace_folder=place.folder),
        clock=clock,
        listener=LineNoter(listener, ledger, place.workspace, place.folder),
        new_nonce=new_nonce,
        redact=Redactor(),
    )
