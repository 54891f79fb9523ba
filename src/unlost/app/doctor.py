"""`unlost doctor`: what of this machine and this workspace could keep unlost from its promise, and what helps.

Each examination ends in one `Finding`; a failure of one never keeps the others from being made. Nothing is changed
but a probe file in the state home, which is removed at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final, Literal

from unlost.app.agent_place import require_sandbox
from unlost.app.agents_found import FoundAgent, find_agents
from unlost.facts.errors import UnlostError, UsageError
from unlost.facts.records import dataclass
from unlost.git.index_lock import holds_our_lock
from unlost.git.repository import discover
from unlost.git.version import MINIMUM, installed_version
from unlost.settings import Settings, read_settings
from unlost.snapshot.repacking import size_of

Level = Literal["ok", "warning", "problem"]

OLDEST_PYTHON: Final = (3, 11)
_LEAST_FREE: Final = 1 << 30
_DOUBTFUL: Final = {
    "tmpfs": "snapshots do not outlive a reboot",
    "ramfs": "snapshots do not outlive a reboot",
    "overlay": "snapshots do not outlive this container",
    **dict.fromkeys(("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"), "locks may not hold between machines"),
}
"""What is wrong with a state home on this kind of file system."""
_MOUNTS: Final = "/proc/self/mountinfo"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of one examination: what was looked at, how it stands, and what to do about it.

    `place` is the path it is about; it stays on this machine, so it is told as text but not in JSON.
    """

    name: str
    level: Level
    message: str
    hint: str | None = None
    place: str | None = None


def diagnose(environment: Mapping[str, str], folder: str) -> tuple[Finding, ...]:
    """Every finding about this machine, this user's settings and the work tree around `folder`."""
    findings = [judge_python(sys.version_info[:2]), judge_platform(sys.platform), examine_git()]
    try:
        settings = read_settings(environment)
    except UnlostError as error:
        findings.append(Finding(name="settings", level="problem", message=error.message, hint=error.hint))
    else:
        findings += [Finding(name="settings", level="ok", message="read"), *examine_state_home(settings)]
        findings.append(judge_place(settings))
    return (*findings, examine_workspace(folder), *map(judge_agent, find_agents()), examine_sandbox())


def is_healthy(findings: tuple[Finding, ...]) -> bool:
    """Whether nothing stands in the way; warnings do not."""
    return all(finding.level != "problem" for finding in findings)


def examine_sandbox() -> Finding:
    """What stands between an agent and the rest of this machine, and whether a plan can ask for more."""
    level = "none by default: an agent with your user id can read and change what you can, unlost's own state included"
    try:
        require_sandbox()
    except UsageError as error:
        why = error.message.removesuffix("; nothing was started")
        return Finding(name="sandbox", level="ok", message=f"{level}; {why}", hint=error.hint)
    return Finding(name="sandbox", level="ok", message=f'{level}; `sandbox = "bwrap"` works here')


def judge_agent(agent: FoundAgent) -> Finding:
    """An agent that is not there, or of another version, stands in nobody's way: it is told."""
    if not agent.is_there:
        return Finding(name=agent.name, level="ok", message="not installed", hint=f"npm install -g {agent.package}")
    if agent.version == agent.tested:
        return Finding(name=agent.name, level="ok", message=f"{agent.version}, the version that is tested")
    told = agent.version or "its version cannot be told"
    return Finding(name=agent.name, level="ok", message=f"{told}; tested with {agent.tested}")


def judge_python(version: tuple[int, ...]) -> Finding:
    """Whether this Python is new enough."""
    text = ".".join(map(str, version))
    if version >= OLDEST_PYTHON:
        return Finding(name="python", level="ok", message=text)
    return Finding(name="python", level="problem", message=f"{text} is too old", hint="install Python 3.11 or later")


def judge_platform(platform: str) -> Finding:
    """Whether unlost is made for this operating system."""
    if platform in {"linux", "darwin"}:
        return Finding(name="system", level="ok", message=platform)
    return Finding(name="system", level="warning", message=f"{platform} is not tested; Linux and macOS are")


def examine_git() -> Finding:
    """Whether git is there and new enough."""
    need = ".".join(map(str, MINIMUM))
    try:
        version = installed_version()
    except UnlostError as error:
        return Finding(name="git", level="problem", message=error.message, hint=error.hint)
    text = ".".join(map(str, version))
    if version >= MINIMUM:
        return Finding(name="git", level="ok", message=text)
    return Finding(name="git", level="problem", message=f"{text} is too old", hint=f"install git {need} or later")


def examine_state_home(settings: Settings) -> tuple[Finding, ...]:
    """Whether the state home can be written, is private, lasts, and has room."""
    home = settings.home
    place = _nearest_folder(home)
    if not os.path.isdir(place) or not os.access(place, os.W_OK | os.X_OK):
        hint = "set UNLOST_HOME to a folder that you may write to"
        return (Finding(name="state home", level="problem", message="cannot be written", hint=hint, place=home),)
    kind = filesystem_of(place, _mounts())
    return (judge_private(home), judge_filesystem(kind), judge_room(_free_bytes(place), size_of(home)))


def judge_private(home: str) -> Finding:
    """Whether the state home is closed to others; it holds the content of every snapshot."""
    try:
        mode = os.stat(home).st_mode & 0o077
    except FileNotFoundError:
        return Finding(name="state home", level="ok", message="will be made on first use", place=home)
    if not mode:
        return Finding(name="state home", level="ok", message="writable and private", place=home)
    hint = "`chmod 700` closes it"
    return Finding(name="state home", level="warning", message="open to other users", hint=hint, place=home)


def judge_filesystem(kind: str | None) -> Finding:
    """Whether what is written to the state home outlives a reboot, and whether locks work there."""
    hint = "set UNLOST_HOME to a folder on a local disk"
    if kind in _DOUBTFUL:
        return Finding(name="file system", level="warning", message=f"{kind}: {_DOUBTFUL[kind]}", hint=hint)
    return Finding(name="file system", level="ok", message=kind or "not told by this system")


def judge_room(free: int, kept: int) -> Finding:
    """Whether there is room for snapshots, and how many bytes are there only because of unlost."""
    text = f"{free / (1 << 30):.1f} GiB free, {kept / (1 << 20):,.1f} MiB kept by unlost"
    if free >= _LEAST_FREE:
        return Finding(name="room", level="ok", message=text)
    return Finding(name="room", level="warning", message=f"only {text}", hint="free some disk space")


def judge_place(settings: Settings) -> Finding:
    """What this machine is called in the ledger, and whether snapshots can go to a store that other places share."""
    # The address itself may carry a password.
    if settings.store is None:
        return Finding(name="place", level="ok", message=f"{settings.place}; no shared store (UNLOST_STORE)")
    return Finding(name="place", level="ok", message=f"{settings.place}; a shared store is set")


def examine_workspace(folder: str) -> Finding:
    """Whether a git work tree that unlost can take is here."""
    try:
        repository = discover(os.path.abspath(folder))
    except UnlostError as error:
        return Finding(name="workspace", level="warning", message=error.message, hint=error.hint)
    if holds_our_lock(repository):
        told = "a commit of a unit is being made here, or was interrupted and still holds .git/index.lock"
        return Finding(name="workspace", level="warning", message=told, hint="unlost resume", place=repository.root)
    return Finding(name="workspace", level="ok", message="a git work tree", place=repository.root)


def filesystem_of(path: str, mounts: str) -> str | None:
    """The kind of file system that holds `path`, from the text of Linux's mountinfo; None when it does not tell."""
    best, kind = -1, None
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if not separator or len(fields) < 5:
            continue
        point = _unescaped(fields[4])
        if (path + "/").startswith(point.rstrip("/") + "/") and len(point) >= best:
            best, kind = len(point), after.split(" ")[0]
    return kind


def _unescaped(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def _mounts() -> str:
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _nearest_folder(path: str) -> str:
    """The path itself, or the nearest folder above it that exists."""
    path = os.path.realpath(path)
    while not os.path.exists(path) and path != "/":
        path = os.path.dirname(path)
    return path


def _free_bytes(path: str) -> int:
    room = os.statvfs(path)
    return room.f_bavail * room.f_frsize
