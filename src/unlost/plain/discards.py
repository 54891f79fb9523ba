"""Recognise commands that throw away work which is nowhere else: a pure rule over the text of a command.

It knows the spellings that agents use (through shells, `git -c`, absolute paths); it can never know all of them, so a
snapshot is the guarantee and this is a courtesy: it makes the moment before the accident a good one to save.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from unlost.plain.shell_text import NotUnderstood, Words, simple_commands

DiscardKind = Literal["files", "tree", "untracked", "stash", "history", "removal", "unclear"]
"""What is thrown away: named files, every change, untracked files, stash entries, commits elsewhere, whole paths."""

IsPath = Callable[[str], bool]
"""Whether a word names something in the work tree, for `git checkout WORD`."""

_GIT_VALUED: Final = frozenset(
    {
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "--exec-path",
        "--super-prefix",
        "--config-env",
        "--attr-source",
    }
)
_CHECKOUT_VALUED: Final = frozenset({"-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"})
_SUSPICIOUS: Final = re.compile(
    r"\bgit\b[^\n]*\b(?:checkout|restore|reset|clean|stash|switch)\b|\brm\s+-\w*r", re.IGNORECASE
)


class Discard(NamedTuple):
    """One command that discards; `paths` are as written, empty for "all of it". `folder` is that of `git -C`."""

    kind: DiscardKind
    command: str
    paths: Words = ()
    folder: str | None = None


def find_discards(text: str, *, is_path: IsPath) -> tuple[Discard, ...]:
    """Every discarding command in a shell text, in the order they would run.

    Text that cannot be taken apart but looks like one gives a single `unclear` discard.
    """
    try:
        found = [discard for words in simple_commands(text) if (discard := _discard(words, is_path)) is not None]
    except NotUnderstood:
        if _SUSPICIOUS.search(text):
            return (Discard(kind="unclear", command=text.strip()[:200]),)
        return ()
    return tuple(found)


def _discard(words: Words, is_path: IsPath) -> Discard | None:
    name = os.path.basename(words[0])
    if name in ("git", "git.exe"):
        return _of_git(words, is_path)
    if name == "rm":
        return _of_rm(words)
    if name == "find" and ("-delete" in words or ("rm" in words and {"-exec", "-execdir"} & set(words))):
        return Discard(kind="removal", command=_shown(words), paths=words[1:2])
    return None


def _of_git(words: Words, is_path: IsPath) -> Discard | None:
    folder, position = None, 1
    while position < len(words) and words[position].startswith("-"):
        word = words[position]
        if word == "-C" and position + 1 < len(words):
            folder = words[position + 1]
        position += 2 if word in _GIT_VALUED else 1
    if position >= len(words):
        return None
    rule = _GIT_RULES.get(words[position])
    kind_and_paths = rule(words[position + 1 :], is_path) if rule else None
    if kind_and_paths is None:
        return None
    kind, paths = kind_and_paths
    return Discard(kind=kind, command=_shown(words), paths=paths, folder=folder)


Verdict = tuple[DiscardKind, Words] | None


def _checkout(rest: Words, is_path: IsPath) -> Verdict:
    options, plain, after = _sorted_out(rest, _CHECKOUT_VALUED)
    if after is not None:
        return ("files", after) if after else None
    if options & {"-f", "--force", "-p", "--patch"}:
        return "tree", ()
    if options & {"-b", "-B", "--orphan", "--detach", "-d", "--track", "-t"}:
        return None
    if options & {"--ours", "--theirs", "--pathspec-from-file"}:
        return "files", plain
    # `git checkout WORD…`: paths when they name something here, else a branch, which git switches to only when no
    # uncommitted change is in the way.
    paths = tuple(word for word in plain if word in (".", ":/") or is_path(word))
    return ("files", paths) if paths else None


def _restore(rest: Words, _is_path: IsPath) -> Verdict:
    options, plain, after = _sorted_out(rest, frozenset({"-s", "--source", "--conflict", "--pathspec-from-file"}))
    staged = options & {"-S", "--staged"}
    if staged and not options & {"-W", "--worktree"}:
        return None
    return "files", (*plain, *(after or ()))


def _reset(rest: Words, _is_path: IsPath) -> Verdict:
    options, _, _ = _sorted_out(rest, frozenset({"--pathspec-from-file"}))
    return ("tree", ()) if options & {"--hard", "--merge"} else None


def _clean(rest: Words, _is_path: IsPath) -> Verdict:
    options, plain, after = _sorted_out(rest, frozenset({"-e", "--exclude"}))
    if options & {"-n", "--dry-run"} or not options & {"-f", "--force"}:
        return None
    return "untracked", (*plain, *(after or ()))


def _stash(rest: Words, _is_path: IsPath) -> Verdict:
    action = next((word for word in rest if not word.startswith("-")), "push")
    if action in ("drop", "clear"):
        return "stash", ()
    return ("tree", ()) if action in ("push", "save") else None


def _switch(rest: Words, _is_path: IsPath) -> Verdict:
    options, _, _ = _sorted_out(rest, frozenset({"-c", "-C", "--orphan", "--conflict"}))
    return ("tree", ()) if options & {"-f", "--force", "--discard-changes"} else None


def _push(rest: Words, _is_path: IsPath) -> Verdict:
    options, plain, _ = _sorted_out(rest, frozenset({"-o", "--push-option", "--repo", "--receive-pack"}))
    forced = options & {"-f", "--force", "--mirror", "--delete", "-d", "--prune"}
    leased = any(word.startswith(("--force-with-lease", "--force-if-includes")) for word in rest)
    refspecs = any(word.startswith(("+", ":")) for word in plain[1:])
    return ("history", ()) if forced or leased or refspecs else None


def _branch(rest: Words, _is_path: IsPath) -> Verdict:
    options, _, _ = _sorted_out(rest, frozenset({"-u", "--set-upstream-to", "--sort", "--format"}))
    forced = "-D" in options or (options & {"-d", "--delete"} and options & {"-f", "--force"})
    return ("history", ()) if forced else None


def _worktree(rest: Words, _is_path: IsPath) -> Verdict:
    forced = any(word in ("-f", "--force") for word in rest)
    return (
        ("removal", tuple(word for word in rest[1:] if word[:1] != "-")) if rest[:1] == ("remove",) and forced else None
    )


def _git_rm(rest: Words, _is_path: IsPath) -> Verdict:
    options, plain, after = _sorted_out(rest, frozenset({"--pathspec-from-file"}))
    forced = options & {"-f", "--force"} and "--cached" not in options
    return ("files", (*plain, *(after or ()))) if forced else None


def _checkout_index(rest: Words, _is_path: IsPath) -> Verdict:
    options, plain, after = _sorted_out(rest, frozenset())
    return ("files", (*plain, *(after or ()))) if options & {"-f", "--force"} else None


def _read_tree(rest: Words, _is_path: IsPath) -> Verdict:
    options, _, _ = _sorted_out(rest, frozenset())
    return ("tree", ()) if "--reset" in options and "-u" in options else None


_GIT_RULES: Final[dict[str, Callable[[Words, IsPath], Verdict]]] = {
    "checkout": _checkout,
    "restore": _restore,
    "reset": _reset,
    "clean": _clean,
    "stash": _stash,
    "switch": _switch,
    "push": _push,
    "branch": _branch,
    "worktree": _worktree,
    "rm": _git_rm,
    "checkout-index": _checkout_index,
    "read-tree": _read_tree,
}


def _of_rm(words: Words) -> Discard | None:
    options, plain, after = _sorted_out(words[1:], frozenset())
    if not options & {"-r", "-R", "--recursive"}:
        return None
    return Discard(kind="removal", command=_shown(words), paths=(*plain, *(after or ())))


def _sorted_out(words: Words, valued: frozenset[str]) -> tuple[set[str], Words, Words | None]:
    """(options, short ones one by one; plain words; words after `--`, None without one)."""
    options: set[str] = set()
    plain: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--":
            return options, tuple(plain), words[position + 1 :]
        if word.startswith("--"):
            options.add(word.partition("=")[0])
        elif word.startswith("-") and len(word) > 1:
            options |= {f"-{letter}" for letter in word[1:]}
        else:
            plain.append(word)
        position += 2 if word in valued else 1
    return options, tuple(plain), None


def _shown(words: Words) -> str:
    return " ".join(words)[:200]
