"""What the last capture saw, so that the next one need not look again; a cache, healed by a first capture."""

from __future__ import annotations

import hashlib
import marshal
import sys
from functools import partial
from typing import Any, Final, NamedTuple

from unlost.facts.records import dataclass, field, fields
from unlost.facts.trees import Entry
from unlost.host.reading import read_regular, write_atomically
from unlost.host.stamps import Stamp

_LIMIT: Final = 1 << 30
_DIGEST: Final = 32
# marshal is five times faster than JSON on thousands of paths; its form may change with the interpreter.
_VERSION: Final = f"unlost-state-1 {sys.hexversion:x}".encode()


class Taken(NamedTuple):
    """A path's content as it was stored; `stamp` is None when the file may have changed since without a sign."""

    mode: str
    oid: str
    stamp: Stamp | None

    @property
    def entry(self) -> Entry:
        """What stands in a tree."""
        return Entry(self.mode, self.oid)


class Conversion(NamedTuple):
    """Proof that git would store the content `oid` of mode `mode` as HEAD's blob `head`."""

    head: str
    mode: str
    oid: str


class Last(NamedTuple):
    """The newest snapshot: its commit, its tree, its message."""

    commit: str
    tree: str
    message: bytes


Delta = dict[bytes, Taken | None]
"""Paths that differ from the baseline; None where the baseline has one and the work tree has none."""


@dataclass(kw_only=True)
class Seen:
    """What the walk for ignored files found: good while the index and the hidden folders keep their stamps."""

    seal: Stamp | None
    hidden: dict[bytes, tuple[int, int, int]]
    ignored: list[bytes]
    nested: list[bytes]
    full: bool


@dataclass(kw_only=True)
class State:
    """The facts that captures hand on; trees and commits are hex ids."""

    format: str
    head: str | None
    head_tree: str
    baseline: str
    baseline_tree: str
    tree: str
    files: int
    delta: Delta = field(default_factory=dict)
    private: dict[bytes, Taken] = field(default_factory=dict)
    private_tree: str | None = None
    base: str = ""
    conversions: dict[bytes, Conversion] = field(default_factory=dict)
    """Every conversion that was ever proved for a path, whether or not it is in force now."""
    converted: dict[bytes, Entry] = field(default_factory=dict)
    """What stands in `base` in place of HEAD's entries."""
    links: dict[bytes, str] = field(default_factory=dict)
    """Nested repositories that HEAD names, with the commit it names."""
    lacking: bool = False
    """Whether files of HEAD are not here (a partial clone), and so not in `head_tree`."""
    lfs: bool = False
    forced: list[bytes] = field(default_factory=list)
    """Ignored paths that the user put under version control."""
    is_sparse: bool = False
    sparse: list[bytes] = field(default_factory=list)
    """Paths that the user's sparse checkout leaves out."""
    index_stamp: Stamp | None = None
    rule_stamps: dict[str, Stamp | None] = field(default_factory=dict)
    seen: Seen | None = None
    unreadable: list[bytes] = field(default_factory=list)
    """Paths that the system did not show at the last look."""
    sequence: int = 0
    last: Last | None = None
    written: int = 0
    """Bytes written into the store since it was last measured."""
    dirty: bool = False
    """Whether it differs from what the file holds."""


def save_state(path: str, state: State) -> None:
    """Write the cache."""
    state.dirty = False
    facts: dict[str, Any] = {each.name: getattr(state, each.name) for each in fields(state)}
    facts["delta"] = {name: taken and tuple(taken) for name, taken in state.delta.items()}
    facts["private"] = {name: tuple(taken) for name, taken in state.private.items()}
    for key in ("conversions", "converted"):
        facts[key] = {name: tuple(value) for name, value in facts[key].items()}
    facts["last"] = state.last and tuple(state.last)
    facts["seen"] = state.seen and {each.name: getattr(state.seen, each.name) for each in fields(state.seen)}
    save_cache(path, facts)


def load_state(path: str) -> State | None:
    """Read the cache; None when it is missing, damaged, or of another version."""
    facts = load_cache(path)
    if not isinstance(facts, dict) or facts.keys() != {each.name for each in fields(State)}:
        return None
    facts["delta"], facts["private"] = _taken(facts["delta"]), _taken(facts["private"])
    facts["conversions"] = {name: Conversion(*value) for name, value in facts["conversions"].items()}
    facts["converted"] = {name: Entry(*entry) for name, entry in facts["converted"].items()}
    facts["last"] = facts["last"] and Last(*facts["last"])
    facts["seen"] = facts["seen"] and Seen(**facts["seen"])
    return State(**facts)


def _taken(rows: dict[bytes, Any]) -> dict[bytes, Any]:
    """Rows as what they are; there may be thousands, so not a line of ours is run for each."""
    if None in rows.values():
        return {name: row and Taken._make(row) for name, row in rows.items()}
    return dict(zip(rows, map(partial(tuple.__new__, Taken), rows.values()), strict=True))


def save_cache(path: str, value: Any) -> None:
    """Write plain values with a checksum."""
    data = marshal.dumps(value)
    write_atomically(path, _VERSION + hashlib.sha256(data).digest() + data)


def load_cache(path: str) -> object:
    """What `save_cache` wrote; None when it is missing, damaged, or of another interpreter."""
    try:
        data = read_regular(path, _LIMIT) or b""
    except OSError:
        return None
    start = len(_VERSION) + _DIGEST
    if not data.startswith(_VERSION) or hashlib.sha256(data[start:]).digest() != data[len(_VERSION) : start]:
        return None
    # Safe: the file is ours (0600 in a 0700 folder), and the checksum proves that it is what we wrote.
    value: object = marshal.loads(memoryview(data)[start:])  # noqa: S302
    return value
