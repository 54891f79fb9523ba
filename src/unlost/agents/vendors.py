"""What the adapters of vendors' programs have in common."""

from __future__ import annotations

from typing import Final

from unlost.agents.protocol import Ended, Heard, Said
from unlost.facts.errors import UsageError
from unlost.host.programs import program_on_path

MCP_SERVER: Final = "unlost"
"""The name under which agents see our tools."""

NETWORK: Final = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"),
)
"""How to get out of this machine, and where programs keep their own: what any vendor's program is given."""

_MOMENTS: Final = ("SessionStart", "PreToolUse", "PreCompact", "Stop")


def installed(program: str, *, package: str) -> str:
    """The absolute path of an agent's program. Raises UsageError, with how to install it, when there is none."""
    found = program_on_path(program)
    if found is None:
        raise UsageError(f"`{program}` is not on PATH, so this agent cannot run", hint=f"npm install -g {package}")
    return found


def hook_table(command: str) -> dict[str, list[dict[str, object]]]:
    """The `hooks` table, as Claude Code and Codex both read it, that calls `command` at each moment of ours.

    Of the tools only the shell can throw work away unseen, so no other one pays for the call.
    """
    entry: dict[str, object] = {"hooks": [{"type": "command", "command": command}]}
    return {moment: [{"matcher": "Bash", **entry} if moment == "PreToolUse" else entry] for moment in _MOMENTS}


def as_said(line: bytes, dropped: int) -> Heard:
    """The meaning of a line that is no whole JSON object: something said, unless it is empty."""
    return Heard(events=(Said(text=line.decode("utf-8", "replace"), dropped=dropped),) if line else ())


def judged_by_exit(exit_code: int | None, *, silence: str | None) -> Ended:
    """The end of an agent that told none itself; `silence` is what an exit code of 0 is then worth."""
    if exit_code is None:
        return Ended(error="nobody saw how it ended")
    if exit_code < 0:
        return Ended(error=f"ended by signal {-exit_code}")
    return Ended(error=f"exit code {exit_code}" if exit_code else silence)
