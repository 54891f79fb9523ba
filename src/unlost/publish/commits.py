"""Commits of a unit in the user's repository: what stands there, a commit made beside it, brought in, found again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from unlost.facts.errors import NotARepository, UsageError
from unlost.facts.records import replace
from unlost.git.call import Git, GitFailed
from unlost.git.configuration import Settings
from unlost.git.deliver import Delivery, DeliveryRefused, deliver, refuse_standing, settle_delivery
from unlost.git.person import Person, commit_hooks, hooks_folder, person_of, settings_in
from unlost.git.reader import ObjectMissing
from unlost.git.repository import Repository, head_of, open_repository, refs_of
from unlost.host.clock import Clock
from unlost.publish.commit import Made
from unlost.publish.facts import CommitReceipt
from unlost.publish.hooks import HOOK_TIMEOUT, hooks_digest
from unlost.publish.making import Making, NotMade, run_post_commit
from unlost.publish.message import Moment, is_commit_of, marks_of
from unlost.publish.orders import CommitOrder, Composed, Delivered, Ground
from unlost.publish.remembered import remember_addresses
from unlost.publish.signing import SigningFailed
from unlost.publish.store import PublishStore
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import SnapshotUnreadable

_PATIENCE: Final = 5.0
_LOOK: Final = 0.2
_TRAIL: Final = 1000
"""Commits back from a branch's tip among which one of ours is looked for."""


class LocalCommits:
    """`engine.publish_ports.Commits` for one workspace; used by whoever drives it.

    `is_scratch` tells untracked files that are nobody's work, `include_ignored` patterns of captured ignored ones.
    """

    def __init__(
        self,
        *,
        archive: Archive,
        workspace_folder: str,
        clock: Clock,
        is_scratch: Callable[[bytes], bool],
        include_ignored: tuple[str, ...] = (),
        hook_timeout: float = HOOK_TIMEOUT,
    ) -> None:
        self._archive = archive
        self._folder = workspace_folder
        self._clock = clock
        self._is_scratch = is_scratch
        self._include_ignored = include_ignored
        self._hook_timeout = hook_timeout
        self._made: dict[str, tuple[Made, Person]] = {}

    def ground(self) -> Ground:
        """The repository as it is now (see `Commits.ground`)."""
        repository = self._repository()
        if repository is None:
            return Ground(branch=None, head=None, remotes={}, hooks=None)
        settings, head = settings_in(repository), head_of(repository)
        return Ground(
            branch=head.branch,
            head=head.oid,
            remotes=remember_addresses(self._folder, settings, repository.root),
            hooks=hooks_digest(commit_hooks(hooks_folder(settings, repository))),
        )

    def compose(self, order: CommitOrder) -> Composed:
        """Make the commit in a git dir of ours (see `Commits.compose`)."""
        repository = self._repository()
        if repository is None:
            return Composed(refusal="no_repository")
        if order.branch is None:
            return Composed(refusal="detached", told="the unit began on no branch")
        try:
            head = refuse_standing(repository, branch=order.branch)
        except DeliveryRefused as error:
            return Composed(refusal=error.word, told=error.message)
        return replace(self._composed(order, repository, head, indexed=True), branch=order.branch)

    def own(self, order: CommitOrder, *, earlier: CommitReceipt | None) -> Composed:
        """Make the commit in a git dir of ours, where it stays (see `Commits.own`)."""
        repository = self._repository()
        if repository is None:
            return Composed(refusal="no_repository")
        head = earlier.after if earlier is not None else order.base
        if head is None:
            return Composed(refusal="unborn")
        return self._composed(order, repository, head, indexed=False)

    def deliver(self, order: CommitOrder, composed: Composed) -> Delivered:
        """Move branch and index, waiting a moment for another git (see `Commits.deliver`)."""
        repository = self._repository()
        if repository is None or composed.commit is None or composed.before is None or composed.branch is None:
            return Delivered(refusal="no_repository")
        made, person = self._made[composed.commit]
        delivery = Delivery(
            branch=composed.branch,
            before=composed.before,
            after=composed.commit,
            index=made.index,
            contents=made.contents,
            person=person,
            reason=f"commit (unlost): {order.subject.splitlines()[0][:100]}",
        )
        until = self._clock.monotonic() + _PATIENCE
        while True:
            try:
                with PublishStore(self._folder, repository) as store:
                    deliver(delivery, repository, store.git)
            except DeliveryRefused as error:
                if error.word != "index_locked" or self._clock.monotonic() >= until:
                    return Delivered(refusal=error.word, told=error.message)
                self._clock.wait(_LOOK)
            except OSError as error:
                return Delivered(refusal="failed", told=_words(error))
            else:
                break
        if composed.hooks_ran:
            run_post_commit(repository, settings_in(repository), mark=f"{order.unit}-post")
        return Delivered()

    def settle(self, order: CommitOrder, *, before: str, commit: str) -> str | None:
        """What an interrupted delivery came to (see `Commits.settle`)."""
        repository = self._repository()
        if repository is None or order.branch is None:
            return None
        settle_delivery(repository, branch=order.branch, before=before)
        head = head_of(repository)
        if head.oid is None or head.branch != order.branch:
            return None
        with PublishStore(self._folder, repository) as store:
            if store.is_ancestor(commit, head.oid):
                return commit
            for trail in _first_parents(store, head.oid, before):
                if is_commit_of(store.message_of(trail), unit=order.unit, name=order.name):
                    return trail
        return None

    def gone(self, commits: Mapping[str, str], *, since: str | None) -> frozenset[str]:
        """Which of these commits their branches lost (see `Commits.gone`)."""
        repository = self._repository()
        if repository is None:
            return frozenset()
        tips = refs_of(repository)
        lost: set[str] = set()
        with PublishStore(self._folder, repository) as store:
            for branch in set(commits.values()):
                named = [commit for commit, on in commits.items() if on == branch]
                tip = tips.get(branch)
                lost.update(named if tip is None else _missing(store, named, tip, since))
        return frozenset(lost)

    def _composed(self, order: CommitOrder, repository: Repository, head: str, *, indexed: bool) -> Composed:
        settings = settings_in(repository)
        person = person_of(settings)
        if person is None:
            return Composed(refusal="no_identity")
        try:
            with self._making(repository, settings, person) as making:
                composed, made = making.make(order, head, _moment(order.at), indexed=indexed)
        except NotMade as error:
            return Composed(refusal=error.word, told=error.message, hooks_ran=error.hooks_ran)
        except SigningFailed as error:
            return Composed(refusal="signing_failed", told=error.message)
        except (GitFailed, ObjectMissing, SnapshotUnreadable) as error:
            return Composed(refusal="failed", told=error.message)
        except OSError as error:
            return Composed(refusal="failed", told=_words(error))
        if composed.commit is not None:
            self._made[composed.commit] = (made, person)
        return composed

    @contextmanager
    def _making(self, repository: Repository, settings: Settings, person: Person) -> Iterator[Making]:
        layout = self._archive.layout
        with PublishStore(self._folder, repository) as store:
            yield Making(
                archive=self._archive,
                store=store,
                judge=Git(layout.judge, home=layout.home, work_tree=repository.root),
                settings=settings,
                person=person,
                is_scratch=self._is_scratch,
                include_ignored=self._include_ignored,
                hook_timeout=self._hook_timeout,
            )

    def _repository(self) -> Repository | None:
        with contextlib.suppress(NotARepository, UsageError):
            return open_repository(self._archive.root)
        return None


def _first_parents(store: PublishStore, tip: str, before: str) -> Iterator[str]:
    """The commits from a branch's tip back to `before`, along first parents."""
    commit: str | None = tip
    for _ in range(_TRAIL):
        if commit is None or commit == before:
            return
        yield commit
        try:
            commit = next(iter(store.parents_of(commit)), None)
        except ObjectMissing:
            return


def _words(error: OSError) -> str:
    """What the system said, without the path that it said it of."""
    return error.strerror or type(error).__name__


def _missing(store: PublishStore, commits: list[str], tip: str, since: str | None) -> Iterator[str]:
    """The commits that neither stand before a branch's tip nor have one there that bears their trailers."""
    trail = list(_first_parents(store, tip, since or ""))
    for commit in commits:
        if commit in trail or store.is_ancestor(commit, tip):
            continue
        marks = marks_of(store.message_of(commit))
        if not any(marks and marks <= marks_of(store.message_of(other)) for other in trail):
            yield commit


def _moment(at: int) -> Moment:
    """The moment in this machine's own time, as git writes it."""
    offset = datetime.fromtimestamp(at).astimezone().utcoffset()
    return Moment(at=at, offset=0 if offset is None else int(offset.total_seconds() // 60))
