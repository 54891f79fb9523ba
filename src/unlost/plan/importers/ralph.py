"""Ralph's `prd.json`: user stories with `passes`, or a bare list of features with `passes` and `steps`."""

from __future__ import annotations

from unlost.facts.errors import Problem
from unlost.plan.importers.facts import Entry, Foreign, Source
from unlost.plan.importers.fields import Fields


def recognises(source: Source) -> bool:
    """An object with `userStories`, or a list of objects that have `passes`."""
    if len(source.documents) != 1:
        return False
    value = source.documents[0].value
    if isinstance(value, dict):
        return isinstance(value.get("userStories"), list)
    return (
        isinstance(value, list) and bool(value) and all(isinstance(each, dict) and "passes" in each for each in value)
    )


def read(source: Source) -> Foreign:
    """Each story as an entry, by priority as Ralph takes them; equal ones in the order of the file."""
    problems: list[Problem] = []
    document = source.documents[0]
    if isinstance(document.value, dict):
        top = Fields(document, problems)
        title, goal = top.text("project", "name"), top.text("description")
        stories = top.objects("userStories")
    else:
        title, goal = "", ""
        stories = [Fields(node, problems) for node in document.below.values()]
    ranked = sorted(stories, key=_priority)
    entries = tuple(_entry(story, named=isinstance(document.value, dict)) for story in ranked)
    return Foreign(title=title or goal.partition("\n")[0], goal=goal, entries=entries, problems=tuple(problems))


def _priority(story: Fields) -> float:
    found = story.node.below.get("priority")
    is_number = found is not None and isinstance(found.value, int | float) and not isinstance(found.value, bool)
    return float(found.value) if found is not None and is_number else float("inf")


def _entry(story: Fields, *, named: bool) -> Entry:
    title, described = story.text("title"), story.text("description")
    notes = story.text("notes")
    parts = [described if title else "", f"Notes: {notes}" if notes else ""]
    return Entry(
        id=story.number_or_text("id") if named else "",
        title=title or described,
        line=story.node.line,
        text="\n\n".join(part for part in parts if part),
        done=story.is_true("passes"),
        after=story.ids("dependsOn"),
        acceptance=(*story.texts("acceptanceCriteria"), *story.texts("steps")),
    )
