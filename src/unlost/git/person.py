"""What a person's git goes by in a repository, read as data: who commits, which hooks stand there, which remotes.

System, global and repository settings in git's own order, with `include` and `includeIf "gitdir:…"` of the person's
own files. Nothing that a setting names is run or followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.git.configuration import Settings, expand_home, read_settings
from unlost.git.repository import Repository
from unlost.host.environment import home_folder, variable

COMMIT_HOOKS: Final = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
"""The hooks of a commit, in the order in which git runs them."""

_SYSTEM: Final = "/etc/gitconfig"
_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_CONDITION: Final = re.compile(r"includeif\.(gitdir(?:/i)?):(.*)\.path", re.DOTALL)
_UNFIT: Final = re.compile(r"[<>\x00-\x1f]")
_LOCAL: Final = ("config", "config.worktree")


@dataclass(frozen=True, kw_only=True)
class Person:
    """Author and committer as a commit names them."""

    author: str
    author_email: str
    committer: str
    committer_email: str

    def variables(self) -> dict[str, str]:
        """The same for a git process."""
        return {
            "GIT_AUTHOR_NAME": self.author,
            "GIT_AUTHOR_EMAIL": self.author_email,
            "GIT_COMMITTER_NAME": self.committer,
            "GIT_COMMITTER_EMAIL": self.committer_email,
        }


def settings_in(repository: Repository) -> dict[str, str]:
    """Every setting that holds in a work tree, the strongest last."""
    return {**persons_settings(repository), **repository_settings(repository)}


def persons_settings(repository: Repository, asked: list[str] | None = None) -> dict[str, str]:
    """What the person's own files and the system's say for this repository; `asked` gains every file that was read."""
    found: dict[str, str] = {}
    home = home_folder()
    for path in persons_files():
        own = read_settings(path, home=home, asked=asked)
        found.update(own)
        for included in _conditional(own, path, home, repository):
            found.update(read_settings(included, home=home, asked=asked))
    return found


def repository_settings(repository: Repository) -> dict[str, str]:
    """The settings of the repository alone."""
    found = read_settings(os.path.join(repository.common_dir, _LOCAL[0]))
    if is_true(found.get("extensions.worktreeconfig")):
        found.update(read_settings(os.path.join(repository.git_dir, _LOCAL[1])))
    return found


def person_of(settings: Settings) -> Person | None:
    """Who commits by these settings and this process's own environment; None when nothing says so."""
    found = {
        (role, what): variable(f"GIT_{role.upper()}_{what.upper()}")
        or settings.get(f"{role}.{what}")
        or settings.get(f"user.{what}")
        or (variable("EMAIL") if what == "email" else None)
        for role in ("author", "committer")
        for what in ("name", "email")
    }
    cleaned = {key: _UNFIT.sub("", value or "").strip() for key, value in found.items()}
    if not all(cleaned.values()):
        return None
    return Person(
        author=cleaned["author", "name"],
        author_email=cleaned["author", "email"],
        committer=cleaned["committer", "name"],
        committer_email=cleaned["committer", "email"],
    )


def hooks_folder(settings: Settings, repository: Repository) -> str:
    """Where git would look for hooks."""
    named = settings.get("core.hookspath")
    if not named:
        return os.path.join(repository.common_dir, "hooks")
    return os.path.join(repository.root, expand_home(named, home_folder()))


def commit_hooks(folder: str) -> dict[str, str]:
    """The commit hooks that git would run, name to path."""
    found = {name: os.path.join(folder, name) for name in COMMIT_HOOKS}
    return {name: path for name, path in found.items() if os.path.isfile(path) and os.access(path, os.X_OK)}


def push_addresses(settings: Settings) -> dict[str, str]:
    """Where each remote is pushed to: its name and `pushurl`, else `url`."""
    found: dict[str, str] = {}
    for kind in ("url", "pushurl"):
        for key, value in settings.items():
            if key.startswith("remote.") and key.endswith(f".{kind}"):
                found[key.removeprefix("remote.").removesuffix(f".{kind}")] = value
    return found


def is_true(value: str | None) -> bool:
    """Whether git reads a value as true."""
    return value is not None and value.lower() in _TRUE


def persons_files() -> tuple[str, ...]:
    """The configuration files outside the repository that git reads, the strongest last; they may be missing."""
    system = () if variable("GIT_CONFIG_NOSYSTEM") else (_SYSTEM,)
    alone = variable("GIT_CONFIG_GLOBAL")
    if alone is not None:
        return (*system, alone)
    home = home_folder()
    folder = variable("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return (*system, os.path.join(folder, "git", "config"), os.path.join(home, ".gitconfig"))


def _conditional(settings: Mapping[str, str], path: str, home: str, repository: Repository) -> list[str]:
    """The files that a person's own file includes for repositories like this one."""
    found = []
    for key, value in settings.items():
        condition = _CONDITION.fullmatch(key)
        if condition and _is_at(condition[2], path, home, repository, ignore_case=condition[1].endswith("/i")):
            found.append(os.path.join(os.path.dirname(path), expand_home(value, home)))
    return found


def _is_at(pattern: str, path: str, home: str, repository: Repository, *, ignore_case: bool) -> bool:
    pattern = expand_home(pattern, home)
    if pattern.startswith("./"):
        pattern = os.path.join(os.path.dirname(path), pattern[2:])
    elif not pattern.startswith("/"):
        pattern = f"**/{pattern}"
    if pattern.endswith("/"):
        pattern += "**"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    regex = "".join(meaning.get(part) or re.escape(part) for part in parts)
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    return any(
        re.fullmatch(regex, place, flags) for place in (repository.git_dir, os.path.realpath(repository.git_dir))
    )
