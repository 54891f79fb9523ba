"""Write docs/requirements.md: each requirement id and the tests whose docstrings start with it.

    python scripts/make_requirements.py            write the page
    python scripts/make_requirements.py --check    exit 1 when the page is not what would be written

The ids and their sentences stand in docs/requirements.txt. An id without a test is printed as a gap; a
docstring that starts with an id nobody wrote down is an error, so a typing mistake cannot hide a gap.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "requirements.md"
SOURCE: Final = ROOT / "docs" / "requirements.txt"
ONE: Final = r"(?:[NHRGW]\.(?:[TAR]?\d+[a-z]?))"
LEADING: Final = re.compile(rf"({ONE}(?:(?:, | and |; ){ONE})*):")


def read_ids() -> dict[str, str]:
    """Every id with its sentence, in the order of the file (`ID<tab>sentence`; a `#` line heads a chapter)."""
    rows = (line.split("\t", 1) for line in SOURCE.read_text(encoding="utf-8").splitlines() if line)
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def tests_by_id() -> dict[str, list[str]]:
    """Test names by the ids that their docstrings start with."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            match = LEADING.match(ast.get_docstring(node) or "")
            for each in re.findall(ONE, match.group(1)) if match else ():
                found[each].append(f"{path.relative_to(ROOT / 'tests').as_posix()}::{node.name}")
    return found


def page(ids: dict[str, str], tests: dict[str, list[str]]) -> str:
    """The page as text."""
    covered = sum(1 for each in ids if not each.startswith("#") and tests.get(each))
    total = sum(1 for each in ids if not each.startswith("#"))
    lines = [
        "# Requirements and their tests",
        "",
        "Made by `scripts/make_requirements.py` from the docstrings of the tests; do not edit by hand.",
        f"{covered} of {total} requirements have a named test.",
        "",
    ]
    for each, sentence in ids.items():
        if each.startswith("#"):
            lines += ["", f"## {each[1:].strip()}", "", "| id | requirement | proven by |", "| --- | --- | --- |"]
            continue
        names = "<br>".join(f"`{name}`" for name in tests.get(each, ())) or "**gap**"
        lines.append(f"| {each} | {sentence.replace('|', chr(92) + '|')} | {names} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check the page; returns the exit code."""
    ids, tests = read_ids(), tests_by_id()
    unknown = sorted(set(tests) - set(ids))
    if unknown:
        print(f"docstrings name ids that docs/requirements.txt does not have: {', '.join(unknown)}", file=sys.stderr)
        return 1
    text = page(ids, tests)
    if "--check" in arguments:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/requirements.md is out of date: python scripts/make_requirements.py", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    print(text.splitlines()[3])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
