"""What an agent is told that has used up its turns: hand over, and nothing else."""

from __future__ import annotations

import json
from typing import Final

_REQUEST: Final = """\
The tool calls of this attempt are used up: it ends now. Do not go on with the task and change no file.

Hand over what the next attempt must know. Call the tool `submit_handoff` once; without that tool write the same JSON \
object to `$UNLOST_OUTBOX/handoff.json`. Then end. Leave out what you have nothing to say to:

{form}

`exact_fixes` are edits that you made and that would have to be made again if they were lost: `anchor` is a line near \
the place, `before` and `after` are whole lines, exactly. No transcript: what is decided, what fails, what remains."""


def handoff_request(task: str, cap: int) -> bytes:
    """The prompt that asks for the handoff of a task whose attempt reached its cap of tool calls (H.3)."""
    form = {
        "task": task,
        "iteration_cap": cap,
        "design_decisions": [{"decision": "…", "reason": "…"}],
        "failing_tests": [{"test": "…", "expected": "…", "observed": "…"}],
        "exact_fixes": [{"file": "…", "anchor": "…", "before": "…", "after": "…"}],
        "new_files": ["…"],
        "remaining_steps": ["…"],
        "source": "handoff",
    }
    return (_REQUEST.format(form=json.dumps(form, indent=1, ensure_ascii=False)) + "\n").encode()
