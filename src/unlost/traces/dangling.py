"""What nothing reaches any more: commits after a reset, dropped stashes, blobs of edits that were staged and reset.

`git fsck --no-reflogs` lists what `--lost-found` lists, and writes no files (H.9). What stashes, refs and the index
name is not dangling; commits that a reflog still names are told apart.
"""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.git.reader import ObjectMissing
from unlost.git.refs import is_oid
from unlost.host.process import run
from unlost.traces.commits import changed_by, read_commit
from unlost.traces.facts import Dangling
from unlost.traces.history import missing
from unlost.traces.inspection import Inspection


@dataclass(frozen=True, kw_only=True)
class Unreachable:
    """Ids of dangling commits and blobs; `in_reflog` are those of the commits that a reflog names."""

    commits: tuple[str, ...] = ()
    blobs: tuple[str, ...] = ()
    in_reflog: frozenset[str] = frozenset()


_KINDS: Final = {"commit", "blob"}
_FATAL: Final = 128


def unreachable(inspection: Inspection) -> Unreachable:
    """Every dangling commit and blob of the repository; empty when its objects are too damaged to walk."""
    stashes = [entry.after for entry in inspection.reflogs() if entry.ref == "refs/stash" and entry.after]
    roots = {*inspection.refs.values(), *stashes, *inspection.live_tips.values()}
    known = sorted(roots - missing(inspection, roots))
    inspection.place_roots(known)
    answer = _fsck(inspection, inspection.index_copy())
    found: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for line in answer.decode("ascii", "replace").splitlines():
        words = line.split(" ")
        if len(words) == 3 and words[0] == "dangling" and words[1] in _KINDS and is_oid(words[2]):
            found[words[1]].append(words[2])
    commits = tuple(found["commit"])
    return Unreachable(
        commits=commits, blobs=tuple(found["blob"]), in_reflog=inspection.reflog_oids().intersection(commits)
    )


def _fsck(inspection: Inspection, index: str | None) -> bytes:
    """What fsck lists. Its exit code tells of damage; what it listed all the same is of use."""
    options = ("--no-reflogs", "--connectivity-only", "--dangling", "--no-progress")
    if index is not None:
        request = inspection.git.request("fsck", *options, "--cache", variables={"GIT_INDEX_FILE": index})
        outcome = run(request)
        if outcome.exit_code != _FATAL:
            return outcome.stdout
        # A torn index stops fsck altogether; without it, what is staged counts as dangling too.
    return run(inspection.git.request("fsck", *options)).stdout


def dangling_commits(inspection: Inspection, commits: tuple[str, ...]) -> tuple[Dangling, ...]:
    """What each of these commits changed against its first parent, the newest first (never merely "holds")."""
    found = []
    for oid in commits:
        try:
            commit = read_commit(inspection.objects, oid)
        except ObjectMissing:
            continue
        changed = changed_by(inspection.objects, commit)
        found.append(Dangling(commit=oid, at=commit.at, subject=commit.subject, changed=changed))
    return tuple(sorted(found, key=lambda each: -each.at))
