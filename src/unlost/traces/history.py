"""Which versions of a path commits hold: in history, on remote branches, in reflogs, in unreachable commits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from unlost.facts.trees import Entry
from unlost.git.call import GitFailed
from unlost.git.refs import is_oid
from unlost.traces.facts import Version
from unlost.traces.inspection import Inspection

MOST_COMMITS: Final = 2_000
"""Commits that are looked at for one question, the newest first; what lies beyond is not found, which is safe: what is
not found is never called anything."""

_PATHS_AT_ONCE: Final = 200
_ASKED_IN_PROCESS: Final = 1_000
"""Objects that are looked for in process; for more of them a git process is the cheaper way."""


def versions(
    inspection: Inspection, paths: Sequence[bytes], tips: Collection[str], *, excluding: Collection[str] = ()
) -> tuple[Version, ...]:
    """What commits reachable from `tips` (and not from `excluding`) made of these paths, the newest first.

    Paths are literal. Tips that are missing are passed over. At most 2,000 commits for each 200 paths.
    """
    found: list[Version] = []
    for start in range(0, len(paths), _PATHS_AT_ONCE):
        part = paths[start : start + _PATHS_AT_ONCE]
        limits = ("--full-history", "--topo-order", f"--max-count={MOST_COMMITS}")
        found += changes_by(inspection, _rev_list(inspection, tips, excluding, *limits, paths=part), part)
    return tuple(found)


def changes_by(inspection: Inspection, lines: Sequence[str], paths: Sequence[bytes] = ()) -> tuple[Version, ...]:
    """What commits changed of these paths (none given: of all) against each of their parents, in the given order.

    A line is a commit id, or a commit id and the ids to take for its parents.
    """
    if not lines:
        return ()
    answer = inspection.git.run(
        "diff-tree", "--stdin", "--root", "-m", "-r", "--raw", "-z", "--no-renames", "--full-index",
        "--format=%H %ct", "--", *_texts(paths),
        stdin="".join(f"{line}\n" for line in lines).encode(),
    )  # fmt: skip
    return tuple(parse_versions(answer))


def missing(inspection: Inspection, oids: Iterable[str]) -> frozenset[str]:
    """Those of the objects that the repository does not have."""
    wanted = sorted({oid for oid in oids if is_oid(oid)})
    if len(wanted) <= _ASKED_IN_PROCESS:
        return frozenset(oid for oid in wanted if not inspection.objects.holds(oid))
    answer = inspection.git.run("cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in wanted).encode())
    rows = answer.decode("ascii", "replace").splitlines()
    return frozenset(row.split(" ")[0] for row in rows if row.endswith(" missing"))


def reachable(inspection: Inspection, commits: Collection[str], tips: Collection[str]) -> frozenset[str]:
    """Those of the commits that `tips` reach; a commit that is missing is reached by nobody."""
    gone = missing(inspection, commits)
    wanted = {commit for commit in commits if commit not in gone}
    return frozenset(wanted.difference(only_reachable_from(inspection, wanted, tips, most=None)))


def only_reachable_from(
    inspection: Inspection, commits: Collection[str], tips: Collection[str], *, most: int | None = MOST_COMMITS
) -> tuple[str, ...]:
    """Every commit that `commits` reach and `tips` do not, the newest first; `most` bounds how many."""
    gone = missing(inspection, [*commits, *tips])
    starts = [commit for commit in commits if commit not in gone]
    limits = () if most is None else (f"--max-count={most}",)
    return _rev_list(inspection, starts, [tip for tip in tips if tip not in gone], *limits)


def parse_versions(data: bytes) -> Iterator[Version]:
    """Take apart `diff-tree --stdin --raw -z --format='%H %ct'`."""
    commit, at = "", 0
    fields = iter(data.split(b"\0"))
    for field in fields:
        text = field.lstrip(b"\n").decode("ascii", "replace")
        if text.startswith(":"):
            words, path = text.split(" "), next(fields, b"")
            yield Version(
                commit=commit,
                at=at,
                path=path,
                before=_entry(words[0].lstrip(":"), words[2]),
                entry=_entry(words[1], words[3]),
            )
        elif text:
            commit, _, time = text.strip().partition(" ")
            at = int(time) if time.isdigit() else 0


def patch_ids(inspection: Inspection, commits: Sequence[str]) -> dict[str, str]:
    """The stable patch id of each commit that changes something; merges have none."""
    if not commits:
        return {}
    lines = "".join(f"{commit}\n" for commit in commits).encode()
    patches = inspection.git.run(
        "diff-tree", "--stdin", "--root", "-r", "-p", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv",
        stdin=lines,
    )  # fmt: skip
    rows = inspection.git.run("patch-id", "--stable", stdin=patches).decode("ascii", "replace").splitlines()
    return {commit: patch for patch, _, commit in (row.partition(" ") for row in rows)}


def _entry(mode: str, oid: str) -> Entry | None:
    return None if mode == "000000" else Entry(mode, oid)


def _rev_list(
    inspection: Inspection,
    tips: Collection[str],
    excluding: Collection[str],
    *options: str,
    paths: Sequence[bytes] = (),
) -> tuple[str, ...]:
    if not tips:
        return ()
    lines = "".join(f"{line}\n" for line in (*tips, *(f"^{oid}" for oid in excluding)))
    try:
        answer = inspection.git.run(
            "rev-list", "--ignore-missing", *options, "--stdin", "--", *_texts(paths), stdin=lines.encode()
        )
    except GitFailed:
        # A damaged history ends the walk with an error; what cannot be walked proves nothing.
        return ()
    return tuple(answer.decode("ascii", "replace").split())


def _texts(paths: Sequence[bytes]) -> list[str]:
    return [path.decode("utf-8", "surrogateescape") for path in paths]
