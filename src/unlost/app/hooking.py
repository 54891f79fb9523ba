"""A hook's call on a workspace: save before a discard, boundaries around sessions (design.md, section 6)."""

from __future__ import annotations

from typing import Final

from unlost.app.open_workspace import OpenWorkspace
from unlost.facts.errors import NotARepository
from unlost.host.environment import is_below_attempt
from unlost.plain import hook_answer
from unlost.plain.discards import Discard
from unlost.plain.hook_answer import PASS, Answer
from unlost.plain.hook_call import Call, discards_of, folders_of
from unlost.plain.hook_judge import Danger, Work, danger_of, reaches, rule
from unlost.plain.trees import base_of
from unlost.settings import DiscardMode, Settings
from unlost.snapshot.begun import Begun
from unlost.snapshot.facts import Snapshot

ASKS_NOBODY: Final = frozenset({"codex"})
"""Agents that take "ask" for a yes: they are answered with a refusal instead."""


def answer_call(call: Call, settings: Settings, *, agent: str, begun: Begun | None = None) -> Answer:
    """What the hook says to a call; goes on with a capture that was `begun` for it.

    Raises what opening and capturing a workspace raise.
    """
    try:
        with OpenWorkspace.open(call.folder, settings, begun=begun) as workspace:
            if is_below_attempt() and not workspace.is_registered:
                return PASS  # a throw-away checkout, or a repository that the agent made: nobody counts on it
            if call.moment == "PreToolUse":
                mode = settings.discard or ("refuse" if is_below_attempt() else "save")
                return _before_command(workspace, call, "refuse" if agent in ASKS_NOBODY and mode == "ask" else mode)
            return _around_session(workspace, call)
    except NotARepository:
        return PASS


def _before_command(workspace: OpenWorkspace, call: Call, mode: DiscardMode) -> Answer:
    discards, folders = discards_of(call), folders_of(call)
    if not discards or not reaches(discards, folders, root=workspace.found.root):
        return PASS
    if not workspace.is_registered:
        workspace.mark("hook", kind="hook")
    snapshot = workspace.place.boundaries.archive.capture(kind="kept", label=f"before {discards[0].command}")
    danger = danger_of(discards, folders, root=workspace.found.root, work=_work(workspace, snapshot))
    return _ANSWERS[rule(mode, danger)](discards, danger, snapshot)


def _work(workspace: OpenWorkspace, snapshot: Snapshot) -> tuple[Work, ...]:
    """Everything in the tree that no commit holds, and everything that is claimed."""
    boundaries = workspace.place.boundaries
    claims = boundaries.claims().by_path
    found = {
        change.path: Work(path=change.path, tracked=change.before is not None)
        for change in boundaries.changed(snapshot.base, snapshot.tree)
    }
    skipped = {each.path: Work(path=each.path, tracked=False, captured=False) for each in snapshot.incomplete}
    claimed = {
        path: Work(path=path, tracked=claim.base is not None, ignored=claim.ignored, owner=claim.owner)
        for path, claim in claims.items()
        if claim.entry is not None and (path in found or claim.base is None)
    }
    return tuple({**found, **skipped, **claimed}.values())


def _around_session(workspace: OpenWorkspace, call: Call) -> Answer:
    """A boundary at the moment; within an attempt the supervisor's own are enough.

    What lies in the tree when a session begins is a person's; what comes to be in the session is not claimed, because
    the person may well ask the agent to take it back.
    """
    if is_below_attempt():
        workspace.place.boundaries.archive.capture(kind="autosave")
        return PASS
    if call.moment == "SessionStart":
        marked = workspace.mark(call.moment, kind="mark" if call.begins else "hook")
        told = marked.document
        return hook_answer.standing(boundary=marked.boundary, claims=told["claims"], lost=told["open_losses"])
    if _is_unchanged(workspace):
        return PASS
    return hook_answer.after_session(lost=workspace.mark(call.moment, kind="hook").lost)


def _is_unchanged(workspace: OpenWorkspace) -> bool:
    """Whether the tree and HEAD's share in it are what the newest boundary has: an agent stops after every answer."""
    if not workspace.is_registered:
        return False
    boundaries = workspace.place.boundaries
    last, snapshot = boundaries.claims().last, boundaries.archive.capture(kind="autosave")
    return last is not None and (last.tree, last.base) == (snapshot.tree, base_of(snapshot))


def _pass(_discards: tuple[Discard, ...], _danger: Danger, _snapshot: Snapshot) -> Answer:
    return PASS


def _save(discards: tuple[Discard, ...], danger: Danger, snapshot: Snapshot) -> Answer:
    return hook_answer.saved(discards, danger, snapshot=snapshot.id)


def _ask(discards: tuple[Discard, ...], danger: Danger, _snapshot: Snapshot) -> Answer:
    return hook_answer.asked(discards, danger)


def _refuse(discards: tuple[Discard, ...], danger: Danger, _snapshot: Snapshot) -> Answer:
    return hook_answer.refused(discards, danger)


_ANSWERS: Final = {"pass": _pass, "save": _save, "ask": _ask, "refuse": _refuse}
