"""Read objects of a store by id: small ones in process, all others from one git that stays open."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.git.call import Git
from unlost.git.formats import format_of
from unlost.git.holding import is_loose, object_folders
from unlost.git.packed import Packs
from unlost.git.refs import is_oid
from unlost.git.trees import parse_tree
from unlost.host.conversation import Conversation, ConversationEnded
from unlost.host.reading import read_regular

_LOOSE_LIMIT: Final = 4 << 20
_INFLATED_LIMIT: Final = 16 << 20


class ObjectMissing(UnlostError):
    """An object is not in the store, is damaged, or is of another kind."""


@dataclass(frozen=True, kw_only=True)
class GitObject:
    """Kind (blob, tree, commit, tag) and content of an object."""

    kind: str
    data: bytes


class ObjectReader:
    """Reads objects of one store; close it when done.

    Every object is proved by its own name, which git itself does not do when it reads. Small ones are read in process,
    so that a look at what changed needs no other process at all.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._conversation: Conversation | None = None
        self._trees: dict[str, dict[bytes, Entry]] = {}
        self._folders: tuple[str, ...] | None = None
        self._packs: tuple[Packs, ...] | None = None

    def close(self) -> None:
        """End the git process, if one was needed, and let go of packs."""
        for packs in self._packs or ():
            packs.close()
        self._packs = None
        if self._conversation is not None:
            self._conversation.close()
            self._conversation = None

    def read(self, oid: str, limit: int | None = None) -> GitObject:
        """An object of at most `limit` bytes. Raises ObjectMissing, also when it is larger."""
        found = self._loose(oid) or self._packed(oid)
        if found is None:
            kind, size = self._ask(oid)
            if limit is not None and size > limit:
                self._skip(size)
                raise ObjectMissing(f"the object {oid[:12]} has {size} bytes, more than {limit}")
            found = GitObject(kind=kind, data=b"".join(self._stream(oid, kind, size)))
        if limit is not None and len(found.data) > limit:
            raise ObjectMissing(f"the object {oid[:12]} has {len(found.data)} bytes, more than {limit}")
        return found

    def stream(self, oid: str) -> tuple[int, Iterator[bytes]]:
        """(size, pieces) of a blob of any size; take every piece before the next call.

        Raises ObjectMissing, after the last piece when only then the content proves to be damaged.
        """
        kind, size = self._ask(oid)
        if kind != "blob":
            self._skip(size)
            raise ObjectMissing(f"the object {oid[:12]} is a {kind}, not a file's content")
        return size, self._stream(oid, kind, size)

    def tree(self, oid: str) -> Mapping[bytes, Entry]:
        """The entries of a tree, remembered. Raises ObjectMissing."""
        found = self._trees.get(oid)
        if found is None:
            found = self._trees[oid] = self._parsed(oid)
        return found

    def tree_data(self, oid: str) -> bytes:
        """The content of a tree object. Raises ObjectMissing."""
        if oid == format_of(oid).empty_tree:
            return b""
        found = self.read(oid)
        if found.kind != "tree":
            raise ObjectMissing(f"the object {oid[:12]} is a {found.kind}, not a tree")
        return found.data

    def holds(self, oid: str) -> bool:
        """Whether the object is there, loose or packed; its content is not proved."""
        return any(is_loose(folder, oid) for folder in self._object_folders()) or any(
            packs.holds(oid) for packs in self._opened_packs()
        )

    def _parsed(self, oid: str) -> dict[bytes, Entry]:
        try:
            return parse_tree(self.tree_data(oid), format_of(oid).width)
        except ValueError as error:
            raise ObjectMissing(f"the tree {oid[:12]} is damaged") from error

    def _loose(self, oid: str) -> GitObject | None:
        if not is_oid(oid):
            raise ObjectMissing(f"{oid[:80]!r} is no object id")
        compressed = self._compressed(oid)
        if compressed is None:
            return None
        try:
            inflater = zlib.decompressobj()
            full = inflater.decompress(compressed, _INFLATED_LIMIT)
        except zlib.error:
            return None
        if not inflater.eof or format_of(oid).new(full).hexdigest() != oid:
            return None
        head, _, data = full.partition(b"\0")
        return GitObject(kind=head.partition(b" ")[0].decode("ascii", "replace"), data=data)

    def _compressed(self, oid: str) -> bytes | None:
        """The file of a loose object, here or where an alternate has it."""
        for folder in self._object_folders():
            try:
                data = read_regular(os.path.join(folder, oid[:2], oid[2:]), _LOOSE_LIMIT)
            except OSError:
                continue
            if data is not None:
                return data
        return None

    def _packed(self, oid: str) -> GitObject | None:
        for packs in self._opened_packs():
            found = packs.read(oid)
            if found is not None and format_of(oid).name_of(found.kind.encode(), found.data) == oid:
                return GitObject(kind=found.kind, data=found.data)
        return None

    def _opened_packs(self) -> tuple[Packs, ...]:
        if self._packs is None:
            self._packs = tuple(Packs(folder) for folder in self._object_folders())
        return self._packs

    def _object_folders(self) -> tuple[str, ...]:
        if self._folders is None:
            self._folders = tuple(object_folders(os.path.join(self._git.git_dir, "objects")))
        return self._folders

    def _ask(self, oid: str) -> tuple[str, int]:
        if not is_oid(oid):
            raise ObjectMissing(f"{oid[:80]!r} is no object id")
        if self._conversation is None:
            self._git.calls += 1
            self._conversation = Conversation(self._git.request("cat-file", "--batch"))
        try:
            self._conversation.say(oid.encode() + b"\n")
            words = self._conversation.line().split(b" ")
        except ConversationEnded as error:
            self.close()
            raise ObjectMissing("the store cannot be read") from error
        if len(words) != 3:
            raise ObjectMissing(f"the object {oid[:12]} is not in the store")
        return words[1].decode("ascii"), int(words[2])

    def _stream(self, oid: str, kind: str, size: int) -> Iterator[bytes]:
        """The content, proved at its end."""
        digest = format_of(oid).new(b"%b %d\0" % (kind.encode("ascii"), size))
        for piece in self._answer(size):
            digest.update(piece)
            yield piece
        if digest.hexdigest() != oid:
            raise ObjectMissing(f"the object {oid[:12]} is damaged")

    def _answer(self, size: int) -> Iterator[bytes]:
        """The content as git gives it, then the newline that it adds.

        Git ends at a torn object, and an answer that is not taken to its end stands in the way of the next one:
        either way the next question is asked of a fresh process.
        """
        assert self._conversation is not None
        taken = False
        try:
            yield from self._conversation.stream(size)
            self._conversation.line()
            taken = True
        except ConversationEnded as error:
            raise ObjectMissing("an object of the store is torn") from error
        finally:
            if not taken:
                self.close()

    def _skip(self, size: int) -> None:
        for _ in self._answer(size):
            pass


def sizes_of(git: Git, oids: Iterable[str]) -> dict[str, int]:
    """The sizes in bytes of those of the objects that are blobs and in the store, from one process."""
    answer = git.run("cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in oids).encode("ascii"))
    rows = (row.split(" ") for row in answer.decode("ascii", "replace").splitlines())
    return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[1] == "blob"}


def read_contents(git: Git, oids: Iterable[str], *, largest: int, at_once: int) -> Iterator[tuple[str, bytes]]:
    """(id, content) of blobs of at most `largest` bytes; about `at_once` bytes are held in memory."""
    batch: list[str] = []
    room = at_once
    for oid, size in sizes_of(git, oids).items():
        if size > largest:
            continue
        if size > room and batch:
            yield from read_batch(git, batch)
            batch, room = [], at_once
        batch.append(oid)
        room -= size
    if batch:
        yield from read_batch(git, batch)


def read_batch(git: Git, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """(id, content) of many objects from one process, missing ones left out; all are held in memory at once."""
    answer = git.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode())
    position, end = 0, len(answer)
    while position < end:
        line = answer.index(b"\n", position)
        words = answer[position:line].split(b" ")
        position = line + 1
        if len(words) == 3:
            size = int(words[2])
            yield words[0].decode("ascii"), answer[position : position + size]
            position += size + 1
