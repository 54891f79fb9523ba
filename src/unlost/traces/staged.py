"""What the user's index holds, read from a copy: contents that were staged and are nowhere else."""

from __future__ import annotations

from unlost.facts.trees import Entry
from unlost.git.call import GitFailed
from unlost.traces.inspection import Inspection


def staged_entries(inspection: Inspection) -> dict[bytes, tuple[Entry, ...]]:
    """Path to its entry, or to the two or three sides of an unmerged path; empty without a readable index."""
    index = inspection.index_copy()
    if index is None:
        return {}
    try:
        answer = inspection.git.run("ls-files", "-s", "-z", variables={"GIT_INDEX_FILE": index})
    except GitFailed:
        # A torn index: what it held cannot be known, and the other traces are still there.
        return {}
    found: dict[bytes, tuple[Entry, ...]] = {}
    for row in answer.split(b"\0"):
        head, _, path = row.partition(b"\t")
        words = head.decode("ascii", "replace").split(" ")
        if len(words) == 3:
            found[path] = (*found.get(path, ()), Entry(words[0], words[1]))
    return found
