"""Incidents as data: what was there, what happened, what was lost; and one replay against unlost.

`tests/incidents/dev/NAME/repro.sh` plays an incident in two phases in plain git, `expect.json` says what was lost.
`tests/incidents/more/*.toml` holds shorter ones, on the project that ordinary days begin with. Paths are relative to
`repo`, or written `@place/path` for another work tree.
"""

from __future__ import annotations

import base64
import fnmatch
import json
import os
import stat
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from unlost.app.plain import Workspace
from unlost.settings import read_settings

CASES = Path(__file__).parents[1] / "incidents" / "dev"
MORE = Path(__file__).parents[1] / "incidents" / "more"
PRELUDE = Path(__file__).parents[1] / "ordinary" / "days" / "prelude.sh"
Look = tuple[str, bytes] | None
Phase = Literal["before", "incident"]


@dataclass(frozen=True)
class Incident:
    """One loss: `play` plays a phase of it below a folder, `expected` is what its `expect.json` says or would say."""

    name: str
    play: Callable[[Path, Phase], None]
    expected: Mapping[str, Any]


@dataclass
class Outcome:
    """How one incident came out; each list holds paths as the case writes them."""

    lost: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    only_warned: list[str] = field(default_factory=list)
    false_alarms: list[str] = field(default_factory=list)
    overcalled: list[str] = field(default_factory=list)
    not_restored: list[str] = field(default_factory=list)


def real_incidents() -> list[Incident]:
    """The cases that happened to people, in order."""
    return [_real(path.parent) for path in sorted(CASES.glob("*/repro.sh"))]


def more_incidents() -> list[Incident]:
    """The shorter cases, in order."""
    rows = [row for file in sorted(MORE.glob("*.toml")) for row in tomllib.loads(file.read_text())["incident"]]
    return [_short(row) for row in rows]


def _real(case: Path) -> Incident:
    def play(folder: Path, phase: Phase) -> None:
        _run(["bash", str(case / "repro.sh"), str(folder), phase], folder)

    return Incident(name=case.name, play=play, expected=json.loads((case / "expect.json").read_text()))


def _short(row: Mapping[str, Any]) -> Incident:
    def play(folder: Path, phase: Phase) -> None:
        root = folder / "repo"
        begin = "project; " if phase == "before" else ""
        if phase == "before":
            _run(["git", "init", "-q", "-b", "main", str(root)], folder)
        _run(["bash", "-c", f". '{PRELUDE}'\n{begin}{row[phase]}"], root)

    extra = {"also_lost": row.get("also", [])}
    return Incident(
        name=row["name"], play=play, expected={"lost": row["lost"], "untracked_survivors": [], "extra": extra}
    )


def _run(arguments: list[str], folder: Path) -> None:
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr


def replay(incident: Incident, folder: Path) -> Outcome:
    """Play one case in an empty folder: mark, incident, check, restore."""
    expected = incident.expected
    incident.play(folder, "before")
    roots = dict(_roots(folder))
    for root in roots.values():
        with Workspace.open(str(root), read_settings()) as workspace:
            workspace.mark()
    intended = expected["extra"].get("intended_removal", [])
    losses = [key for key in expected["lost"] if key not in intended and _root_of(key, roots) is not None]
    outcome = Outcome(lost=losses)
    before = {key: look(_place(folder, key)) for key in _everything(roots) | set(outcome.lost)}
    incident.play(folder, "incident")
    lost, warned = set(), set()
    for prefix, root in roots.items():
        with Workspace.open(str(root), read_settings()) as workspace:
            document = workspace.check().to_json()
        lost |= {prefix + text_of(row["path"]) for row in document["lost"]}
        warned |= {prefix + text_of(row["path"]) for row in document["warnings"]}
    _judge(outcome, expected, lost, warned, {key: before[key] == look(_place(folder, key)) for key in before})
    _restore(outcome.lost, roots, folder, before)
    outcome.not_restored = [key for key in outcome.lost if look(_place(folder, key)) != before[key]]
    return outcome


def look(path: Path) -> Look:
    """What is at a path: kind and content, None for nothing."""
    try:
        status = path.lstat()
    except OSError:
        return None
    if stat.S_ISLNK(status.st_mode):
        return "link", os.fsencode(os.readlink(path))
    if stat.S_ISREG(status.st_mode):
        return ("executable" if status.st_mode & stat.S_IXUSR else "file"), path.read_bytes()
    return "other", b""


def text_of(name: Any) -> str:
    """A name of a JSON document as text."""
    return os.fsdecode(base64.b64decode(name["bytes"])) if isinstance(name, dict) else str(name)


def _judge(
    outcome: Outcome, expected: Mapping[str, Any], lost: set[str], warned: set[str], unchanged: dict[str, bool]
) -> None:
    extra = expected["extra"]
    moved = extra.get("moved")
    safe = {*expected["untracked_survivors"], *extra.get("intact", []), *(moved if isinstance(moved, dict) else [])}
    outcome.missed = [key for key in outcome.lost if key not in lost | warned]
    outcome.only_warned = [key for key in outcome.lost if key in warned - lost]
    outcome.false_alarms = [key for key in sorted(lost) if key in safe or unchanged.get(key, False)]
    also = extra.get("also_lost", [])
    outcome.overcalled = [
        key
        for key in sorted(lost)
        if key not in expected["lost"] and key not in outcome.false_alarms
        if not any(fnmatch.fnmatch(key, pattern) for pattern in also)
    ]


def _restore(keys: list[str], roots: dict[str, Path], folder: Path, before: dict[str, Look]) -> None:
    """As a person does it: every loss at once, then by name what a warning told of."""
    for prefix, root in roots.items():
        mine = [key for key in keys if _root_of(key, roots) == prefix]
        if not mine:
            continue
        with Workspace.open(str(root), read_settings()) as workspace:
            workspace.restore(lost=True)
            rest = [key for key in mine if look(_place(folder, key)) != before[key]]
            if rest:
                workspace.restore([os.fsencode(key.removeprefix(prefix)) for key in rest])


def _roots(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each supervised work tree, under the prefix that paths in it have."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("x-") or path.suffix == ".git" or path.name == "state":
            continue
        if (path / ".git").exists():
            yield ("" if path.name == "repo" else f"@{path.name}/"), path


def _root_of(key: str, roots: dict[str, Path]) -> str | None:
    """The prefix of the work tree that a path is in; None when it is not supervised."""
    if not key.startswith("@"):
        return "" if "" in roots else None
    return next((prefix for prefix in roots if prefix and key.startswith(prefix)), None)


def _place(folder: Path, key: str) -> Path:
    return folder / key[1:] if key.startswith("@") else folder / "repo" / key


def _everything(roots: dict[str, Path]) -> set[str]:
    """Every file and link of every work tree, as the case would write it."""
    keys = set()
    for prefix, root in roots.items():
        for path in root.rglob("*"):
            below = path.relative_to(root)
            if ".git" not in below.parts and (path.is_symlink() or path.is_file()):
                keys.add(prefix + str(below))
    return keys
