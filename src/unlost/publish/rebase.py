"""Put a unit's commits onto a moved target, in unlost's own git dir: no work tree, no hook, no driver of a repository.

`git merge-tree --write-tree` finds the merge base by itself (only later gits take one), so the target's tree is first
committed with the old base as its parent: then that is the base. Each commit is carried over on its own, with its
author, times and message; the same order gives the same commits. Signatures do not come along: they were of other
content.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.git.call import GitFailed
from unlost.host.process import run
from unlost.publish.store import PublishStore

MAXIMUM_COMMITS: Final = 500
_DROPPED: Final = ("gpgsig", "gpgsig-sha256", "mergetag")
_CONFLICTED: Final = 1
# Committed attributes are not read without a work tree; this holds whatever a later git reads.
_BUILT_IN: Final = ("merge.default=text", "core.attributesFile=/dev/null", "merge.renormalize=false")


class RebaseFailed(UnlostError):
    """The rebase could not be tried; nothing was changed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rebased:
    """The commit that holds the unit's work on top of the target, and how many commits were carried over."""

    commit: str
    tree: str
    carried: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """Where it stopped: `onto` has the first `carried` commits, `tree` the whole work merged, marked at `paths`."""

    onto: str
    carried: int
    tree: str
    paths: tuple[bytes, ...]


def rebase(store: PublishStore, *, base: str, before: str, onto: str) -> Rebased | Conflict:
    """Carry the commits after `base` up to `before` over to `onto`. Raises RebaseFailed, ObjectMissing."""
    commits = _commits(store, base, before)
    here = onto
    for carried, commit in enumerate(commits):
        parents = store.parents_of(commit)
        start = parents[0] if parents else base
        tree, paths = _merge(store, start, here, commit)
        if paths or len(parents) != 1:
            return _rest(store, start, commits, carried, here)
        if tree != store.tree_of(here):
            here = _write(store, _moved(store.raw(commit), tree, here))
    return Rebased(commit=here, tree=store.tree_of(here), carried=len(commits))


def resolved(store: PublishStore, *, base: str, before: str, conflict: Conflict, tree: str) -> str:
    """The commit of a settled conflict: what was not carried over yet becomes one commit on top of what was."""
    return _joined(store, _commits(store, base, before)[conflict.carried :], tree, conflict.onto)


def _rest(store: PublishStore, start: str, commits: tuple[str, ...], carried: int, onto: str) -> Rebased | Conflict:
    """All that is left at once: a later commit may settle what an earlier one collides with."""
    tree, paths = _merge(store, start, onto, commits[-1])
    if paths:
        return Conflict(onto=onto, carried=carried, tree=tree, paths=paths)
    commit = _joined(store, commits[carried:], tree, onto)
    return Rebased(commit=commit, tree=tree, carried=len(commits))


def _joined(store: PublishStore, commits: tuple[str, ...], tree: str, parent: str) -> str:
    """One commit for several: author and times of the last one, every message, the oldest first."""
    header = _moved(store.raw(commits[-1]), tree, parent).partition(b"\n\n")[0]
    messages = [store.raw(commit).partition(b"\n\n")[2].strip(b"\n") for commit in commits]
    return _write(store, header + b"\n\n" + b"\n\n".join(messages) + b"\n")


def _commits(store: PublishStore, base: str, before: str) -> tuple[str, ...]:
    """The commits after the base, the oldest first, along the first parents."""
    told = store.git.run(
        *("rev-list", "--first-parent", "--reverse", f"--max-count={MAXIMUM_COMMITS + 1}", before, f"^{base}", "--")
    )
    commits = tuple(told.decode("ascii").split())
    if len(commits) > MAXIMUM_COMMITS:
        raise RebaseFailed(f"more than {MAXIMUM_COMMITS} commits stand on the branch; nothing was rebased")
    return commits


def _merge(store: PublishStore, base: str, onto: str, commit: str) -> tuple[str, tuple[bytes, ...]]:
    """The tree of a three-way merge with this base, and the paths that are in conflict."""
    standing = _write(store, _synthetic(store.tree_of(onto), base))
    request = store.git.request(
        *("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", standing, commit), config=_BUILT_IN
    )
    outcome = run(request)
    if outcome.exit_code not in (0, _CONFLICTED) or outcome.truncated:
        stderr = outcome.stderr.decode("utf-8", "replace").strip()
        raise GitFailed("merge-tree", exit_code=outcome.exit_code, stderr=stderr[-500:])
    tree, *paths = outcome.stdout.split(b"\0")
    named = tuple(sorted({path for path in paths if path})) if outcome.exit_code == _CONFLICTED else ()
    return tree.decode("ascii").strip(), named


def _synthetic(tree: str, parent: str) -> bytes:
    """A commit that only gives a merge its base; no ref ever names it."""
    person = "unlost <unlost> 0 +0000"
    return f"tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n\nbase\n".encode("ascii")


def _moved(data: bytes, tree: str, parent: str) -> bytes:
    """The same commit with another tree and parent, without what was signed of the old one."""
    header, _, message = data.partition(b"\n\n")
    lines = [b"tree " + tree.encode("ascii"), b"parent " + parent.encode("ascii"), *_kept(header.split(b"\n"))]
    return b"\n".join(lines) + b"\n\n" + message


def _kept(lines: list[bytes]) -> Iterator[bytes]:
    dropping = False
    for line in lines:
        if not line.startswith(b" "):
            word = line.split(b" ", 1)[0].decode("ascii", "replace")
            dropping = word in ("tree", "parent", *_DROPPED)
        if not dropping:
            yield line


def _write(store: PublishStore, data: bytes) -> str:
    writer = store.writer()
    commit = writer.write(b"commit", data)
    writer.finish()
    return commit
