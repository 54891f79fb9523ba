"""What a researcher is asked: the unit's own contract, what to find out, how to hand it back (R.23, R.26, R.45).

Plan and operator's note are authority, so nothing here is fenced; nothing here lets the researcher change anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unlost.facts.quoting import path_literal
from unlost.plan.facts import Plan, Task
from unlost.research.facts import MAXIMUM_BRIEF, SCHEMA

RULES: Final = """\
You investigate; somebody else will code. This folder is a throw-away copy of the repository at the commit named \
above: it is read-only, what you write into it is discarded and reported, and you hold no credential.
- Find out what the tasks below rest on: where the code is, what calls it, what would break, how success is proved.
- The tasks are given. Check them against this commit; say where they do not fit it. Do not replace them.
- Simple work deserves a short look and a short brief. Stop when you know enough to start.
- Report `blocked` only when a decision or a prerequisite is missing that you cannot find out. Name it."""

HANDING_BACK: Final = f"""\
Hand your brief in with the tool `submit_research`, or write one JSON object to `$UNLOST_OUTBOX/brief.json`, at most \
{MAXIMUM_BRIEF} bytes:
{{"schema": "{SCHEMA}", "goal": text, "commit": the full id named above, "complexity": "simple" | "moderate" | \
"complex", "readiness": "ready" | "blocked", "evidence": [{{"claim": text, "source": id}}], "sources": [{{"id": text, \
"kind": "file" | "url" | "run" | any word, "ref": path at the commit, URL or id}}], "assumptions": [text], \
"unknowns": [text], "approach": [text], "verification": [text], "blocked_reason": text}}
`ready` needs evidence, sources, approach and verification. `blocked_reason` stands only, and always, with `blocked`. \
No other key is accepted. End with a short account: decision, findings, sources, approach, verification, what is \
uncertain. Nobody codes on anything but the file."""


def research_request(plan: Plan, note: str | None, *, commit: str) -> bytes:
    """The exact prompt of a research attempt at a commit."""
    return ("\n\n".join(_parts(plan, note, commit)) + "\n").encode("utf-8", "surrogateescape")


def _parts(plan: Plan, note: str | None, commit: str) -> Iterator[str]:
    yield f"# Research before coding: {plan.title}"
    yield f"## Goal\n\n{plan.goal}"
    yield f"## Commit\n\n{commit}"
    yield f"## Your part\n\n{RULES}"
    yield from (_task(task) for task in plan.tasks)
    scope = ", ".join(path_literal(pattern.encode("utf-8", "surrogateescape")) for pattern in plan.scope.paths)
    yield f"## Scope of the coding\n\n{scope}"
    if note is not None:
        yield f"## Note of the operator\n\n{note}"
    yield f"## Handing it back\n\n{HANDING_BACK}"


def _task(task: Task) -> str:
    lines = [f"## Task {task.id}\n\n{task.text}"]
    if task.acceptance:
        lines.append("Acceptance:\n" + "\n".join(f"- {line}" for line in task.acceptance))
    return "\n\n".join(lines)
