"""Write the table of docs/agents.md from the runs behind it: `python scripts/make_agents_table.py [--check]`.

Rows and cells are those that the tests of the real agents assert (tests/kit/agents_table.py), versions those that
scripts/install_agents.sh installs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "tests"))

from kit.agents_table import table  # noqa: E402  (the test kit is no package that is installed)

PAGE = PROJECT / "docs" / "agents.md"
_PACKAGES = {
    "claude": "claude-code",
    "codex": "openai/codex",
    "claude-agent-acp": "claude-agent-acp",
    "codex-acp": "codex-acp",
    "opencode": "opencode-ai",
    "gemini": "gemini-cli",
}
_TABLE = re.compile(r"^\| +\| Claude Code .*?(?=^$)", re.MULTILINE | re.DOTALL)


def installed_versions() -> dict[str, str]:
    """The version of each program that the suite installs."""
    script = (PROJECT / "scripts" / "install_agents.sh").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for name, package in _PACKAGES.items():
        told = re.search(rf"{package}@([\d.]+\d)", script)
        if told is None:
            raise SystemExit(f"scripts/install_agents.sh installs no {package}")
        found[name] = told[1]
    return found


def main(arguments: list[str]) -> int:
    """Write the page, or with `--check` say whether it is as it should be."""
    before = PAGE.read_text(encoding="utf-8")
    after = _TABLE.sub(lambda _: table(installed_versions()), before, count=1)
    if "--check" in arguments:
        if before != after:
            print("docs/agents.md is not as the runs say: python scripts/make_agents_table.py", file=sys.stderr)
        return int(before != after)
    PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
