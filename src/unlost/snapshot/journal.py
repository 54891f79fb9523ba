"""The journal of a restore under way: what it set out to do, durable before the first name is touched.

One JSON file a restore in a folder of the state home, so that `rm -rf` of the root leaves it. It is written
twice: *staging* (only the stage may exist: a crash is rolled back) and *placing* (the stage is whole: a crash is
rolled forward).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Final, Literal

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.host.reading import read_regular, sync_folder, write_atomically
from unlost.snapshot.present import FileTraits
from unlost.snapshot.wanted import Step

Phase = Literal["staging", "placing"]
_PREFIX: Final = "restore-"
_SUFFIX: Final = ".json"
_LARGEST: Final = 1 << 30


class JournalDamaged(UnlostError):
    """The journal of an interrupted restore cannot be read; the snapshot taken before it holds the tree as it was."""


@dataclass(frozen=True, kw_only=True)
class Journal:
    """One restore under way; `root_identity` is the device and inode of the folder it is meant for."""

    identifier: str
    root: str
    root_identity: tuple[int, int]
    phase: Phase
    steps: tuple[Step, ...] = ()


def write_journal(folder: str, journal: Journal) -> None:
    """Record a restore, durably; replaces its earlier phase."""
    facts = {
        "identifier": journal.identifier,
        "root": path_json(os.fsencode(journal.root)),
        "root_identity": list(journal.root_identity),
        "phase": journal.phase,
        "steps": [_step_json(step) for step in journal.steps],
    }
    write_atomically(_file(folder, journal.identifier), canonical_json(facts), durable=True)


def pending_journals(folder: str) -> tuple[str, ...]:
    """The ids of the restores that were interrupted, in no order that matters; cheap when there are none."""
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return ()
    return tuple(
        name[len(_PREFIX) : -len(_SUFFIX)] for name in names if name.startswith(_PREFIX) and name.endswith(_SUFFIX)
    )


def read_journal(folder: str, identifier: str) -> Journal:
    """One recorded restore. Raises JournalDamaged."""
    try:
        facts = json.loads(read_regular(_file(folder, identifier), _LARGEST) or b"")
        device, inode = facts["root_identity"]
        return Journal(
            identifier=facts["identifier"],
            root=os.fsdecode(path_from_json(facts["root"])),
            root_identity=(int(device), int(inode)),
            phase="placing" if facts["phase"] == "placing" else "staging",
            steps=tuple(_step(each) for each in facts["steps"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise JournalDamaged(
            f"the journal {_file(folder, identifier)} of an interrupted restore cannot be read",
            hint="remove it, then restore again; the snapshot taken before that restore holds the tree as it was",
        ) from error


def drop_journal(folder: str, identifier: str) -> None:
    """The restore is over: forget it."""
    os.unlink(_file(folder, identifier))
    sync_folder(folder)


def _file(folder: str, identifier: str) -> str:
    return os.path.join(folder, _PREFIX + identifier + _SUFFIX)


def _step_json(step: Step) -> dict[str, object]:
    return {
        "path": path_json(step.path),
        "entry": None if step.entry is None else list(step.entry),
        "expected": None if step.expected is None else list(step.expected),
        "prove": None if step.prove is None else list(step.prove),
        "private": step.private,
        "displaced": step.displaced,
    }


def _step(facts: Mapping[str, object]) -> Step:
    entry, expected, prove = facts["entry"], facts["expected"], facts["prove"]
    return Step(
        path=path_from_json(facts["path"]),
        entry=Entry(*_texts(entry)) if isinstance(entry, list) else None,
        expected=FileTraits(*_numbers(expected)) if isinstance(expected, list) else None,
        prove=Entry(*_texts(prove)) if isinstance(prove, list) else None,
        private=bool(facts["private"]),
        displaced=bool(facts["displaced"]),
    )


def _texts(values: list[object]) -> tuple[str, str]:
    mode, oid = values
    return str(mode), str(oid)


def _numbers(values: list[object]) -> tuple[int, int, int, int, int]:
    device, inode, mode, size, modified = (int(str(value)) for value in values)
    return device, inode, mode, size, modified
