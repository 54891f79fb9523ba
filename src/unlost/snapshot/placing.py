"""One step of a restore, done so that it is wholly done or not at all, and so that it can be done again.

What is replaced is swapped with the staged file, not overwritten: only then is it known what was there. If it
is not the state that the snapshot of the present holds, it is swapped back and the path is left alone.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Final

from unlost.git.formats import SHA1, format_of
from unlost.host.crash import crash_point
from unlost.host.folders import Folder
from unlost.host.renaming import exchange, move, move_new
from unlost.host.writing import remove_empty_folders, remove_hollow_tree, remove_name
from unlost.snapshot.present import look, look_in, traits_of
from unlost.snapshot.staging import Stage
from unlost.snapshot.wanted import Contents, Step

CHANGED: Final = "changed"
# A parent that is a file or a link now, was not when the step was decided.
_MOVED_AWAY: Final = frozenset({errno.ENOTDIR, errno.ELOOP, errno.ENOENT})


def perform(root: Folder, stage: Stage, number: int, step: Step) -> str | None:
    """Do one step; None when it is done, else why the path was left as it was."""
    try:
        if step.entry is None:
            return _take_away(root, stage, number, step)
        return _place(root, stage, number, step)
    except FileExistsError:
        return CHANGED
    except OSError as error:
        return CHANGED if error.errno in _MOVED_AWAY else os.strerror(error.errno or 0)


def perform_again(root: Folder, stage: Stage, number: int, step: Step, contents: Contents) -> str | None:
    """Finish one step that a killed process may have done, half done or not begun; as `perform`."""
    try:
        done, reason = _settled(root, stage, number, step)
        if done:
            return reason
        if step.entry is not None:
            stage.renew(number, step, contents)
    except OSError as error:
        return os.strerror(error.errno or 0)
    return perform(root, stage, number, step)


def _place(root: Folder, stage: Stage, number: int, step: Step) -> str | None:
    holder, name = root.holding(step.path, create=True)
    with holder:
        status = holder.status(name)
        if status is not None and stat.S_ISDIR(status.st_mode) and remove_hollow_tree(holder, name):
            status = None
        if (None if status is None else traits_of(status)) != step.expected:
            return CHANGED
        crash_point("restore.checked")
        try:
            return _put(holder, name, stage.folder, b"%d" % number, step)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        return _put_across(holder, name, stage, number, step)


def _put(holder: Folder, name: bytes, stage: Folder, staged: bytes, step: Step) -> str | None:
    if step.expected is None:
        move_new(stage, staged, holder, name)
        return None
    if not exchange(stage, staged, holder, name):
        # Without a swap a change in this very moment cannot be told; the look just above is all there is.
        move(stage, staged, holder, name)
        return None
    crash_point("restore.swapped")
    if _is_expected(stage, staged, step):
        return None
    try:
        exchange(stage, staged, holder, name)
    except FileNotFoundError:
        move_new(stage, staged, holder, name)
    return CHANGED


def _put_across(holder: Folder, name: bytes, stage: Stage, number: int, step: Step) -> str | None:
    """Place in a folder of another file system: by a copy beside the target, under a name of this restore's own."""
    beside = copy_name(stage, number)
    remove_name(holder, beside)
    stage.copy_to(number, holder, beside)
    crash_point("restore.copied")
    reason = _put(holder, name, holder, beside, step)
    remove_name(holder, beside)
    return reason


def _take_away(root: Folder, stage: Stage, number: int, step: Step) -> str | None:
    holder, name = root.holding(step.path)
    with holder:
        if not _is_expected(holder, name, step):
            return CHANGED
        crash_point("restore.checked")
        try:
            move(holder, name, stage.folder, b"%d" % number)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            remove_name(holder, name)
            return None
        crash_point("restore.taken")
        if not _is_expected(stage.folder, b"%d" % number, step):
            _put_back(holder, name, stage, number)
            return CHANGED
    remove_empty_folders(root, step.path.rpartition(b"/")[0])
    return None


def _settled(root: Folder, stage: Stage, number: int, step: Step) -> tuple[bool, str | None]:
    """(done, reason): whether a step was done before the crash; what it swapped out by mistake goes back first."""
    if step.entry is None:
        return _settled_removal(root, stage, number, step)
    _sweep_copy(root, stage, number, step)
    if look(root, step.path, format_of(step.entry.oid)).entry != step.entry:
        return False, None
    staged = b"%d" % number
    if stage.folder.status(staged) is None or stage.holds(number, step) or _is_expected(stage.folder, staged, step):
        return True, None
    holder, name = root.holding(step.path)
    with holder:
        exchange(stage.folder, staged, holder, name)
    return True, CHANGED


def _settled_removal(root: Folder, stage: Stage, number: int, step: Step) -> tuple[bool, str | None]:
    folder, _, name = step.path.rpartition(b"/")
    taken = stage.folder.status(b"%d" % number)
    if taken is not None and not _is_expected(stage.folder, b"%d" % number, step):
        with root.below(folder, create=True) as holder:
            _put_back(holder, name, stage, number)
        return True, CHANGED
    if taken is None and look(root, step.path, SHA1).kind not in ("absent", "blocked", "folder"):
        return False, None
    remove_empty_folders(root, folder)
    return True, None


def _put_back(holder: Folder, name: bytes, stage: Stage, number: int) -> None:
    """Give back what was taken by mistake; beside its name when that has been taken again meanwhile."""
    try:
        move_new(stage.folder, b"%d" % number, holder, name)
    except FileExistsError:
        move_new(stage.folder, b"%d" % number, holder, copy_name(stage, number))


def _sweep_copy(root: Folder, stage: Stage, number: int, step: Step) -> None:
    """Remove a copy that a killed process left beside its target, unless it may be somebody's swapped out work."""
    try:
        holder, name = root.holding(step.path)
    except OSError:
        return
    beside = copy_name(stage, number)
    with holder:
        if step.expected is None or _is_expected(holder, name, step) or _is_expected(holder, beside, step):
            remove_name(holder, beside)


def _is_expected(folder: Folder, name: bytes, step: Step) -> bool:
    """Whether a name holds what the snapshot of the present holds for the step's path."""
    status = folder.status(name)
    if status is None or traits_of(status) != step.expected:
        return False
    return step.prove is None or look_in(folder, name, format_of(step.prove.oid)).entry == step.prove


def copy_name(stage: Stage, number: int) -> bytes:
    """The name of a copy beside its target; the restore's random id in it makes it nobody else's."""
    return b".unlost-" + stage.name + b"-%d" % number
