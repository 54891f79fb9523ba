"""What a plan will want of the repository at its end, asked before anything is started: no agent is paid in vain."""

from __future__ import annotations

from typing import Final

from unlost.app.attempts import usable
from unlost.app.reviewing import refuse_unusable_reviewer
from unlost.facts.errors import NeedsPerson, NotARepository, UsageError
from unlost.git.deliver import DeliveryRefused, refuse_standing
from unlost.git.person import person_of, push_addresses, settings_in
from unlost.git.repository import Repository, head_of, open_repository
from unlost.plan.facts import Plan
from unlost.publish.words import REFUSALS

RUN: Final = "unlost run PLAN"


def refuse_unready(root: str, plan: Plan, plan_folder: str, *, again: str = RUN) -> None:
    """Raise UsageError when an agent that the plan names cannot be used here, NeedsPerson for a repository in the way.

    That is one in which the plan's commits or its publishing could not be made; `again` is what to type once it is.
    """
    usable(plan.agent, plan_folder)
    refuse_unusable_reviewer(plan, plan_folder)
    _refuse_unpublishable(root, plan, again)


def _refuse_unpublishable(root: str, plan: Plan, again: str) -> None:
    publishes = "publish" in plan.workflow.steps
    if plan.commit.mode == "never" and not publishes:
        return
    try:
        repository = open_repository(root)
    except (NotARepository, UsageError):
        return  # told by whoever captures
    settings = settings_in(repository)
    word = None if plan.commit.mode == "never" else _standing(repository)
    if word is None and person_of(settings) is None:
        word = "no_identity"
    if word is None and publishes:
        if head_of(repository).oid is None:
            word = "unborn"
        elif plan.publish.remote not in push_addresses(settings):
            word = "no_remote"
    if word is not None:
        what, hint = REFUSALS[word]
        raise NeedsPerson(
            f"the plan commits or publishes, and {what}; nothing was started",
            hint=hint.replace("unlost resume {unit}", again).replace("unlost publish {unit} --trust-remote", again),
        )


def _standing(repository: Repository) -> str | None:
    branch = head_of(repository).branch
    try:
        refuse_standing(repository, branch=branch or "")
    except DeliveryRefused as error:
        return error.word
    return None
