"""Settings: the user's file, then the environment, then flags; later wins (contracts.md, Settings).

Standard library only. `read_settings` is the one place that looks for the file and, beside
`host/environment.py`, the one that reads environment variables.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, Literal, cast

from unlost.facts.durations import parse_duration
from unlost.facts.errors import FileInvalid, Problem, UsageError
from unlost.facts.records import dataclass, field, fields, replace
from unlost.host.doors import open_door
from unlost.host.environment import current_environment, home_folder, host_name

PARSERS: Final[Mapping[str, str]] = {"toml": "unlost.host.toml"}
"""What reads a settings file; opened only where there is one."""

DEFAULT_SCRATCH: Final = (
    "*.log",
    "*.tmp",
    "*.orig",
    "*.rej",
    "*.swp",
    "*~",
    ".DS_Store",
    ".coverage",
    "coverage.xml",
    "tmp/",
    "temp/",
)
"""Untracked files that make no claims unless a person says otherwise."""

_SIZES: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_MAXIMUM_FILE: Final = 1 << 20
DiscardMode = Literal["save", "ask", "refuse"]


@dataclass(frozen=True, kw_only=True)
class SnapshotSettings:
    """`[snapshot]`: what is captured and how long it is kept. Sizes in bytes, times in seconds."""

    include_ignored: tuple[str, ...] = ()
    exclude_ignored: tuple[str, ...] = ()
    scratch: tuple[str, ...] = DEFAULT_SCRATCH
    max_file: int = 50 << 20
    max_store: int = 5 << 30
    keep: float = 30 * 86400.0
    autosave: float | None = 60.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything a composition needs to know about this user and machine; roots are absolute paths."""

    home: str
    ledger: str
    place: str
    snapshot: SnapshotSettings = field(default_factory=SnapshotSettings)
    discard: DiscardMode | None = None
    operators: tuple[str, ...] = ()
    agent: Mapping[str, object] = field(default_factory=dict)
    store: str | None = None
    temporal: str | None = None
    notify: Mapping[str, object] = field(default_factory=dict)


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings in force: `$XDG_CONFIG_HOME/unlost/config.toml` under the environment.

    Raises FileInvalid naming every fault of the file at once, and UsageError for an unusable variable.
    """
    environment = current_environment() if environment is None else environment
    file = os.path.join(_folder(environment, "XDG_CONFIG_HOME", ".config"), "unlost", "config.toml")
    table = _read_file(file)
    home = state_home(environment)
    if not os.path.isabs(home):
        raise UsageError(f"UNLOST_HOME is not an absolute path: {home!r}", hint="export UNLOST_HOME=/absolute/folder")
    settings = Settings(
        home=home,
        ledger=environment.get("UNLOST_LEDGER") or "sqlite:///" + os.path.join(home, "ledger.db"),
        place=environment.get("UNLOST_PLACE") or default_place(),
        store=environment.get("UNLOST_STORE") or None,
        temporal=environment.get("UNLOST_TEMPORAL") or None,
    )
    return _with_table(settings, table, file)


def state_home(environment: Mapping[str, str]) -> str:
    """Where unlost keeps what it knows: `$UNLOST_HOME`, else `unlost` in the user's state folder."""
    return environment.get("UNLOST_HOME") or os.path.join(
        _folder(environment, "XDG_STATE_HOME", os.path.join(".local", "state")), "unlost"
    )


def repository_snapshot_settings(data: bytes, settings: SnapshotSettings) -> SnapshotSettings:
    """The `[snapshot]` table of a repository's `unlost.toml` over the user's; any other table is refused.

    `data` comes from the boundary a unit was admitted on, never from the tree an agent left.
    """
    table = _parse(data, "unlost.toml")
    problems = [f"only [snapshot] may stand here, not {name!r}" for name in table if name != "snapshot"]
    updated = _snapshot(settings, table.get("snapshot", {}), problems)
    _refuse(problems, "unlost.toml")
    return updated


def default_place() -> str:
    """Host name and the start of the machine id: what tells this machine from another of the same name."""
    try:
        with open("/etc/machine-id", encoding="ascii") as file:
            machine = file.read(8)
    except (OSError, UnicodeDecodeError):
        machine = ""
    return f"{host_name()}-{machine}" if machine else host_name()


def parse_size(text: str) -> int:
    """Bytes of a text such as `50MiB`, `5G` or `1024`; raises ValueError."""
    digits = text.rstrip("BbIiKkMmGg \t")
    unit = text[len(digits) :].strip().lower()
    unit = unit if unit in _SIZES else unit.removesuffix("b")
    if not digits.isdigit() or unit not in _SIZES:
        raise ValueError("a size is written like 1024, 50MiB or 5GiB")
    return int(digits) * _SIZES[unit]


def _folder(environment: Mapping[str, str], variable: str, default: str) -> str:
    found = environment.get(variable, "")
    # The base directory specification: a relative value is to be ignored.
    if os.path.isabs(found):
        return found
    return os.path.join(environment.get("HOME") or home_folder(), default)


def _read_file(path: str) -> dict[str, object]:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAXIMUM_FILE + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"the settings file cannot be read: {error.strerror}", hint=f"ls -l {path}") from error
    return _parse(data, "config.toml")


def _parse(data: bytes, name: str) -> dict[str, object]:
    if len(data) > _MAXIMUM_FILE:
        raise FileInvalid(f"{name} is over 1 MiB", problems=(Problem(line=None, what="over 1 MiB"),))
    table: dict[str, object] = open_door(PARSERS, "toml").read_toml(data, name)
    return table


def _with_table(settings: Settings, table: Mapping[str, object], file: str) -> Settings:
    problems = [
        f"unknown table [{name}]" for name in table if name not in {"snapshot", "hooks", "notify", "operators", "agent"}
    ]
    hooks = _table(table, "hooks", problems)
    problems += [f"unknown key hooks.{name}" for name in hooks if name != "discard"]
    discard = hooks.get("discard")
    if discard not in (None, "save", "ask", "refuse"):
        problems.append("hooks.discard is save, ask or refuse")
    operators = _table(table, "operators", problems).get("names", [])
    updated = replace(
        settings,
        snapshot=_snapshot(settings.snapshot, table.get("snapshot", {}), problems),
        discard=cast("DiscardMode | None", discard),
        operators=_texts(operators, "operators.names", problems),
        agent=_table(table, "agent", problems),
        notify=_table(table, "notify", problems),
    )
    _refuse(problems, file)
    return updated


def _snapshot(settings: SnapshotSettings, value: object, problems: list[str]) -> SnapshotSettings:
    if not isinstance(value, dict):
        problems.append("[snapshot] is a table")
        return settings
    known = {each.name for each in fields(SnapshotSettings)}
    problems += [f"unknown key snapshot.{name}" for name in value if name not in known]
    changes: dict[str, object] = {}
    for name in ("include_ignored", "exclude_ignored", "scratch"):
        if name in value:
            changes[name] = _texts(value[name], f"snapshot.{name}", problems)
    for name, parse in (("max_file", _size), ("max_store", _size), ("keep", _seconds), ("autosave", _autosave)):
        if name in value:
            try:
                changes[name] = parse(value[name])
            except ValueError as error:
                problems.append(f"snapshot.{name}: {error}")
    return replace(settings, **changes)  # type: ignore[arg-type]  # names come from the dataclass itself


def _size(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else parse_size(str(value))


def _seconds(value: object) -> float:
    return parse_duration(str(value))


def _autosave(value: object) -> float | None:
    return None if value in ("off", False) else parse_duration(str(value))


def _table(table: Mapping[str, object], name: str, problems: list[str]) -> dict[str, object]:
    value = table.get(name, {})
    if not isinstance(value, dict):
        problems.append(f"[{name}] is a table")
        return {}
    return value


def _texts(value: object, name: str, problems: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        problems.append(f"{name} is a list of texts")
        return ()
    return tuple(value)


def _refuse(problems: list[str], file: str) -> None:
    if problems:
        raise FileInvalid(
            f"{file} cannot be used: {'; '.join(problems)}",
            problems=tuple(Problem(line=None, what=problem) for problem in problems),
        )
