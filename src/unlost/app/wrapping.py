"""`run -- CMD` on a workspace: the boundary before, autosaves during, the proof and the boundary after."""

from __future__ import annotations

from contextlib import ExitStack

from unlost.app.autosaving import Autosaving
from unlost.app.plain import Workspace
from unlost.host.clock import Clock
from unlost.plain.check import Checked
from unlost.plain.wrapper import Proof
from unlost.settings import Settings


class WorkspaceAround:
    """`plain.wrapper.Around` over the workspace at a folder.

    `autosave` is the longest time in seconds that a change may stay unsaved while the program runs; None for no
    autosaves. `checked` is the whole verdict on what the program left, once it ended.
    """

    def __init__(self, target: str, settings: Settings, clock: Clock, *, label: str, autosave: float | None) -> None:
        self._target = target
        self._settings = settings
        self._clock = clock
        self._label = label
        self._autosave = autosave
        self._open = ExitStack()
        self.checked: Checked | None = None

    @property
    def workspace(self) -> str:
        """The id of the workspace, once its boundary is taken: its folder may be gone when the program has ended."""
        return self._target

    def before(self) -> None:
        """Take the boundary that the run is held against."""
        workspace = self._open.enter_context(Workspace.open(self._target, self._settings))
        workspace.mark(f"before {self._label}")
        self._target = workspace.place.identity.workspace
        archive = workspace.place.boundaries.archive
        autosaving = Autosaving(archive=archive, longest=self._autosave, clock=self._clock)
        self._open.enter_context(autosaving.during())

    def after(self) -> Proof:
        """Prove all claims again, keep the verdict, and take the next boundary.

        The work tree is looked for anew, because the program may have moved or removed it. One that is gone has no
        next boundary; what was in it is lost.
        """
        self._open.close()
        with Workspace.open(self._target, self._settings) as workspace:
            self.checked = workspace.check()
            if not workspace.place.root_is_there:
                lost = len(self.checked.document["lost"])
                return Proof(changed=lost, lost=lost, boundary=self.checked.document["since"]["boundary"])
            marked = workspace.mark(f"after {self._label}")
        return Proof(changed=marked.changed, lost=marked.lost, boundary=marked.boundary)
