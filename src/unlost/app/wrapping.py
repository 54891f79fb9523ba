"""`run -- CMD` on a workspace: the boundary before, autosaves during, the proof and the boundary after."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Literal

from unlost.app.autosaving import Autosaving
from unlost.app.open_workspace import OpenWorkspace
from unlost.guard.facts import Claims
from unlost.host.clock import Clock
from unlost.plain.check import Checked
from unlost.plain.mark import Marked
from unlost.plain.wrapper import Proof
from unlost.settings import Settings

Pace = float | Literal["rules"] | None
"""The longest time in seconds that a change may stay unsaved; "rules": what the workspace's say, None: no autosaves."""


class WorkspaceAround:
    """`plain.wrapper.Around` over the workspace at a folder.

    `autosave` is the pace while the program runs. `checked` is the whole verdict on what the program left, once it
    ended; `unsaved` says in sentences which autosaves failed.
    """

    def __init__(self, target: str, settings: Settings, clock: Clock, *, label: str, autosave: Pace) -> None:
        self._target = target
        self._settings = settings
        self._clock = clock
        self._label = label
        self._autosave = autosave
        self._open = ExitStack()
        self._before: Marked
        self._known: frozenset[str] = frozenset()
        self.checked: Checked | None = None
        self.unsaved: list[str] = []

    @property
    def workspace(self) -> str:
        """The id of the workspace, once its boundary is taken: its folder may be gone when the program has ended."""
        return self._target

    def before(self) -> None:
        """Take the boundary that the run is held against."""
        workspace = self._open.enter_context(OpenWorkspace.open(self._target, self._settings))
        self._before = workspace.mark(f"before {self._label}")
        self._known = lost_objects(workspace.place.boundaries.claims())
        self._target = workspace.place.identity.workspace
        place = workspace.place
        longest = place.rules.autosave if self._autosave == "rules" else self._autosave
        autosaving = Autosaving(archive=place.boundaries.archive, longest=longest, clock=self._clock)
        self._open.enter_context(autosaving.during(self.unsaved.append))

    def after(self) -> Proof:
        """Prove all claims again, keep the verdict, and take the next boundary.

        The work tree is looked for anew, because the program may have moved or removed it. One that is gone has no
        next boundary; what was in it is lost.
        """
        self._open.close()
        with OpenWorkspace.open(self._target, self._settings) as workspace:
            self.checked = workspace.check()
            if not workspace.place.root_is_there:
                lost = len(self.checked.document["lost"])
                return Proof(changed=lost, lost=lost, boundary=self.checked.document["since"]["boundary"])
            marked = workspace.mark(f"after {self._label}")
            if workspace.place.identity.workspace != self._target:
                # Another repository stands there now: what it is held against is what was there.
                lost = max(marked.lost, len(self.checked.document["lost"]))
                return Proof(changed=marked.changed, lost=lost, boundary=marked.boundary)
            # Hooks and marks inside the run took boundaries of their own: what fell at one of them fell in this run.
            boundaries = workspace.place.boundaries
            lost = self._lost_since(boundaries.claims())
            changed = len(boundaries.changed(str(self._before.document["tree"]), str(marked.document["tree"])))
        return Proof(changed=changed, lost=lost, boundary=marked.boundary)

    def _lost_since(self, claims: Claims) -> int:
        """How many losses are open that were not when the run began."""
        opened = (claim.opened for claim in claims.by_path.values() if claim.opened is not None)
        fallen = sum(loss.boundary > self._before.boundary for loss in opened)
        return fallen + len(lost_objects(claims) - self._known)


def lost_objects(claims: Claims) -> frozenset[str]:
    """The commits and stash entries that are lost."""
    return frozenset(each.commit for each in (*claims.lost_commits, *claims.lost_stashes))
