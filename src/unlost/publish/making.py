"""One commit being made: composed from snapshots, shown to the repository's hooks where a plan says so, written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.patterns import at_any_depth, matches_any
from unlost.facts.records import dataclass, replace
from unlost.git.call import Git
from unlost.git.configuration import Settings
from unlost.git.deliver import bring_objects
from unlost.git.index import copy_index, read_index
from unlost.git.person import Person, commit_hooks, hooks_folder
from unlost.git.repository import Repository
from unlost.host.reading import read_regular, write_atomically
from unlost.publish.commit import BlobsOf, Composition, Made
from unlost.publish.content import Overlaps
from unlost.publish.forms import Forms
from unlost.publish.hooks import HookEnd, Hooks, hooks_digest, make_index, tree_of_index
from unlost.publish.message import Moment, commit_data, commit_message, is_commit_of
from unlost.publish.orders import CommitOrder, Composed
from unlost.publish.outcomes import CommitRefusal
from unlost.publish.signing import signed_commit, wants_signature
from unlost.publish.store import PublishStore
from unlost.snapshot.archive import Archive

_MESSAGE: Final = "COMMIT_EDITMSG"
_MESSAGE_LIMIT: Final = 1 << 20


class NotMade(UnlostError):
    """The commit cannot be made now; `word` says why, `hooks_ran` whether files may have changed."""

    def __init__(self, word: CommitRefusal, message: str, *, hooks_ran: bool = False) -> None:
        super().__init__(message)
        self.word = word
        self.hooks_ran = hooks_ran


@dataclass(frozen=True, kw_only=True)
class Making:
    """The hands that make commits in one repository, over an open publishing store.

    `judge` is the git dir of ours that knows the person's text settings, over the work tree.
    """

    archive: Archive
    store: PublishStore
    judge: Git
    settings: Settings
    person: Person
    is_scratch: Callable[[bytes], bool]
    include_ignored: tuple[str, ...]
    hook_timeout: float

    @property
    def repository(self) -> Repository:
        """The user's repository."""
        return self.store.repository

    def make(self, order: CommitOrder, head: str, moment: Moment, *, indexed: bool) -> tuple[Composed, Made]:
        """Make a commit on top of `head`; with `indexed`, one that the person's index can follow.

        Raises NotMade, SigningFailed, GitFailed, ObjectMissing, SnapshotUnreadable.
        """
        blobs = BlobsOf(self.store, self.archive)
        composition = self._composition(order, head, blobs, indexed=indexed)
        made = composition.make(order.segments)
        found = commit_hooks(hooks_folder(self.settings, self.repository)) if indexed else {}
        told = Composed(before=head, commit=head, left_out=made.left_out, paths=made.paths)
        if made.tree == self.store.tree_of(head):
            return told, made
        message = commit_message(
            subject=order.subject,
            body=order.body,
            unit=order.unit,
            name=order.name,
            tasks=order.tasks,
            snapshot=order.snapshot,
        )
        ran = bool(found) and order.hooks
        if ran:
            if hooks_digest(found) != order.hooks_digest:
                raise NotMade("hooks_changed", "the hooks here are not those of the unit's admission; none was run")
            mark = f"{order.unit}-{_safe(order.name)}"
            hooks = Hooks(found=found, root=self.repository.root, mark=mark, timeout=self.hook_timeout)
            made, message = self._hooked(hooks, composition, made, message, order)
        commit = self._write(blobs, made.tree, head, moment, message)
        self.store.keep(f"{order.unit}/{_safe(order.name)}", commit)
        skipped = () if order.hooks else tuple(found)
        signed = wants_signature(self.settings)
        return replace(told, commit=commit, paths=made.paths, skipped_hooks=skipped, hooks_ran=ran, signed=signed), made

    def _composition(self, order: CommitOrder, head: str, blobs: BlobsOf, *, indexed: bool) -> Composition:
        staged = None
        if indexed:
            staged = read_index(self.store.git, copy_index(self.repository, self.store.git))
            if staged.unmerged:
                raise NotMade("conflicted", "the index holds unmerged paths")
        scratch = tuple(at_any_depth(pattern) for pattern in order.scratch)
        return Composition(
            archive=self.archive,
            store=self.store,
            blobs=blobs,
            forms=Forms(self.judge, self.settings, blobs),
            head=head,
            staged=staged,
            is_unwanted=lambda path: self.is_scratch(path) or matches_any(scratch, path),
            is_ignored=lambda path: matches_any(self.include_ignored, path),
            uncaptured=self._uncaptured(order),
        )

    def _uncaptured(self, order: CommitOrder) -> Mapping[str, Set[bytes]]:
        """What the captures of the order's trees could not take, by tree."""
        missed: dict[str, set[bytes]] = {segment.after: set() for segment in order.segments}
        for snapshot in self.archive.snapshots():
            if snapshot.tree in missed:
                missed[snapshot.tree].update(each.path for each in snapshot.incomplete)
        return missed

    def _hooked(
        self, hooks: Hooks, composition: Composition, made: Made, message: str, order: CommitOrder
    ) -> tuple[Made, str]:
        """What the hooks make of tree and message. Raises NotMade for one that fails or takes too long."""
        git = self.store.git
        # A hook asks the user's git about what is staged, so the objects have to be there; nothing names them yet.
        bring_objects(self.repository, git, (made.tree,), beside=composition.head)
        index = make_index(git, self.repository.root, made.tree)
        _well(hooks.run("pre-commit", index))
        tree = tree_of_index(git, index)
        if tree != made.tree:
            try:
                made = composition.with_tree(made, tree)
            except Overlaps:
                raise NotMade(
                    "hook_failed", "pre-commit staged what a person has staged, too", hooks_ran=True
                ) from None
        place = os.path.join(git.git_dir, _MESSAGE)
        write_atomically(place, message.encode("utf-8", "surrogateescape"))
        _well(hooks.run("prepare-commit-msg", index, place, "message"))
        _well(hooks.run("commit-msg", index, place))
        kept = (read_regular(place, _MESSAGE_LIMIT) or b"").decode("utf-8", "surrogateescape").replace("\0", "")
        if not is_commit_of(kept, unit=order.unit, name=order.name):
            kept = f"{kept.rstrip()}\n\n{message.rstrip().rpartition(chr(10) * 2)[2]}\n"
        return made, kept

    def _write(self, blobs: BlobsOf, tree: str, head: str, moment: Moment, message: str) -> str:
        if wants_signature(self.settings):
            return signed_commit(
                self.store.git,
                self.settings,
                tree=tree,
                parent=head,
                person=self.person,
                moment=moment,
                message=message,
            )
        data = commit_data(tree=tree, parent=head, person=self.person, moment=moment, message=message)
        return blobs.write_commit(data)


def run_post_commit(repository: Repository, settings: Settings, *, mark: str) -> None:
    """Run the hook that follows a commit; git, too, goes on whatever it says."""
    with suppress(UnlostError):
        found = commit_hooks(hooks_folder(settings, repository))
        Hooks(found=found, root=repository.root, mark=mark).run(
            "post-commit", os.path.join(repository.git_dir, "index")
        )


def _well(end: HookEnd | None) -> None:
    if end is not None and not end.is_well:
        word: CommitRefusal = "hook_timed_out" if end.timed_out else "hook_failed"
        raise NotMade(word, f"{end.name} ended with exit code {end.exit_code}:\n{end.output}", hooks_ran=True)


def _safe(name: str) -> str:
    """A commit's name as the last part of a ref."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name)
