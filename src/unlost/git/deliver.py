"""The one door that writes into a user's git dir: a commit that was made elsewhere comes to the branch HEAD is on.

Objects are checked one by one as they come in. The branch moves only from the commit that was expected, and the index
goes along for the commit's own paths alone. Everything happens while `index.lock` is ours, so git's own commands wait
or say so. In this order a kill leaves the person with staged work at worst, never with a HEAD that their index undoes:

    lock the index · objects · the new index in place · the branch · unlock

No program that the repository names runs: hooks are off, and git gets only `update-ref` to do with the user's git dir.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.git.call import Git, GitFailed
from unlost.git.index import copy_index, read_index, rewrite_index
from unlost.git.index_lock import (
    NEW_INDEX,
    OLD_INDEX,
    PUT_INDEX,
    IndexLocked,
    holds_our_lock,
    index_held,
    place_of,
    second_name,
    sweep,
    take_index_back,
    write_new,
)
from unlost.git.person import Person, repository_settings
from unlost.git.repository import Repository, head_of
from unlost.host.crash import crash_point
from unlost.host.reading import sync_folder

POINTS: Final = ("deliver.locked", "deliver.objects", "deliver.index", "deliver.moved", "deliver.unlocked")
"""Where a test may kill a delivery."""

Refused = Literal[
    "unborn", "detached", "other_branch", "operation", "conflicted", "index_locked", "head_moved", "failed"
]
_LOOSE_AT_MOST: Final = 200
_SAFE: Final = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false")
_DURABLE: Final = ("core.fsync=committed,reference", "core.fsyncMethod=fsync")
_SHARED: Final = re.compile(r"(?:group|all|world|everybody|true|0[0-7]{3})")
_PACK_NAME: Final = re.compile(rb"[0-9a-f]{40,64}")


class DeliveryRefused(UnlostError):
    """Nothing in the user's repository was changed; `word` says why."""

    def __init__(self, word: Refused, message: str) -> None:
        super().__init__(message)
        self.word = word


@dataclass(frozen=True, kw_only=True)
class IndexChange:
    """What the index holds at a path while the commit is made, and what it is to hold afterwards."""

    seen: Entry | None
    after: Entry | None


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """A commit for `branch` (a full ref), which must hold `before` and be the one that HEAD is on.

    `contents` are blobs that the new index names beside those of the commit.
    """

    branch: str
    before: str
    after: str
    index: Mapping[bytes, IndexChange]
    contents: tuple[str, ...]
    person: Person
    reason: str


def deliver(delivery: Delivery, repository: Repository, source: Git) -> None:
    """Bring a commit in; `source` is the git dir of ours that has it. Raises DeliveryRefused, OSError."""
    try:
        with index_held(repository):
            crash_point("deliver.locked")
            refuse_standing(repository, branch=delivery.branch, before=delivery.before)
            bring_objects(repository, source, (delivery.after, *delivery.contents), beside=delivery.before)
            crash_point("deliver.objects")
            _put_index(delivery, repository, source)
            crash_point("deliver.index")
            try:
                _move_branch(delivery, repository, source)
            except BaseException:
                # Interrupted after git had moved it, the index is the right one already.
                if head_of(repository).oid != delivery.after:
                    take_index_back(repository)
                raise
            crash_point("deliver.moved")
    except IndexLocked as error:
        raise DeliveryRefused(
            "index_locked", "index.lock is there: another git works here, or one was killed and left it"
        ) from error
    except GitFailed as error:
        raise DeliveryRefused(_word(error), error.stderr or error.message) from error
    crash_point("deliver.unlocked")


def settle_delivery(repository: Repository, *, branch: str, before: str) -> None:
    """Take away what a killed delivery left: its lock, and its index when the branch still is at `before`.

    What a person's git has done to the index since stays. Only whoever drives the workspace may call this.
    """
    if holds_our_lock(repository) and head_of(repository).branch == branch and head_of(repository).oid == before:
        take_index_back(repository)
    sweep(repository)


def refuse_standing(repository: Repository, *, branch: str, before: str | None = None) -> str:
    """HEAD's commit, where a commit can be put. Raises DeliveryRefused when the repository is in no state for one."""
    head = head_of(repository)
    if head.operation is not None:
        raise DeliveryRefused("operation", f"a {head.operation} is in progress")
    if head.branch is None:
        raise DeliveryRefused("detached", "HEAD is detached: a commit would be on no branch")
    if head.branch != branch:
        raise DeliveryRefused("other_branch", f"HEAD is on {head.branch}, not on {branch}")
    if head.oid is None:
        raise DeliveryRefused("unborn", "nothing is committed here yet")
    if before is not None and head.oid != before:
        raise DeliveryRefused("head_moved", "HEAD moved meanwhile")
    return head.oid


def bring_objects(repository: Repository, source: Git, wanted: Iterable[str], *, beside: str) -> None:
    """Copy what the repository does not have below commit `beside`, each object checked and every link followed.

    Nothing names them until a ref does. Raises GitFailed.
    """
    listed = "".join(f"{oid}\n" for oid in wanted) + f"^{beside}\n"
    prefix = os.path.join(source.git_dir, "delivery")
    told = source.run("pack-objects", "--revs", "-q", prefix, stdin=listed.encode()).strip()
    if not _PACK_NAME.fullmatch(told):
        raise GitFailed("pack-objects", exit_code=0, stderr="no pack was made")
    pack = f"{prefix}-{told.decode('ascii')}"
    try:
        with open(f"{pack}.pack", "rb") as file:
            count = int.from_bytes(file.read(12)[8:], "big")
        command = ("unpack-objects", "-q") if count <= _LOOSE_AT_MOST else ("index-pack", "--stdin", "--fix-thin")
        place = {"GIT_OBJECT_DIRECTORY": os.path.join(repository.common_dir, "objects")}
        config = (*_DURABLE, *_shared(repository))
        source.run(*command, "--strict", stdin=f"{pack}.pack", config=config, variables=place)
    finally:
        for ending in ("pack", "idx", "rev"):
            if os.path.exists(f"{pack}.{ending}"):
                os.unlink(f"{pack}.{ending}")


def _shared(repository: Repository) -> tuple[str, ...]:
    """Who else may read and write what is added, as the repository has it."""
    value = repository_settings(repository).get("core.sharedrepository", "")
    return (f"core.sharedRepository={value}",) if _SHARED.fullmatch(value) else ()


def _put_index(delivery: Delivery, repository: Repository, source: Git) -> None:
    """Put an index in place that differs from the present one in the commit's paths alone."""
    copy = copy_index(repository, source)
    staged = read_index(source, copy)
    if staged.unmerged:
        raise DeliveryRefused("conflicted", "the index holds unmerged paths")
    if any(staged.entries.get(path) != change.seen for path, change in delivery.index.items()):
        raise DeliveryRefused("head_moved", "what is staged changed meanwhile")
    index = place_of(repository, "index")
    before = os.stat(index) if os.path.exists(index) else None
    data = rewrite_index(source, copy, repository, {path: change.after for path, change in delivery.index.items()})
    new = place_of(repository, NEW_INDEX)
    write_new(new, data)
    if before is not None:
        os.chmod(new, before.st_mode & 0o777)
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        second_name(index, place_of(repository, OLD_INDEX))
        os.utime(place_of(repository, OLD_INDEX), ns=(before.st_atime_ns, before.st_mtime_ns))
    # By this second one it is known later whether the index is still as it was put there.
    second_name(new, place_of(repository, PUT_INDEX))
    os.rename(new, index)
    sync_folder(repository.git_dir)


def _move_branch(delivery: Delivery, repository: Repository, source: Git) -> None:
    git = Git(repository.git_dir, home=source.home)
    git.run(
        *("update-ref", "-m", delivery.reason, delivery.branch, delivery.after, delivery.before),
        config=(*_SAFE, *_DURABLE),
        variables=delivery.person.variables(),
    )


def _word(error: GitFailed) -> Refused:
    if "File exists" in error.stderr and ".lock" in error.stderr:
        return "index_locked"
    return "head_moved" if "but expected" in error.stderr else "failed"
