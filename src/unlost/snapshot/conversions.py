"""Files that differ from HEAD in bytes only because git converts on the way in: they are no change of anybody.

Line ends, `$Id$` and encodings are judged by git itself, in an empty repository that has the user's text settings and
no filter program; LFS pointers by comparing the content's SHA-256. Only files that could be conversions are asked for.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from unlost.facts.records import dataclass
from unlost.facts.trees import LINK, NESTED, Entry
from unlost.git.call import Git
from unlost.git.objects import STREAM_FROM, ObjectWriter
from unlost.git.reader import ObjectMissing, ObjectReader
from unlost.snapshot.state import Conversion, Taken

if TYPE_CHECKING:
    from hashlib import _Hash

_POINTER_LIMIT: Final = 1024
_POINTER: Final = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n")
_ENCODED: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """A file whose bytes differ from HEAD's blob, perhaps only by a conversion; `sha256` where it is known."""

    path: bytes
    head: Entry
    taken: Entry
    sha256: str | None = None


class Inspection:
    """Stores one tracked file's content and notes on the way what could make it a conversion."""

    def __init__(self, writer: ObjectWriter, *, lfs: bool) -> None:
        self._writer = writer
        self._plain_id: str | None = None
        self._suspicious = False
        self._sha256: _Hash | None = hashlib.sha256() if lfs else None

    def store(self, size: int, chunks: Iterable[bytes]) -> str | None:
        """Store the content, as `ObjectWriter.write_blob` does."""
        self._plain_id, self._suspicious = None, False
        if self._sha256 is not None:
            self._sha256 = hashlib.sha256()
        if size > STREAM_FROM:
            return self._writer.write_blob(size, self._watched(chunks))
        data = b"".join(chunks)
        self._notice(data)
        if b"\r\n" in data:
            self._plain_id = self._writer.format.name_of(b"blob", data.replace(b"\r\n", b"\n"))
        return self._writer.write_blob(size, [data])

    def doubt(self, path: bytes, head: Entry, taken: Taken) -> Doubt | None:
        """What remains to be asked about a file that was just stored."""
        if not may_be_converted(head, taken.entry):
            return None
        if self._plain_id != head.oid and not self._suspicious and self._sha256 is None:
            return None
        digest = self._sha256.hexdigest() if self._sha256 else None
        return Doubt(path=path, head=head, taken=taken.entry, sha256=digest)

    def _watched(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """A large file's pieces; its line ends are not worth a second hash, git will tell."""
        for chunk in chunks:
            self._notice(chunk)
            self._suspicious = self._suspicious or b"\r\n" in chunk
            yield chunk

    def _notice(self, data: bytes) -> None:
        if b"$Id" in data or data.startswith(_ENCODED):
            self._suspicious = True
        if self._sha256 is not None:
            self._sha256.update(data)


def may_be_converted(head: Entry, taken: Entry) -> bool:
    """Whether both are files of one mode with different bytes."""
    return head.mode == taken.mode and head.oid != taken.oid and head.mode not in (LINK, NESTED)


def prove(
    doubts: Sequence[Doubt], *, judge: Git, store: ObjectReader, digest: Callable[[str], str] | None
) -> dict[bytes, Conversion]:
    """The doubts that are conversions. `digest` tells a stored blob's SHA-256; None where LFS is not in use."""
    proved = {doubt.path for doubt in doubts if digest is not None and _is_pointer_to(doubt, store, digest)}
    # git reads paths by line, so a name with a newline cannot be asked about: it counts as changed.
    asked = [doubt for doubt in doubts if doubt.path not in proved and b"\n" not in doubt.path]
    if asked:
        question = b"".join(doubt.path + b"\n" for doubt in asked)
        answers = judge.run("hash-object", "--stdin-paths", stdin=question).split()
        proved |= {
            doubt.path for doubt, oid in zip(asked, answers, strict=False) if oid.decode("ascii") == doubt.head.oid
        }
    return {
        doubt.path: Conversion(doubt.head.oid, doubt.taken.mode, doubt.taken.oid)
        for doubt in doubts
        if doubt.path in proved
    }


def _is_pointer_to(doubt: Doubt, store: ObjectReader, digest: Callable[[str], str]) -> bool:
    """Whether HEAD's blob is an LFS pointer that names exactly the present content."""
    try:
        match = _POINTER.match(store.read(doubt.head.oid, _POINTER_LIMIT).data)
    except ObjectMissing:
        return False
    return match is not None and match[1].decode("ascii") == (doubt.sha256 or digest(doubt.taken.oid))


def stored_sha256(store: ObjectReader) -> Callable[[str], str]:
    """Tells the SHA-256 of a blob's content by its id."""

    def digest(oid: str) -> str:
        found = hashlib.sha256()
        for piece in store.stream(oid)[1]:
            found.update(piece)
        return found.hexdigest()

    return digest
