"""Run the long campaigns at their full numbers and write what they found to docs/reliability.md.

A campaign is a test marked `campaign`: its docstring is the sentence that must be true, and what it counted is
recorded with `record_property`. `make test-all` runs the same tests at a small sample. Benchmarks are appended to
docs/benchmarks.md by `python -m benchmarks --write`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.etree import ElementTree  # noqa: ICN001  (a whole word)

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "reliability.md"


def main() -> int:
    """Run, write the page, and return pytest's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "campaign.xml"
        arguments = [sys.executable, "-m", "pytest", "-q", "-m", "campaign", f"--junitxml={report}", *sys.argv[1:]]
        code = subprocess.run(
            arguments, cwd=ROOT, env={**os.environ, "UNLOST_CAMPAIGN": "full"}, check=False
        ).returncode
        PAGE.write_text(page(report, os.cpu_count() or 1), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
    return code


def page(report: Path, processors: int) -> str:
    """The page made from one report of pytest."""
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    lines = [
        "# Reliability",
        "",
        "What the long campaigns found, written by `make campaign`. Each row is a test that must hold;",
        "`make test-all` runs the same tests at a small sample.",
        "",
        f"Commit {commit or 'unknown'}, {datetime.now(UTC).date().isoformat()}.",
        f"Python {sys.version.split()[0]}, {sys.platform}, {processors} processors.",
        "",
        "| what must be true | counted | outcome | seconds |",
        "| --- | --- | --- | --- |",
    ]
    # The file was written by our own pytest a moment ago.
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # noqa: S314
        properties = {each.get("name", ""): each.get("value", "") for each in case.iter("property")}
        sentence = properties.pop("sentence", case.get("name", ""))
        counted = ", ".join(f"{name} {value}" for name, value in properties.items())
        lines.append(f"| {sentence} | {counted} | {_outcome(case)} | {float(case.get('time', '0')):.0f} |")
    return "\n".join(lines) + "\n"


def _outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "**failed**"
    return "skipped" if case.find("skipped") is not None else "held"


if __name__ == "__main__":
    sys.exit(main())
