"""Letting go of snapshots: what outlived its time, then, while space is short, what is worth least.

`collect` is the whole work; `tend` is what a command may do on its way out, in two seconds at most. Both hold the
capture locks of every workspace that shares the store, for a capture counts on objects that no ref names yet.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from unlost.facts.errors import TryLater
from unlost.facts.records import dataclass
from unlost.git.call import Git
from unlost.git.refs import delete_refs, list_refs
from unlost.host.clock import Clock
from unlost.host.locks import FileLock
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.layout import Layout
from unlost.snapshot.nested_keeping import Tidy, keep_linked, nested_folder
from unlost.snapshot.repacking import needs_repack, repack_all, repack_some, size_of
from unlost.snapshot.thinning import DAY, by_worth, outlived, worth

TEND_SECONDS: Final = 2.0
"""How long a command may tend its store before it ends."""

_ROUNDS: Final = 8
_SHARE_OF_DISK: Final = 0.05
_PATIENCE: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What a store may keep: `keep` in seconds, the others in bytes.

    `max_store` is also held to 5 % of the file system. When less than `free` is left there, autosaves go.
    """

    keep: float = 30 * DAY
    max_store: int = 5 << 30
    free: int = 256 << 20


@dataclass(frozen=True, kw_only=True)
class Held:
    """What one workspace has in a store; `pinned` are ids of snapshots that must stay (open losses, a run's own)."""

    layout: Layout
    snapshots: tuple[Snapshot, ...]
    pinned: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What was let go; sizes in bytes on the disk. `over`: how much too large the store still is."""

    dropped: tuple[Snapshot, ...]
    size_before: int
    size_after: int
    over: int


Announce = Callable[[Sequence[Snapshot]], None]
"""Hears which snapshots are about to be dropped, while they are still there; an error of it keeps them."""

Look = Callable[[], Sequence[Held]]
"""Tells every workspace that shares a store, registered or only present in it; asked again under the locks."""


def overdue(held: Sequence[Held], *, budget: Budget, now: float) -> tuple[Snapshot, ...]:
    """What `collect` would let go by age alone: the answer of a dry run."""
    return tuple(
        snapshot
        for each in held
        for snapshot in outlived(each.snapshots, now=now, keep=budget.keep, pinned=each.pinned)
    )


def collect(look: Look, git: Git, *, announce: Announce, budget: Budget, clock: Clock) -> Collected:
    """Let go of snapshots by age, then by worth until the store fits its budget; then make it small.

    `git` works on the store. Raises TryLater when a capture does not end within ten seconds, GitFailed.
    """
    with _all_locked(look, wait=_PATIENCE) as held:
        before = size_of(git.git_dir)
        dropped = list(overdue(held, budget=budget, now=clock.now()))
        announce(dropped)
        _drop(git, held, dropped)
        repack_all(git)
        for _ in range(_ROUNDS):
            surplus = _surplus(held, dropped, _too_large(git.git_dir, budget))
            if not surplus:
                break
            dropped += surplus
            announce(surplus)
            _drop(git, held, surplus)
            repack_all(git)
        _keep_linked(held, dropped, clock, repack_all)
        excess = _too_large(git.git_dir, budget)
    return Collected(
        dropped=tuple(dropped), size_before=before, size_after=excess.size, over=max(0, excess.over, excess.short)
    )


def tend(
    look: Look, git: Git, *, announce: Announce, budget: Budget, clock: Clock, seconds: float = TEND_SECONDS
) -> bool:
    """Let go of what is overdue and gather small packs, for so many seconds; False when more is left to do.

    Does nothing, and says False, while anybody captures. Frees no space itself: that is for `collect`.
    """
    started = clock.monotonic()
    try:
        with _all_locked(look, wait=0.0) as held:
            dropped = overdue(held, budget=budget, now=clock.now())
            announce(dropped)
            _drop(git, held, dropped)

            def tidy(store: Git) -> bool:
                left = seconds - (clock.monotonic() - started)
                return not needs_repack(store.git_dir) or repack_some(store, left)

            if dropped:
                _keep_linked(held, dropped, clock, tidy)
            return tidy(git)
    except TryLater:
        return False


def _keep_linked(held: Sequence[Held], dropped: Sequence[Snapshot], clock: Clock, tidy: Tidy) -> None:
    """Let the stores of nested repositories follow the snapshots around them."""
    gone = {snapshot.id for snapshot in dropped}
    for each in held:
        layout = each.layout
        if os.path.isdir(nested_folder(layout)):
            kept = [snapshot for snapshot in each.snapshots if snapshot.id not in gone]
            with Archive(
                store_folder=layout.store_folder,
                workspace_folder=layout.workspace_folder,
                workspace=layout.workspace,
                root="/",
                clock=clock,
            ) as archive:
                keep_linked(archive, kept, tidy)


def forget_snapshots(layout: Layout, git: Git) -> None:
    """Drop every ref of one workspace; its content goes at the next `collect`. The caller holds its capture lock."""
    refs = list_refs(layout.store, "refs")
    # Whatever keeps a ref here puts the workspace behind `refs/<what it is>`.
    delete_refs(git, {name: oid for name, oid in refs.items() if name.split("/")[2] == layout.workspace})


@contextmanager
def _all_locked(look: Look, *, wait: float) -> Iterator[Sequence[Held]]:
    """Hold the capture lock of every workspace of a store, and the store's own, so that none can be added.

    Captures take their own lock first and the store's second; so does this, and cannot block them for good.
    """
    with ExitStack() as locks:
        paths = _lock_paths(look())
        for path in paths:
            _hold(locks, path, wait)
        for path in sorted({each.layout.store_lock for each in look()}):
            _hold(locks, path, wait)
        held = look()
        if _lock_paths(held) != paths:
            raise TryLater("a workspace has just been added to this store; nothing was changed")
        yield held


def _hold(locks: ExitStack, path: str, wait: float) -> None:
    lock = FileLock(path)
    lock.acquire(wait)
    locks.callback(lock.release)


def _lock_paths(held: Sequence[Held]) -> list[str]:
    """The capture locks, sorted; a workspace that is only known by its refs has nobody to take one."""
    return sorted(each.layout.capture_lock for each in held if os.path.isdir(os.path.dirname(each.layout.capture_lock)))


def _drop(git: Git, held: Sequence[Held], snapshots: Sequence[Snapshot]) -> None:
    """Delete the refs of snapshots: of the tree, the base and the private files, in one step."""
    doomed: dict[str, str] = {}
    for each in held:
        numbers = {str(s.sequence) for s in snapshots if s.workspace == each.layout.workspace}
        if numbers:
            for prefix in (each.layout.snapshots(), each.layout.bases(), each.layout.privates()):
                refs = list_refs(each.layout.store, prefix)
                doomed |= {name: oid for name, oid in refs.items() if name.rpartition("/")[2].lstrip("0") in numbers}
    delete_refs(git, doomed)


@dataclass(frozen=True, kw_only=True)
class _Excess:
    """A store of `size` bytes is `over` too large by its own budget, and the disk is `short` of free space."""

    size: int
    over: int
    short: int


def _too_large(store: str, budget: Budget) -> _Excess:
    disk = os.statvfs(store)
    allowed = min(budget.max_store, int(disk.f_blocks * disk.f_frsize * _SHARE_OF_DISK))
    size = size_of(store)
    return _Excess(size=size, over=size - allowed, short=budget.free - disk.f_bavail * disk.f_frsize)


def _surplus(held: Sequence[Held], dropped: Sequence[Snapshot], excess: _Excess) -> list[Snapshot]:
    """The snapshots of least worth, as many as the share of the store that is too much; at least one, if any may go.

    A disk that others filled costs no boundary.
    """
    gone = {snapshot.id for snapshot in dropped}
    left = [
        snapshot
        for each in held
        for snapshot in by_worth(each.snapshots, pinned=each.pinned)
        if snapshot.id not in gone and (excess.over > 0 or snapshot.kind == "autosave")
    ]
    share = max(excess.over, excess.short) / max(1, excess.size)
    return sorted(left, key=worth)[: max(1, math.ceil(len(left) * share))] if share > 0 else []
