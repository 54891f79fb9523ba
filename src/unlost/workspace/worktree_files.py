"""Where a repository's linked work trees of unlost's stand: kept on this machine alone, because it names folders.

One small file a name, written before anything is made, so that what a killed process left is known by name and
nothing else is ever taken for it.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Final

from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular, write_atomically

_LARGEST: Final = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A linked work tree that is made or was begun: `workspace` is None until it is registered."""

    name: str
    root: str
    commit: str
    workspace: str | None = None


class WorktreeFiles:
    """The names of one source workspace; `folder` is its own folder in the state home."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "worktrees")

    def lock(self) -> FileLock:
        """Held while a work tree is made or removed."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        return FileLock(os.path.join(self._folder, "lock"))

    def read(self, name: str) -> Planned | None:
        """What is known under a name. Raises ValueError, KeyError, TypeError for a damaged file."""
        data = read_regular(self._file(name), _LARGEST)
        if data is None:
            return None
        facts = json.loads(data)
        return Planned(
            name=name,
            root=os.fsdecode(path_from_json(facts["root"])),
            commit=str(facts["commit"]),
            workspace=None if facts["workspace"] is None else str(facts["workspace"]),
        )

    def write(self, planned: Planned) -> None:
        """Put a name down, or what became of it; durable."""
        facts = {
            "root": path_json(os.fsencode(planned.root)),
            "commit": planned.commit,
            "workspace": planned.workspace,
        }
        write_atomically(self._file(planned.name), canonical_json(facts), durable=True)

    def drop(self, name: str) -> None:
        """Let a name be free again; harmless when it is."""
        if os.path.lexists(self._file(name)):
            os.unlink(self._file(name))

    def is_taken(self, name: str) -> bool:
        """Whether a name is put down."""
        return os.path.lexists(self._file(name))

    def workspaces(self) -> tuple[str, ...]:
        """The workspaces of the work trees that were made from this one and stand, by name; damaged notes name none."""
        try:
            names = sorted(name.removesuffix(".json") for name in os.listdir(self._folder) if name.endswith(".json"))
        except FileNotFoundError:
            return ()
        found: list[str] = []
        for name in names:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                planned = self.read(name)
                if planned is not None and planned.workspace is not None:
                    found.append(planned.workspace)
        return tuple(found)

    def _file(self, name: str) -> str:
        return os.path.join(self._folder, f"{name}.json")
