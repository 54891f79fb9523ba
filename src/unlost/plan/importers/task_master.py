"""Task Master's `tasks.json`: tasks with status, dependencies and sub-tasks, bare or below tags such as `master`."""

from __future__ import annotations

from collections import Counter
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.records import replace
from unlost.plan.importers.facts import Entry, Foreign, Node, Source
from unlost.plan.importers.fields import Fields

_DONE: Final = frozenset({"done", "completed"})
_UNWANTED: Final = frozenset({"cancelled", "deferred"})
_PREFERRED_TAG: Final = "master"
_FIELDS: Final = frozenset({"title", "status"})


def recognises(source: Source) -> bool:
    """An object with a list `tasks` of objects with title and status, or such objects below tags."""
    return len(source.documents) == 1 and bool(_lists(source.documents[0]))


def read(source: Source) -> Foreign:
    """Each task as an entry with its sub-tasks folded in; the tag `master`, or the only one that there is."""
    problems: list[Problem] = []
    lists = _lists(source.documents[0])
    tag = _PREFERRED_TAG if _PREFERRED_TAG in lists else next(iter(lists))
    if len(lists) > 1 and tag != _PREFERRED_TAG:
        what = f"several tags ({', '.join(lists)}) and none of them is `{_PREFERRED_TAG}`; keep one of them in a file"
        problems.append(Problem(line=source.documents[0].line, what=what))
    holder = lists[tag]
    top = Fields(holder, problems)
    left_out: Counter[str] = Counter()
    entries = []
    for task in top.objects("tasks"):
        status = task.text("status")
        if status in _UNWANTED:
            left_out[status] += 1
        else:
            entries.append(_entry(task, status))
    kept = {entry.id for entry in entries}
    dropped = {Fields(node, []).number_or_text("id") for node in holder.below["tasks"].below.values()} - kept
    told = holder.below.get("metadata") or holder.below.get("meta")
    described = Fields(told, []).text("description", "projectName") if told is not None else ""
    return Foreign(
        title="" if tag == _PREFERRED_TAG else tag,
        goal=described,
        # What waits for something that nobody wants any more need not wait.
        entries=tuple(
            replace(entry, after=tuple(each for each in entry.after if each not in dropped)) for entry in entries
        ),
        left_out=left_out,
        problems=tuple(problems),
    )


def _lists(document: Node) -> dict[str, Node]:
    """The objects that hold a list of tasks: the document itself, or what stands below its tags."""
    if not isinstance(document.value, dict):
        return {}
    if _holds_tasks(document):
        return {_PREFERRED_TAG: document}
    return {str(tag): node for tag, node in document.below.items() if _holds_tasks(node)}


def _holds_tasks(node: Node) -> bool:
    tasks = node.value.get("tasks") if isinstance(node.value, dict) else None
    return (
        isinstance(tasks, list)
        and bool(tasks)
        and all(isinstance(each, dict) and each.keys() >= _FIELDS for each in tasks)
    )


def _entry(task: Fields, status: str) -> Entry:
    parts = [task.text("description"), task.text("details")]
    subtasks = [_subtask(each) for each in task.objects("subtasks")]
    if subtasks:
        parts.append("Sub-tasks, in this order:\n" + "\n".join(subtasks))
    return Entry(
        id=task.number_or_text("id"),
        title=task.text("title"),
        line=task.node.line,
        text="\n\n".join(part for part in parts if part),
        done=status in _DONE,
        after=task.ids("dependencies"),
        acceptance=task.texts("testStrategy"),
    )


def _subtask(task: Fields) -> str:
    mark = "x" if task.text("status") in _DONE else " "
    told = [task.text("title"), *task.text("description").split("\n"), *task.text("details").split("\n")]
    return f"- [{mark}] " + "\n  ".join(line for line in told if line.strip())
