"""Issues of beads (`bd`): its export, one JSON object a line, or the list that `bd list --json` prints."""

from __future__ import annotations

from collections import Counter
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.records import replace
from unlost.plan.importers.facts import Entry, Foreign, Node, Source
from unlost.plan.importers.fields import Fields

_FIELDS: Final = frozenset({"id", "title", "status", "issue_type"})
_DONE: Final = "closed"
_UNWANTED: Final = frozenset({"tombstone", "deferred", "pinned"})
# Only these say that one comes before another; `related` and `discovered-from` say nothing of order.
_ORDERING: Final = frozenset({"blocks", "conditional-blocks", "waits-for"})
_PARENT: Final = "parent-child"
_CONTAINER: Final = "epic"
_LAST: Final = 9


def recognises(source: Source) -> bool:
    """Objects with id, title, status and issue_type, one a line or in one list."""
    nodes = _issues(source)
    return bool(nodes) and all(isinstance(node.value, dict) and node.value.keys() >= _FIELDS for node in nodes)


def read(source: Source) -> Foreign:
    """Each issue as an entry, by priority; an epic with children is no work of its own, and says what they are for."""
    problems: list[Problem] = []
    issues = [Fields(node, problems) for node in _issues(source)]
    parents = {target for issue in issues for kind, target in _dependencies(issue) if kind == _PARENT}
    left_out: Counter[str] = Counter()
    goals, entries = [], []
    for issue in sorted(issues, key=_priority):
        status = issue.text("status")
        if issue.text("issue_type") == _CONTAINER and issue.text("id") in parents:
            goals.append(_told(issue.text("title"), issue.text("description")))
        elif status in _UNWANTED:
            left_out[status] += 1
        else:
            entries.append(_entry(issue, done=status == _DONE))
    # An issue outside of the export may be closed, or in another project: nothing can be known of it.
    wanted = {entry.id for entry in entries}
    kept = tuple(replace(entry, after=tuple(each for each in entry.after if each in wanted)) for entry in entries)
    title = goals[0].partition("\n")[0] if len(goals) == 1 else ""
    return Foreign(title=title, goal="\n\n".join(goals), entries=kept, left_out=left_out, problems=tuple(problems))


def _issues(source: Source) -> tuple[Node, ...]:
    if len(source.documents) == 1 and isinstance(source.documents[0].value, list):
        return tuple(source.documents[0].below.values())
    return source.documents


def _entry(issue: Fields, *, done: bool) -> Entry:
    parts = [
        issue.text("description"),
        _told("Design:", issue.text("design")),
        _told("Notes:", issue.text("notes")),
    ]
    return Entry(
        id=issue.text("id"),
        title=issue.text("title"),
        line=issue.node.line,
        text="\n\n".join(part for part in parts if part),
        done=done,
        after=tuple(target for kind, target in _dependencies(issue) if kind in _ORDERING),
        acceptance=issue.texts("acceptance_criteria"),
    )


def _dependencies(issue: Fields) -> list[tuple[str, str]]:
    return [
        (each.text("type", "dependency_type"), each.text("depends_on_id", "id"))
        for each in issue.objects("dependencies")
    ]


def _priority(issue: Fields) -> int:
    found = issue.node.below.get("priority")
    return found.value if found is not None and type(found.value) is int else _LAST


def _told(head: str, text: str) -> str:
    return f"{head}\n{text}" if text else "" if head.endswith(":") else head
