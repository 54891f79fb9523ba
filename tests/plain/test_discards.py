"""Recognising commands that discard work: the spellings agents use, and ordinary commands left alone."""

from __future__ import annotations

import pytest

from unlost.plain.discards import Discard, find_discards


def discards(text: str) -> tuple[Discard, ...]:
    return find_discards(text, is_path=lambda word: word in ("main.rs", "src", "a b.txt"))


@pytest.mark.parametrize(
    ("text", "kind", "paths"),
    [
        ("git checkout -- main.rs", "files", ("main.rs",)),
        ("git checkout main.rs", "files", ("main.rs",)),
        ("git checkout HEAD~1 -- 'a b.txt' src", "files", ("a b.txt", "src")),
        ("git checkout .", "files", (".",)),
        ("git checkout -f", "tree", ()),
        ("git checkout --theirs main.rs", "files", ("main.rs",)),
        ("git restore main.rs", "files", ("main.rs",)),
        ("git restore --staged --worktree src", "files", ("src",)),
        ("git restore -SW .", "files", (".",)),
        ("git reset --hard", "tree", ()),
        ("git reset --hard HEAD~3", "tree", ()),
        ("git clean -fdx", "untracked", ()),
        ("git clean --force src", "untracked", ("src",)),
        ("git stash", "tree", ()),
        ("git stash push -u", "tree", ()),
        ("git stash drop", "stash", ()),
        ("git stash clear", "stash", ()),
        ("git switch -f main", "tree", ()),
        ("git switch --discard-changes main", "tree", ()),
        ("git push --force", "history", ()),
        ("git push origin +main", "history", ()),
        ("git push --force-with-lease origin main", "history", ()),
        ("git branch -D topic", "history", ()),
        ("git worktree remove --force ../wt", "removal", ("../wt",)),
        ("git rm -rf src", "files", ("src",)),
        ("rm -rf src", "removal", ("src",)),
        ("rm -r -f -- src", "removal", ("src",)),
        ("find . -name '*.rs' -delete", "removal", (".",)),
    ],
)
def test_discarding_commands_are_recognised(text: str, kind: str, paths: tuple[str, ...]) -> None:
    """Each of these throws work away, and what it names is told."""
    found = discards(text)

    assert [(each.kind, each.paths) for each in found] == [(kind, paths)]


@pytest.mark.parametrize(
    "text",
    [
        "/usr/bin/git checkout -- main.rs",
        "git -c core.pager=cat checkout -- main.rs",
        "git -C sub --no-pager checkout -- main.rs",
        "git --git-dir .git checkout -- main.rs",
        "bash -c 'git checkout -- main.rs'",
        'bash -lc "cd src && git checkout -- main.rs"',
        "sh -c \"sh -c 'git checkout -- main.rs'\"",
        "sudo -u bob git checkout -- main.rs",
        "env GIT_PAGER=cat git checkout -- main.rs",
        "GIT_PAGER=cat git checkout -- main.rs",
        "timeout 5 git checkout -- main.rs",
        "make || git checkout -- main.rs",
        "if ! make; then git checkout -- main.rs; fi",
        "echo $(git checkout -- main.rs)",
        "echo `git checkout -- main.rs`",
        'echo "done $(git checkout -- main.rs)"',
        "(cd src; git checkout -- main.rs)",
        "git status\ngit checkout -- main.rs\n",
        "git checkout \\\n  -- main.rs",
        "nohup git checkout -- main.rs > /dev/null 2>&1 &",
        "eval 'git checkout -- main.rs'",
        "ls | xargs -n 1 git checkout -- main.rs",
        "{ git checkout -- main.rs; }",
    ],
)
def test_no_spelling_hides_it(text: str) -> None:
    """Shells, options of git, absolute paths, carriers, lists and substitutions are looked into."""
    assert [(each.kind, each.paths) for each in discards(text)] == [("files", ("main.rs",))]


@pytest.mark.parametrize(
    "text",
    [
        "git status",
        "git checkout topic",
        "git checkout -b topic",
        "git checkout --detach HEAD~1",
        "git switch topic",
        "git restore --staged main.rs",
        "git reset main.rs",
        "git reset --soft HEAD~1",
        "git clean -n",
        "git clean -nfd",
        "git stash list",
        "git stash pop",
        "git stash apply",
        "git push",
        "git push origin main",
        "git branch -d merged",
        "git rm --cached -f main.rs",
        "rm notes.txt",
        "rm -f build.log",
        "echo 'git checkout -- main.rs'",
        "echo git checkout -- main.rs",
        "grep -r 'git reset --hard' docs",
        "git commit -m 'never git reset --hard'",
        "git log -- main.rs",
        "cargo clean",
        "# git checkout -- main.rs",
        "",
    ],
)
def test_ordinary_commands_pass(text: str) -> None:
    """Commands that keep all work, and texts that only talk of discarding, are no discards."""
    assert discards(text) == ()


def test_the_folder_of_a_git_call_is_told() -> None:
    """`git -C DIR` names the folder that the paths are relative to."""
    assert discards("git -C sub checkout -- main.rs")[0].folder == "sub"


def test_what_cannot_be_read_is_unclear_when_it_looks_like_one() -> None:
    """Unbalanced quotes fail closed for what looks like a discard and pass for all else."""
    assert [each.kind for each in discards("git checkout -- 'main.rs")] == ["unclear"]
    assert discards("echo 'hello") == ()
