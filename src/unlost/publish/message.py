"""What a commit of unlost's says, and how it is found again: its trailers name unit, tasks and snapshot. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from unlost.facts.quoting import clean
from unlost.facts.records import dataclass
from unlost.git.person import Person

UNIT, TASK, SNAPSHOT, COMMIT = "Unlost-Unit", "Unlost-Task", "Unlost-Snapshot", "Unlost-Commit"
_SUBJECT_AT_MOST: Final = 72
_BODY_AT_MOST: Final = 4_000
_TRAILER: Final = re.compile(r"^(Unlost-[A-Za-z]+): (.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Moment:
    """When a commit was made: seconds since 1970, and minutes east of Greenwich."""

    at: int
    offset: int

    def __str__(self) -> str:
        sign = "-" if self.offset < 0 else "+"
        hours, minutes = divmod(abs(self.offset), 60)
        return f"{self.at} {sign}{hours:02}{minutes:02}"


def commit_message(*, subject: str, body: str, unit: str, name: str, tasks: Iterable[str], snapshot: str) -> str:
    """Subject, body, and the trailers; `name` tells the commit from the unit's others."""
    trailers = [f"{UNIT}: {unit}", *(f"{TASK}: {task}" for task in tasks), f"{SNAPSHOT}: {snapshot}"]
    trailers.append(f"{COMMIT}: {name}")
    parts = [_subject(subject), _untrailed(body), "\n".join(trailers)]
    return "\n\n".join(part for part in parts if part) + "\n"


def marks_of(message: str) -> frozenset[tuple[str, str]]:
    """What tells one commit of ours from all others: its unit and its name; empty for anybody else's."""
    return frozenset(found for found in _TRAILER.findall(message) if found[0] in (UNIT, COMMIT))


def is_commit_of(message: str, *, unit: str, name: str) -> bool:
    """Whether a message's trailers say that it is this commit of this unit."""
    found = set(_TRAILER.findall(message))
    return {(UNIT, unit), (COMMIT, name)} <= found


def commit_data(*, tree: str, parent: str, person: Person, moment: Moment, message: str) -> bytes:
    """The content of a commit object; the same facts give the same commit."""
    lines = [
        f"tree {tree}",
        f"parent {parent}",
        f"author {person.author} <{person.author_email}> {moment}",
        f"committer {person.committer} <{person.committer_email}> {moment}",
    ]
    return ("\n".join(lines) + f"\n\n{message}").encode("utf-8", "surrogateescape")


def _subject(text: str) -> str:
    line = next((line.strip() for line in clean(text).splitlines() if line.strip()), "Work of a unit")
    return line if len(line) <= _SUBJECT_AT_MOST else line[: _SUBJECT_AT_MOST - 1].rstrip() + "…"


def _untrailed(text: str) -> str:
    """Prose that no reader takes for a trailer of ours."""
    return _TRAILER.sub(r"\1 = \2", clean(text)).strip()[:_BODY_AT_MOST]
