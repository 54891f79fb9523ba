"""The work tree as verifying sees it: what stands at each path, what HEAD has there, what git knows of it (H.9).

Files are opened component by component and never through a link: a handoff's paths were written by a model.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Collection, Mapping
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import path_text
from unlost.git.reader import ObjectMissing
from unlost.git.trees import find
from unlost.handoff.places import CONTENT_LIMIT, Present
from unlost.host.reading import Reader
from unlost.traces.commits import read_commit
from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries

_POINTER: Final = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER_DIGEST: Final = b"\noid sha256:"


class WorkTree:
    """A `Tree` over a real work tree; reads it once, when it is asked."""

    def __init__(self, inspection: Inspection) -> None:
        self._inspection = inspection
        self._root = inspection.repository.root

    def present(self, paths: Collection[bytes]) -> Mapping[bytes, Present]:
        """What stands at each path. Raises UnlostError when one cannot be read."""
        if not paths:
            return {}
        staged = staged_entries(self._inspection)
        found: dict[bytes, Present] = {}
        with Reader(self._root) as reader:
            for path in sorted(paths):
                content, obstructed = _look(reader, path)
                head = self._head(path)
                sides = staged.get(path, ())
                found[path] = Present(
                    content=content,
                    head=content if _is_pointer_to(head, content) else head,
                    obstructed=obstructed,
                    tracked=head is not None or bool(sides),
                    unmerged=len(sides) > 1,
                )
        return found

    def _head(self, path: bytes) -> bytes | None:
        """HEAD's content at a path; None when it has no file there that could be compared."""
        objects, head = self._inspection.objects, self._inspection.head
        if head is None:
            return None
        try:
            entry = find(objects, read_commit(objects, head).tree, path)
            return None if entry is None else objects.read(entry.oid, CONTENT_LIMIT).data
        except ObjectMissing:
            return None


def _look(reader: Reader, path: bytes) -> tuple[bytes | None, bool]:
    """(content of a regular file, whether something else stands there)."""
    try:
        status = reader.status_or_none(path)
        if status is None:
            return None, False
        content = reader.read(path, CONTENT_LIMIT) if stat.S_ISREG(status.st_mode) else None
    except OSError as error:
        raise UnlostError(
            f"{path_text(path)} cannot be read ({error.strerror}); nothing was decided and nothing was changed",
            hint="make the file readable, then verify again",
        ) from error
    return content, content is None


def _is_pointer_to(head: bytes | None, content: bytes | None) -> bool:
    """Whether HEAD has the LFS pointer of exactly this content: the file is not modified then."""
    if head is None or content is None or not head.startswith(_POINTER) or content == head:
        return False
    digest = head.partition(_POINTER_DIGEST)[2][:64]
    return hashlib.sha256(content).hexdigest().encode("ascii") == digest
