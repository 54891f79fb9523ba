"""Handoffs in memory: the real rules over trees of texts, with every captured tree as a place that keeps work."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from unlost.facts.trees import REGULAR, Change, Entry
from unlost.handoff.derive import Ended
from unlost.handoff.facts import Handoff
from unlost.handoff.origin import Origin, handoff_of
from unlost.handoff.places import Held, Present
from unlost.handoff.report import Context, LossReport, Place
from unlost.handoff.restore import Brought, plan_restore
from unlost.handoff.resume_prompt import compile_resume_prompt
from unlost.handoff.verify import verify

NONCE = "0123456789abcdef0123456789abcdef"


@dataclass
class FakeHandoffs:
    """`engine.ports.Handoffs`; `trees` are the captured ones, the oldest first, and `head` is what is committed.

    `holds_back` are paths that a restore leaves as they are.
    """

    files: dict[bytes, str]
    trees: dict[str, dict[bytes, str]]
    head: dict[bytes, str]
    ended: list[Ended] = field(default_factory=list)
    holds_back: set[bytes] = field(default_factory=set)
    brought_back: int = 0

    def of_attempt(self, left: bytes | None, ended: Ended, *, opening: str, closing: str) -> Origin:
        self.ended.append(ended)
        old, new = self.trees[opening], self.trees[closing]
        changes = [
            Change(path, _entry(old.get(path)), _entry(new.get(path)))
            for path in sorted(old.keys() | new.keys())
            if old.get(path) != new.get(path)
        ]
        return handoff_of(left, ended, changes, lambda oid: self._contents()[oid])

    def verify(self, handoff: Handoff) -> LossReport:
        return verify(handoff, self, [self])

    def bring_back(self, handoff: Handoff) -> Brought:
        self.brought_back += 1
        plan = plan_restore(handoff, self.verify(handoff), self, [self])
        for each in plan.restorations:
            if each.path not in self.holds_back:
                self.files[each.path] = each.content.decode()
        return Brought(restored=tuple(each.path for each in plan.restorations), kept="s-kept")

    def prompt(self, handoff: Handoff) -> str:
        return compile_resume_prompt(handoff, self.verify(handoff), done=None, nonce=lambda: NONCE)

    def present(self, paths: Collection[bytes]) -> Mapping[bytes, Present]:
        return {path: Present(content=_data(self.files.get(path)), head=_data(self.head.get(path))) for path in paths}

    def held(self, paths: Collection[bytes]) -> Iterable[Held]:
        for tree, files in reversed(self.trees.items()):
            for path in paths:
                entry = _entry(files.get(path))
                if entry is not None:
                    yield Held(path=path, place=Place(state="snapshot", name=f"s{tree}", oid=entry.oid))

    def strays(self) -> Iterable[str]:
        return ()

    def contents(self, oids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        known = self._contents()
        yield from ((oid, known[oid]) for oid in oids if oid in known)

    def context(self) -> Context:
        return Context()

    def _contents(self) -> dict[str, bytes]:
        return {_oid(text): text.encode() for files in self.trees.values() for text in files.values()}


def _entry(text: str | None) -> Entry | None:
    return None if text is None else Entry(REGULAR, _oid(text))


def _data(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _oid(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
