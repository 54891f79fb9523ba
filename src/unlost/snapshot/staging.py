"""The stage: where new files wait, whole and durable, before the first name of the tree is touched.

It is a folder in the root's `.unlost/` (never captured, hidden from git by an ignore file of its own), because a
rename is one step only within a file system. It also holds what was swapped out, until it proved to be the
state that the snapshot of the present holds.
"""

from __future__ import annotations

import errno
import os
import stat
from types import TracebackType
from typing import Final, Self

from unlost.facts.errors import UnlostError
from unlost.facts.trees import EXECUTABLE, LINK
from unlost.git.formats import format_of
from unlost.host.crash import crash_point
from unlost.host.folders import Folder
from unlost.host.reading import Reader
from unlost.host.writing import remove_name, remove_tree, sync_file, write_new_file, write_new_link
from unlost.snapshot.journal import Journal, drop_journal, pending_journals, write_journal
from unlost.snapshot.present import look_in
from unlost.snapshot.wanted import Contents, RestoreFailed, Step

_HOME: Final = b".unlost"
_IGNORE: Final = b".gitignore"
# Beyond this one sync of everything is faster than one of each.
_SINGLE_SYNCS: Final = 64
_DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class Stage:
    """An open stage folder; staged files are named by their step's number."""

    def __init__(self, folder: Folder, name: bytes) -> None:
        self.folder = folder
        self.name = name

    @classmethod
    def make(cls, root: Folder, identifier: str) -> Self:
        """Make or open the stage of a restore; OSError when `.unlost` is not a folder or cannot be written."""
        name = stage_name(identifier)
        with root.inner(_HOME, create=True) as home:
            if home.status(_IGNORE) is None:
                write_new_file(home, _IGNORE, b"*\n", mode=None)
            return cls(home.inner(name, create=True), name)

    def put(self, number: int, step: Step, contents: Contents) -> None:
        """Stage what one step will place; raises what `contents` raises, or OSError."""
        assert step.entry is not None
        data = contents.content(step.entry.oid)
        if step.entry.mode == LINK:
            write_new_link(self.folder, _staged(number), data)
            return
        executable = step.entry.mode == EXECUTABLE
        write_new_file(self.folder, _staged(number), data, mode=_mode_for(step), executable=executable)

    def holds(self, number: int, step: Step) -> bool:
        """Whether the staged content is there and is what the step wants, bit for bit."""
        assert step.entry is not None
        try:
            return look_in(self.folder, _staged(number), format_of(step.entry.oid)).entry == step.entry
        except OSError:
            return False

    def renew(self, number: int, step: Step, contents: Contents) -> None:
        """Stage a step again after a crash, when somebody removed or altered what was staged."""
        if not self.holds(number, step):
            remove_name(self.folder, _staged(number))
            self.put(number, step, contents)

    def copy_to(self, number: int, target: Folder, name: bytes) -> None:
        """Copy a staged file to a new name on another file system."""
        staged = _staged(number)
        status = self.folder.status(staged)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(staged))
        if stat.S_ISLNK(status.st_mode):
            write_new_link(target, name, self.folder.link_target(staged))
            return
        with Reader(b".", folder=self.folder.descriptor) as reader:
            data = reader.read(staged, status.st_size)
        if data is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(staged))
        write_new_file(target, name, data, mode=status.st_mode)
        sync_file(target, name)

    def sync(self, numbers: list[int]) -> None:
        """Make every staged file durable."""
        if len(numbers) > _SINGLE_SYNCS:
            os.sync()
            return
        for number in numbers:
            status = self.folder.status(_staged(number))
            if status is not None and stat.S_ISREG(status.st_mode):
                sync_file(self.folder, _staged(number))
        self.folder.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.folder.close()


def stage_files(
    contents: Contents, steps: tuple[Step, ...], root: Folder, journals: str, journal: Journal
) -> frozenset[bytes]:
    """Stage, durably, every file that the steps will place; the paths whose content is not there.

    When some are not, and when this raises, nothing stays staged. Raises RestoreFailed (a full disk and its kin).
    """
    try:
        write_journal(journals, journal)
        crash_point("restore.journalled")
        lacking = _fill(contents, steps, root, journal)
    except OSError as error:
        _give_up(root, journals, journal)
        raise RestoreFailed(
            f"the files cannot be staged in {journal.root}: {error.strerror}; nothing was changed",
            hint="free some space, then restore again" if error.errno in _DISK_FULL else None,
        ) from error
    except BaseException:
        _give_up(root, journals, journal)
        raise
    if lacking:
        _give_up(root, journals, journal)
    return lacking


def _fill(contents: Contents, steps: tuple[Step, ...], root: Folder, journal: Journal) -> frozenset[bytes]:
    lacking: set[bytes] = set()
    numbers: list[int] = []
    with Stage.make(root, journal.identifier) as stage:
        for number, step in enumerate(steps):
            if step.entry is None:
                continue
            try:
                stage.put(number, step, contents)
            except UnlostError:
                lacking.add(step.path)
            numbers.append(number)
            crash_point("restore.staged_one")
        if not lacking:
            stage.sync(numbers)
            crash_point("restore.staged")
    return frozenset(lacking)


def _give_up(root: Folder, journals: str, journal: Journal) -> None:
    discard_stage(root, stage_name(journal.identifier))
    if journal.identifier in pending_journals(journals):
        drop_journal(journals, journal.identifier)


def stage_name(identifier: str) -> bytes:
    """The name of the stage folder of one restore."""
    return b"restore-" + identifier.encode("ascii")


def discard_stage(root: Folder, name: bytes) -> None:
    """Remove a stage with all it holds, and `.unlost/` when nothing else is in it."""
    try:
        home = root.inner(_HOME)
    except OSError:
        return
    with home:
        if home.status(name) is not None:
            remove_tree(home, name)
        if home.names() == [_IGNORE]:
            remove_name(home, _IGNORE)
        empty = not home.names()
    if empty:
        os.rmdir(_HOME, dir_fd=root.descriptor)


def sync_folders(root: Folder, paths: set[bytes]) -> None:
    """Make the names in these folders durable; one that is gone meanwhile needs nothing."""
    if len(paths) > _SINGLE_SYNCS:
        os.sync()
        return
    for path in sorted(paths):
        try:
            with root.below(path) as folder:
                folder.sync()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise


def _mode_for(step: Step) -> int | None:
    """The permissions of the file that is replaced, with or without execution; a secret stays its owner's.

    None: as the umask says, for a file that was not there.
    """
    assert step.entry is not None
    executable = step.entry.mode == EXECUTABLE
    if step.expected is not None and stat.S_ISREG(step.expected.mode):
        plain = stat.S_IMODE(step.expected.mode) & ~0o111
        return plain | ((plain & 0o444) >> 2 if executable else 0)
    if step.private:
        return 0o700 if executable else 0o600
    return None


def _staged(number: int) -> bytes:
    return b"%d" % number
