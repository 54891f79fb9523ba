"""From the entries of another tool's list to the draft of a plan: ids, order, and what each agent is told.

Nothing is taken for done because a list says so: an entry that is ticked becomes a task to be proven.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.quoting import cut
from unlost.plan.draft import Draft, KeyPath, key_name
from unlost.plan.importers.facts import Entry, Foreign
from unlost.plan.markdown import slug

SAID_TO_BE_DONE: Final = (
    "The list that this plan comes from says that this is done. Take nobody's word for it: prove it. Look at what is "
    "there, run what shows that it works, and do what is missing or wrong. Where the proof is not in the repository "
    "yet, add it: a test, in most projects. Only when everything is there, the proof included, report `no_change` "
    "with the evidence as the reason."
)
"""What an agent is told of an entry that is ticked."""

_NOT_IN_ID: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_ID: Final = 60
_LONGEST_TITLE: Final = 200
_RESERVED: Final = frozenset({"person", "commit"})


def draft_of(foreign: Foreign, *, name: str) -> Draft:
    """The draft of a plan, with the line of every entry; `name` is the file's, for want of a title."""
    title = foreign.title or name
    problems = list(foreign.problems)
    if any(entry.after for entry in foreign.entries):
        problems += _unclear(foreign.entries)
    ordered, stuck = _in_order(foreign.entries)
    problems += stuck
    ids = _ids(ordered)
    lines: dict[KeyPath, int] = {}
    for index, entry in enumerate(ordered):
        lines |= {("task", index, key): entry.line for key in ("id", "text", "acceptance")}
        lines[("task", index)] = entry.line
    values: dict[str, object] = {
        "title": cut(" ".join(title.split()), _LONGEST_TITLE),
        "goal": foreign.goal or title,
        "task": [_task(entry, id_) for entry, id_ in zip(ordered, ids, strict=True)],
    }
    return Draft(values=values, lines=lines, problems=tuple(problems))


def _task(entry: Entry, task_id: str) -> dict[str, object]:
    told = "\n\n".join(part for part in (entry.title, entry.text) if part)
    task: dict[str, object] = {"id": task_id, "text": f"{SAID_TO_BE_DONE}\n\n{told}" if entry.done else told}
    if entry.acceptance:
        task["acceptance"] = list(entry.acceptance)
    return task


def _ids(entries: Sequence[Entry]) -> list[str]:
    """An id for each entry: its own where it can be one, else made from its title; the second of a kind is `…-2`."""
    seen: Counter[str] = Counter()
    ids = []
    for number, entry in enumerate(entries, start=1):
        own = _NOT_IN_ID.sub("-", entry.id).strip("-._")[:_LONGEST_ID]
        wanted = own or slug(entry.title) or f"entry-{number}"
        wanted = f"task-{wanted}" if wanted.casefold() in _RESERVED else wanted
        chosen = wanted
        while chosen.casefold() in seen:
            seen[wanted.casefold()] += 1
            chosen = f"{wanted}-{seen[wanted.casefold()]}"
        seen[chosen.casefold()] += 1
        ids.append(chosen)
    return ids


def _unclear(entries: Sequence[Entry]) -> Iterable[Problem]:
    """Ids that stand twice, and dependencies on what is not there: nobody can tell what comes before what."""
    first: dict[str, Entry] = {}
    for entry in entries:
        earlier = first.setdefault(entry.id, entry)
        if entry.id and earlier is not entry:
            yield Problem(line=entry.line, what=f"the id {key_name(entry.id)} stands in line {earlier.line} already")
    for entry in entries:
        for other in entry.after:
            if other not in first:
                what = f"{key_name(entry.id)} depends on {key_name(other)}, which is not there"
                yield Problem(line=entry.line, what=what)


def _in_order(entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    """The entries, each after what it depends on, else as they stand; those in a ring come last and are a problem."""
    ids = {entry.id for entry in entries if entry.id}
    left, placed, ordered = list(entries), set[str](), list[Entry]()
    while left:
        ready = next((each for each in left if all(o in placed or o not in ids for o in each.after)), None)
        if ready is None:
            names = ", ".join(key_name(entry.id) for entry in left[:5])
            what = f"these depend on each other in a ring: {names}"
            return (*ordered, *left), (Problem(line=left[0].line, what=what),)
        left.remove(ready)
        placed.add(ready.id)
        ordered.append(ready)
    return tuple(ordered), ()


def told_left_out(left_out: Mapping[str, int]) -> str:
    """`2 cancelled, 1 deferred`; empty when nothing was."""
    return ", ".join(f"{number} {word}" for word, number in left_out.items())
