"""Review on this machine, as the engine asks for it: what changed as text, and reviewers in throw-away checkouts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from unlost.app.apart import Apart
from unlost.app.attempts import usable
from unlost.app.desk import Desks
from unlost.engine.apart_ports import ApartOrder, Investigated, Listen, Stop
from unlost.engine.readers import reviewer_of
from unlost.engine.review_ports import BranchWork
from unlost.facts.errors import NotARepository
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.git.call import GitFailed
from unlost.git.reader import ObjectMissing
from unlost.git.refs import read_ref
from unlost.git.repository import Repository, open_repository
from unlost.git.trees import difference
from unlost.host.clock import Clock
from unlost.host.reading import read_regular
from unlost.plan.facts import AgentChoice, Plan
from unlost.publish.difference import MAXIMUM_CONTENT, ChangedFile, Difference, difference_text
from unlost.publish.store import PublishStore
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable

TASK: Final = "review"
"""What a reviewer's environment and records call its task: it has none of the plan's."""

_USUAL: Final = ("main", "master", "trunk", "develop")
_REF_LIMIT: Final = 4096
Sides = tuple[Entry | None, Entry | None]


@dataclass(frozen=True, kw_only=True)
class LocalReviews:
    """`engine.review_ports.Reviews` for one workspace; `folder` is review's own in the workspace's folder."""

    archive: Archive
    workspace_folder: str
    plan_folder: str
    clock: Clock
    desks: Desks | None = None

    def difference(self, before: str, after: str) -> Difference:
        """What differs between two captured trees (see `Reviews.difference`)."""
        changes = self.archive.changes(before, after)
        return sides_text({change.path: (change.before, change.after) for change in changes}, self._content)

    def mine(self, snapshot: str) -> tuple[bytes, ...]:
        """A person's own paths in a captured tree (see `Reviews.mine`)."""
        found = self.archive.find(snapshot)
        return tuple(change.path for change in self.archive.changes(found.base, found.tree))

    def branch(self, snapshot: str, remote: str) -> BranchWork | None:
        """What an existing branch holds (see `Reviews.branch`)."""
        found = self.archive.find(snapshot)
        head = found.surroundings.head
        try:
            repository = open_repository(self.archive.root)
        except NotARepository:
            return None
        if head is None:
            return None
        with PublishStore(self.workspace_folder, repository) as store:
            target, commit = _left(store, repository, head, found.surroundings.branch, remote)
            try:
                return self._branch_work(store, found, target, commit, head)
            except ObjectMissing as error:
                raise SnapshotUnreadable(error.message, hint="git fsck") from error

    def run(self, order: ApartOrder, listen: Listen, stop: Stop) -> Investigated:
        """Run one reviewer to its end (see `Reviews.run`)."""
        return self._apart.run(order, listen, stop)

    def settle(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        """How a reviewer ended (see `Reviews.settle`)."""
        return self._apart.settle(identity, agent, tree)

    @property
    def _apart(self) -> Apart:
        return Apart(
            trees=self.archive,
            folder=os.path.join(self.workspace_folder, "review"),
            plan_folder=self.plan_folder,
            clock=self.clock,
            step="review",
            task=TASK,
            desks=self.desks,
        )

    def _branch_work(
        self, store: PublishStore, found: Snapshot, target: str | None, commit: str, head: str
    ) -> BranchWork:
        """What is committed since the branch left its target, and over it what is not committed yet."""
        sides: dict[bytes, Sides] = {}
        for change in difference(store.objects, store.tree_of(commit), store.tree_of(head)):
            sides[change.path] = (change.before, change.after)
        for change in self.archive.changes(found.base, found.tree):
            first = sides[change.path][0] if change.path in sides else change.before
            sides[change.path] = (first, change.after)

        def content(oid: str) -> bytes | None:
            try:
                data = store.objects.read(oid).data
            except ObjectMissing:
                return self._content(oid)
            return data if len(data) <= MAXIMUM_CONTENT else None

        return BranchWork(target=target, commit=commit, difference=sides_text(sides, content))

    def _content(self, oid: str) -> bytes | None:
        """The content of a captured file; None when it is larger than a reader is shown."""
        size = self.archive.sizes([oid]).get(oid)
        return None if size is None or size > MAXIMUM_CONTENT else self.archive.content(oid)


def refuse_unusable_reviewer(plan: Plan, plan_folder: str) -> None:
    """Raise UsageError when the plan's review cannot be done by whom it names: before anything is started."""
    if "review" in plan.workflow.steps and plan.review.use != "person":
        usable(reviewer_of(plan), plan_folder)


def _left(
    store: PublishStore, repository: Repository, head: str, branch: str | None, remote: str
) -> tuple[str | None, str]:
    """The branch that this one left, and the commit where it did; itself when it left none that is known."""
    for name in _targets(repository, remote):
        oid = read_ref(repository.common_dir, name)
        if oid is None or name == branch:
            continue
        try:
            commit = store.git.run("merge-base", "--end-of-options", head, oid).strip().decode("ascii")
        except GitFailed:
            continue
        if commit != head:
            return name, commit
    return None, head


def _targets(repository: Repository, remote: str) -> Iterable[str]:
    """Refs that a branch may have left, the likeliest first: the remote's own default branch, then usual names."""
    told = read_regular(os.path.join(repository.common_dir, "refs", "remotes", remote, "HEAD"), _REF_LIMIT) or b""
    if told.startswith(b"ref: "):
        yield told[5:].decode("utf-8", "surrogateescape").strip()
    yield from (f"refs/remotes/{remote}/{name}" for name in _USUAL)
    yield from (f"refs/heads/{name}" for name in _USUAL)


def sides_text(sides: Mapping[bytes, Sides], content: Callable[[str], bytes | None]) -> Difference:
    """The paths that differ as a reader's text; `content` gives None for what is more than a reader is shown."""
    return difference_text(_files(sides, content))


def _files(sides: Mapping[bytes, Sides], content: Callable[[str], bytes | None]) -> Iterator[ChangedFile]:
    for path in sorted(sides):
        before, after = sides[path]
        if before != after:
            yield ChangedFile(
                path=path,
                mode_before=None if before is None else before.mode,
                mode_after=None if after is None else after.mode,
                before=None if before is None else content(before.oid),
                after=None if after is None else content(after.oid),
            )
