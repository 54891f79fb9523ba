"""`find`, put together: every place that may hold work of one work tree, registered or not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain

from unlost.app.open_workspace import OpenWorkspace
from unlost.git.formats import SHA1
from unlost.git.repository import Repository
from unlost.host.environment import home_folder, variable
from unlost.host.ids import new_nonce
from unlost.plain.find import Place, Query, beside, paths_of, search
from unlost.plain.finds_in_files import InCopies, InWorkTrees
from unlost.plain.finds_in_repository import InRepository
from unlost.plain.finds_in_snapshots import InSnapshots
from unlost.plain.found import Found, write_finds
from unlost.plain.on_disk import entries_on_disk
from unlost.settings import Settings
from unlost.traces.claude_history import claude_copies
from unlost.traces.elsewhere import other_roots
from unlost.traces.history import missing
from unlost.traces.inspection import Inspection
from unlost.traces.local_copies import LocalCopy
from unlost.traces.vscode_history import vscode_copies, vscode_folders


def find_work(workspace: OpenWorkspace, settings: Settings, query: Query, *, to: str | None = None) -> Found:
    """Look for work in every place there is; with `to`, write the newest of each path into that folder.

    Changes nothing in the repository and needs no boundary. Raises RestoreFailed for a folder that cannot be written.
    """
    root = workspace.found.root
    repository = _repository_of(workspace)
    naming = SHA1 if repository is None else repository.object_format
    with ExitStack() as opened, _scratch(settings) as scratch:
        places: list[Place] = []
        committed: frozenset[tuple[bytes, str]] = frozenset()
        if workspace.is_registered:
            places.append(InSnapshots(workspace.place.boundaries.trees))
        if repository is not None:
            inspection = opened.enter_context(Inspection(repository, scratch=scratch))
            inside = InRepository(inspection)
            committed = inside.committed
            roots = other_roots(inspection)
            places += [inside, InWorkTrees(roots, naming, missing=partial(missing, inspection))]
        known = chain(query.paths, (path for path, _ in committed))
        places.append(InCopies(_copies(root, known), naming, home_folder()))
        result = search(places, query, safe=committed)
        present = entries_on_disk(root, paths_of(result.finds), naming.name_of)
        result = beside(result, query, present)
        placed = None
        if to is not None and result.finds:
            placed = write_finds(result.finds, places, folder=to, journals=scratch)
    return Found(search=result, present=present, placed=placed)


def _repository_of(workspace: OpenWorkspace) -> Repository | None:
    """The repository at the root, else what is left of the one that a vanished root belonged to."""
    if workspace.found.repository is not None or not workspace.is_registered:
        return workspace.found.repository
    return workspace.place.boundaries.looking().repository


def _copies(root: str, known: Iterable[bytes]) -> Iterator[LocalCopy]:
    home = home_folder()
    configuration = variable("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    for folder in vscode_folders(home, configuration):
        yield from vscode_copies(folder, root)
    yield from claude_copies(variable("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), root, known)


@contextmanager
def _scratch(settings: Settings) -> Iterator[str]:
    """A folder of ours that is removed at the end."""
    folder = os.path.join(settings.home, "scratch", f"find-{new_nonce()}")
    os.makedirs(folder, mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
