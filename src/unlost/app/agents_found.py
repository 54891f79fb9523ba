"""Which agents' programs are on this machine, and whether they are the versions that were tried out."""

from __future__ import annotations

import re
from typing import Final

from unlost.agents import claude, codex, gemini, opencode
from unlost.facts.records import dataclass
from unlost.host.environment import passed_environment
from unlost.host.process import Request, run
from unlost.host.programs import program_on_path

_VERSION: Final = re.compile(rb"\d+\.\d+\.\d+")
_PATIENCE: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class FoundAgent:
    """An agent's program: `version` is None when it is not there or does not say; `tested` is what was tried out."""

    name: str
    tested: str
    package: str
    is_there: bool
    version: str | None = None


def find_agents() -> tuple[FoundAgent, ...]:
    """Every vendor's agent that there is an adapter for, asked for its version."""
    known = {"claude": claude, "codex": codex, "opencode": opencode, "gemini": gemini}
    return tuple(_find(name, module.TESTED, module.PACKAGE) for name, module in known.items())


def _find(name: str, tested: str, package: str) -> FoundAgent:
    program = program_on_path(name)
    if program is None:
        return FoundAgent(name=name, tested=tested, package=package, is_there=False)
    outcome = run(Request(argv=(program, "--version"), env=passed_environment(), timeout=_PATIENCE))
    told = _VERSION.search(outcome.stdout) if outcome.ok else None
    version = told[0].decode() if told else None
    return FoundAgent(name=name, tested=tested, package=package, is_there=True, version=version)
