"""Committed work: paths that were clean at the boundary make no claims, but their history is watched.

A commit that nothing reaches any more is lost, unless a reachable one took its place or everything it changed stands
in the tree or at a live tip. What it changed and what stands nowhere is lost with it. A committed file that was
deleted or put back without a commit, or put back by a new one, is a warning; every other change is a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unlost.facts.trees import Change, Entry
from unlost.guard.committed_facts import Committed, CommittedWarning, RewrittenCommit
from unlost.guard.facts import COMMIT, Boundary, Claim, Claims, Contribution, Finding, LostObject, Present
from unlost.guard.sight import GoneCommit, GonePath, Sight, Suspect, Trace
from unlost.hunks.fate import added_lines

_MOST_ASKED: Final = 500
"""Committed paths whose history is asked for; beyond it a change is a change."""


def judge_committed(
    claims: Claims, changes: Sequence[Change], present: Present, sight: Sight, *, history_moved: bool
) -> Committed:
    """Judge what stands outside the claims; `history_moved`: HEAD, refs or stash differ from the last boundary."""
    last = claims.last
    if last is None:
        return Committed()
    arrived = frozenset(change.after.oid for change in changes if change.after is not None and change.before is None)
    lost_commits, rewritten, lost = (
        _judge_commits(claims, last, present, sight, arrived) if history_moved else ((), (), {})
    )
    lost_stashes, applied = _judge_stashes(claims, present, sight) if history_moved else ((), ())
    free = [
        change
        for change in changes
        if change.path not in claims.by_path and change.path not in lost and present.why_unread(change.path) is None
    ]
    return Committed(
        lost=tuple(lost[path] for path in sorted(lost)),
        warnings=tuple(_warnings(free, last, present, sight)),
        lost_commits=lost_commits,
        rewritten=rewritten,
        lost_stashes=lost_stashes,
        applied_stashes=applied,
        changed=tuple(change.path for change in free if change.before is not None),
        added=tuple(change.path for change in free if change.before is None),
    )


def _judge_commits(
    claims: Claims, last: Boundary, present: Present, sight: Sight, arrived: frozenset[str]
) -> tuple[tuple[LostObject, ...], tuple[RewrittenCommit, ...], dict[bytes, Finding]]:
    lost_commits: list[LostObject] = []
    rewritten: list[RewrittenCommit] = []
    findings: dict[bytes, Finding] = {}
    for gone in sight.evidence.gone_commits():
        if gone.commit in claims.meant_objects:
            continue
        heir = gone.twin or gone.successor
        if heir is not None:
            rewritten.append(RewrittenCommit(commit=gone.commit, subject=gone.subject, now=heir))
            continue
        fallen = list(_fallen(gone, last, present, sight, arrived))
        if not fallen and gone.paths is not None:
            continue
        lost_commits.append(
            LostObject(commit=gone.commit, subject=gone.subject, was_on=gone.was_on, paths=tuple(fallen))
        )
        for path in fallen if gone.on_head else ():
            if path not in claims.by_path and path not in claims.meant and path not in findings:
                findings[path] = _lost_with_its_commit(path, last, present, sight)
    return tuple(lost_commits), tuple(rewritten), findings


def _fallen(
    gone: GoneCommit, last: Boundary, present: Present, sight: Sight, arrived: frozenset[str]
) -> Iterator[bytes]:
    """The paths that a vanished commit changed and whose content stands nowhere live; `arrived` are contents that came.

    A history that was rewritten to hold everything in another folder has lost nothing.
    """
    reader = sight.reader
    if gone.paths is None:
        if not gone.on_head:
            return
        # Its history went with it: what HEAD held at the boundary and does not hold now has to stand in its place.
        for change in reader.changes(last.base, present.base):
            here = not gone.below or change.path.startswith(gone.below + b"/")
            if here and change.before is not None and reader.entry(present.tree, change.path) != change.before:
                yield change.path
        return
    for each in gone.paths:
        now = reader.entry(present.tree, each.path)
        if now is None and each.after in arrived:
            continue
        as_held = gone.on_head and now == reader.entry(last.base, each.path)
        if not as_held and not _stands(each, now, sight):
            yield each.path


def _stands(gone: GonePath, now: Entry | None, sight: Sight) -> bool:
    """Whether what a commit or stash made of a path stands: exactly, or all its lines in the file as it is now."""
    if gone.lives or (None if now is None else now.oid) == gone.after:
        return True
    if gone.after is None or now is None:
        return False
    mine, text = sight.blob(gone.after), sight.text(now)
    old = sight.blob(gone.before) if gone.before is not None else sight.text(None)
    if mine is None or old is None or text is None:
        return False
    lines = added_lines(old, mine)
    return bool(lines) and all(text.holds_more_of(line, old) for line in lines)


def _lost_with_its_commit(path: bytes, last: Boundary, present: Present, sight: Sight) -> Finding:
    held = sight.reader.entry(last.base, path)
    now = sight.reader.entry(present.tree, path)
    claim = Claim(
        path=path,
        owner=COMMIT,
        entry=held,
        base=held,
        since=last.number,
        seen=last.number,
        now=sight.reader.entry(last.tree, path),
        # What the file was put back to is all that is known of the text that the commit had replaced.
        contributions=(Contribution(owner=COMMIT, before=now, after=held),),
    )
    return Finding(claim=claim, state="deleted" if now is None else "reverted", severity="loss", now=now)


def _judge_stashes(claims: Claims, present: Present, sight: Sight) -> tuple[tuple[LostObject, ...], tuple[str, ...]]:
    lost: list[LostObject] = []
    applied: list[str] = []
    for gone in sight.evidence.gone_stashes():
        if gone.commit in claims.meant_objects:
            continue
        fallen = tuple(
            each.path
            for each in gone.paths or ()
            if not _stands(each, sight.reader.entry(present.tree, each.path), sight)
        )
        if fallen or gone.paths is None:
            lost.append(LostObject(commit=gone.commit, subject=gone.subject, was_on="refs/stash", paths=fallen))
        else:
            applied.append(gone.commit)
    return tuple(lost), tuple(applied)


def _warnings(free: Iterable[Change], last: Boundary, present: Present, sight: Sight) -> Iterator[CommittedWarning]:
    """Committed files that were deleted or put back; what moved to another path is neither."""
    reader = sight.reader
    arrived = {change.after.oid for change in free if change.after is not None and change.before is None}
    suspects: list[tuple[Change, Entry | None]] = []
    for change in free:
        if change.before is None or change.before != reader.entry(last.base, change.path):
            continue
        head = reader.entry(present.base, change.path)
        if change.after is not None:
            suspects.append((change, head))
        elif head is not None and change.before.oid not in arrived:
            yield CommittedWarning(path=change.path, state="deleted", commit=None)
    asked = [
        Suspect(path=change.path, claimed=change.before, now=change.after, since=last.number)
        for change, _ in suspects[:_MOST_ASKED]
    ]
    traces = sight.evidence.trace(asked) if asked else {}
    for change, head in suspects:
        trace = traces.get(change.path)
        if trace is not None and trace.earlier and change.after is not None:
            put_back_by = _commit_that_put_back(change.after, head, trace)
            if head != change.after or put_back_by is not None:
                yield CommittedWarning(path=change.path, state="reverted", commit=put_back_by)


def _commit_that_put_back(now: Entry, head: Entry | None, trace: Trace) -> str | None:
    """The newest commit since the boundary that changed the path, when the path is clean."""
    return trace.kept_since[0][0] if head == now and trace.kept_since else None
