"""Keeps the work of coding agents: what a program can import.

Every name is opened on first use (PEP 562), so `import unlost` costs nothing and one name pays for no other.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from unlost.app.handoffs import verify_handoff as verify_handoff
    from unlost.app.plain import Workspace as Workspace
    from unlost.app.supervised import Supervisor as Supervisor
    from unlost.app.units import Unit as Unit
    from unlost.facts.errors import FileInvalid as FileInvalid
    from unlost.facts.errors import Interrupted as Interrupted
    from unlost.facts.errors import NeedsPerson as NeedsPerson
    from unlost.facts.errors import NotARepository as NotARepository
    from unlost.facts.errors import Paused as Paused
    from unlost.facts.errors import Problem as Problem
    from unlost.facts.errors import SupersededWriter as SupersededWriter
    from unlost.facts.errors import TryLater as TryLater
    from unlost.facts.errors import UnlostBug as UnlostBug
    from unlost.facts.errors import UnlostError as UnlostError
    from unlost.facts.errors import UsageError as UsageError
    from unlost.facts.errors import WorkLost as WorkLost
    from unlost.handoff.resume_prompt import compile_resume_prompt as compile_resume_prompt
    from unlost.handoff.transcript import assert_not_transcript as assert_not_transcript
    from unlost.plan.facts import Plan as Plan
    from unlost.prompt.notes import retained_work_note as retained_work_note
    from unlost.research.submitting import submit_brief as submit_brief
    from unlost.workspace.proof import is_retired_own_allocation as is_retired_own_allocation

_MODULES: Final[Mapping[str, str]] = {
    "FileInvalid": "unlost.facts.errors",
    "Interrupted": "unlost.facts.errors",
    "NeedsPerson": "unlost.facts.errors",
    "NotARepository": "unlost.facts.errors",
    "Paused": "unlost.facts.errors",
    "Plan": "unlost.plan.facts",
    "Problem": "unlost.facts.errors",
    "SupersededWriter": "unlost.facts.errors",
    "Supervisor": "unlost.app.supervised",
    "TryLater": "unlost.facts.errors",
    "Unit": "unlost.app.units",
    "UnlostBug": "unlost.facts.errors",
    "UnlostError": "unlost.facts.errors",
    "UsageError": "unlost.facts.errors",
    "WorkLost": "unlost.facts.errors",
    "Workspace": "unlost.app.plain",
    "assert_not_transcript": "unlost.handoff.transcript",
    "compile_resume_prompt": "unlost.handoff.resume_prompt",
    "is_retired_own_allocation": "unlost.workspace.proof",
    "retained_work_note": "unlost.prompt.notes",
    "submit_brief": "unlost.research.submitting",
    "verify_handoff": "unlost.app.handoffs",
}

__all__ = [
    "FileInvalid",
    "Interrupted",
    "NeedsPerson",
    "NotARepository",
    "Paused",
    "Plan",
    "Problem",
    "SupersededWriter",
    "Supervisor",
    "TryLater",
    "Unit",
    "UnlostBug",
    "UnlostError",
    "UsageError",
    "WorkLost",
    "Workspace",
    "assert_not_transcript",
    "compile_resume_prompt",
    "is_retired_own_allocation",
    "retained_work_note",
    "submit_brief",
    "verify_handoff",
]


def __getattr__(name: str) -> object:
    """Open the module of a public name and keep the name here."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, opened or not."""
    return sorted(__all__)
