"""What works with which version, as docs/agents.md has it: each row is a test, each cell what that test asserts.

The sets below are what the tests of the real agents ask; so a cell that says something else than "yes" is an exception
that a run has shown. `python scripts/make_agents_table.py` writes the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

AGENTS: Mapping[str, str] = {
    "claude": "Claude Code",
    "codex": "Codex",
    "claude-agent-acp": "claude-agent-acp",
    "codex-acp": "codex-acp",
    "opencode": "opencode",
    "gemini": "Gemini CLI",
}
"""The programs by name, and what they are called; those from the third on speak ACP."""

TELLS_NO_TOKENS = frozenset({"opencode"})
"""It tells the tokens of its last call alone, so none are counted."""
TELLS_A_PRICE = frozenset({"claude", "claude-agent-acp", "opencode"})
TAKES_A_HOOK = frozenset({"claude", "codex"})
"""For one run; over ACP none can be handed over."""
DENIES_BY_RULES = frozenset({"opencode"})
"""It has rules of its own in the place of a hook."""
LOADS_NO_SESSION_AT_ONCE = frozenset({"gemini"})
"""It finds no session in the minute in which that began."""
RETRIES_SILENTLY = frozenset({"opencode"})
"""A service that fails is asked again and again without a word: the idle cap ends that."""
TELLS_THE_RESET = frozenset({"claude", "codex", "codex-acp"})
"""When its provider takes more, after a usage limit."""
HAS_A_SANDBOX = frozenset({"codex", "codex-acp"})
"""What it may write is its own sandbox's to say."""
HOME_BY_VARIABLES = frozenset({"claude", "claude-agent-acp", "opencode"})
"""All that it needs to know comes in variables, so it can be tried in a home of its own."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One test, in words, and the cells that are no plain yes."""

    test: str
    words: str
    cells: Mapping[str, str] = field(default_factory=dict)


def _cells(agents: Iterable[str], words: str) -> dict[str, str]:
    return dict.fromkeys(agents, words)


ROWS = (
    Row(
        test="an_edit_is_done",
        words="edits files; tokens and price are told",
        cells=_cells(AGENTS.keys() - TELLS_A_PRICE, "no price") | _cells(TELLS_NO_TOKENS, "no tokens"),
    ),
    Row(
        test="the_hook_refuses_to_wipe_another_task",
        words="its hook refuses to wipe another task's work",
        cells=_cells(AGENTS.keys() - TAKES_A_HOOK, "no hook") | _cells(DENIES_BY_RULES, "its own rules do"),
    ),
    Row(
        test="a_task_that_wipes_another_blocks",
        words="without a hook: a wiped task blocks, one command restores it",
    ),
    Row(
        test="a_wiped_task_is_restored_when_the_plan_says_so",
        words='`on_loss = "restore"`: restored and finished by itself',
    ),
    Row(
        test="a_cap_of_turns_holds",
        words="a cap of 5 turns: asked for its handoff over MCP, ended before the ninth call",
        cells=_cells(LOADS_NO_SESSION_AT_ONCE, "ended; in its first minute not asked"),
    ),
    Row(
        test="a_handoff_comes_over_mcp",
        words="our tools are there from the first turn: handoff, report, status",
    ),
    Row(test="research_comes_over_mcp", words="research in a read-only copy, its brief over MCP"),
    Row(test="a_person_is_asked_over_mcp", words="it asks a person, waits for the answer and goes on"),
    Row(
        test="a_failing_service_is_no_done_task",
        words="401, 500 of the service: never a done task; 429: the unit pauses, exit 5",
        cells=_cells(RETRIES_SILENTLY, "after `idle`; 429, too"),
    ),
    Row(
        test="a_reset_that_is_told_is_known",
        words="a usage limit: the unit knows when it is over",
        cells=_cells(AGENTS.keys() - TELLS_THE_RESET, "not told"),
    ),
    Row(
        test="a_killed_supervisor_is_resumed_in_the_same_conversation",
        words="`kill -9` of unlost, `resume`: the same conversation goes on",
        cells=_cells(LOADS_NO_SESSION_AT_ONCE, "a new one, within a minute"),
    ),
    Row(test="a_daemon_does_not_outlive_its_attempt", words="a daemon that it starts is gone afterwards"),
    Row(test="an_agent_that_hangs_is_ended", words="a command that hangs is ended after `idle`"),
    Row(
        test="edits_outside_the_workspace_are_refused",
        words='`permissions = "edit"`: its file tools do not write outside',
        cells=_cells(HAS_A_SANDBOX, "its sandbox"),
    ),
    Row(
        test="an_agent_behind_walls_does_its_task",
        words='`sandbox = "bwrap"`: done, and our state is not to be seen',
        cells=_cells(HOME_BY_VARIABLES, 'yes, with `home = "own"`'),
    ),
)


def table(versions: Mapping[str, str]) -> str:
    """The table in Markdown; `versions` by program."""
    heads = ["", *(f"{called} {versions[name]}" for name, called in AGENTS.items()), "test"]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in ROWS:
        cells = [row.words, *(row.cells.get(name, "yes") for name in AGENTS), f"`test_{row.test}`"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
