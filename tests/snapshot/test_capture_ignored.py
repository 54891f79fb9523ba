"""Ignored files: precious ones are private, forced ones are captured like all others, rebuildable ones are left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.captures import Captures

from unlost.facts.paths import REBUILDABLE
from unlost.host.environment import home_folder
from unlost.snapshot.facts import Incomplete, Limits


@pytest.fixture
def ignoring(captures: Captures) -> Captures:
    """A repository that ignores `*.key`, `.env` and `node_modules/`."""
    captures.repository.write(".gitignore", "*.key\n.env\nnode_modules/\n")
    captures.repository.commit("ignore")
    return captures


def test_precious_files_are_private(ignoring: Captures) -> None:
    """Small ignored files go into the private tree, at any depth, and not into the snapshot that may be shipped."""
    ignoring.repository.write(".env", "SECRET=1\n")
    ignoring.repository.write("deep/er/x.key", "key\n")
    ignoring.repository.write("node_modules/a/b.js", "js\n")
    ignoring.repository.write("big.key", b"x" * ((1 << 20) + 1))

    snapshot = ignoring.capture()

    assert ignoring.files(snapshot.private).keys() == {b".env", b"deep/er/x.key"}
    assert b".env" not in ignoring.files(snapshot.tree)
    assert snapshot.incomplete == ()


def test_every_rebuildable_folder_is_left_out(captures: Captures) -> None:
    """What a tool can make again is not precious."""
    captures.repository.write(".gitignore", "\n".join(name.decode() for name in REBUILDABLE))
    for name in REBUILDABLE:
        captures.repository.write(f"{name.decode()}/file", "made\n")
        captures.repository.write(f"sub/{name.decode()}/file", "made\n")

    assert captures.capture().private is None


def test_edit_of_a_secret_is_a_new_snapshot(ignoring: Captures) -> None:
    """A changed, added or removed private file makes a new snapshot whose tree is the same."""
    ignoring.repository.write(".env", "SECRET=1\n")
    first = ignoring.capture()
    ignoring.repository.write(".env", "SECRET=2\n")
    second = ignoring.capture()
    ignoring.repository.write("b.key", "b\n")
    third = ignoring.capture()
    ignoring.repository.remove(".env")
    ignoring.repository.remove("b.key")
    fourth = ignoring.capture()

    assert len({first.tree, second.tree, third.tree, fourth.tree}) == 1
    assert len({first.id, second.id, third.id, fourth.id}) == 4
    assert fourth.private is None
    with ignoring.archive() as archive:
        entry = archive.entry(str(first.private), b".env")
        assert entry is not None
        assert archive.content(entry.oid) == b"SECRET=1\n"


def test_forced_files_are_captured_like_others(ignoring: Captures) -> None:
    """An ignored file that the person put under version control is no secret, also inside a rebuildable folder."""
    repository = ignoring.repository
    ignoring.capture()
    repository.write("forced.key", "forced\n")
    repository.write("node_modules/forced.js", "js\n")
    repository.git("add", "-f", "forced.key", "node_modules/forced.js")

    snapshot = ignoring.capture()
    ignoring.prove(snapshot)
    assert {b"forced.key", b"node_modules/forced.js"} <= ignoring.files(snapshot.tree).keys()

    repository.git("rm", "-q", "--cached", "forced.key", "node_modules/forced.js")
    again = ignoring.capture()
    ignoring.prove(again)
    assert ignoring.files(again.private).keys() == {b"forced.key"}


def test_split_index(ignoring: Captures) -> None:
    """A split index of the person's is read as data, both halves."""
    repository = ignoring.repository
    repository.git("update-index", "--split-index")
    repository.write("forced.key", "forced\n")
    repository.git("add", "-f", "forced.key")

    snapshot = ignoring.capture()

    ignoring.prove(snapshot)
    assert b"forced.key" in ignoring.files(snapshot.tree)


def test_damaged_index_of_the_person(ignoring: Captures) -> None:
    """A damaged index of the person's is listed and costs nothing else."""
    index = ignoring.repository.root / ".git" / "index"
    index.write_bytes(b"DIRC" + index.read_bytes()[8:])
    ignoring.repository.write("new", "new\n")

    snapshot = ignoring.capture()

    assert snapshot.incomplete == (Incomplete(path=b".git/index", reason="unreadable"),)
    assert b"new" in ignoring.files(snapshot.tree)
    assert ignoring.capture().incomplete == snapshot.incomplete
    index.unlink()
    assert ignoring.capture().incomplete == ()


@pytest.mark.parametrize("place", ["exclude", "global", "configured", "relative", "included", "for this folder"])
def test_rules_outside_the_work_tree(captures: Captures, place: str) -> None:
    """`info/exclude` and the person's global ignore file, by default or by configuration, hide as in git.

    The configuration may name it relative to the root, in a file that it includes, or includes for this folder only.
    """
    repository, home = captures.repository, Path(home_folder())
    captures.repository.write("x.secret", "s\n")
    captures.repository.write("y.txt", "y\n")
    assert b"x.secret" in captures.files(captures.capture().tree)
    rules = {
        "exclude": repository.root / ".git" / "info" / "exclude",
        "global": home / ".config" / "git" / "ignore",
        "configured": home / "my ignores",
        "relative": repository.root / "my.ignores",
        "included": home / "my ignores",
        "for this folder": home / "my ignores",
    }[place]
    rules.parent.mkdir(parents=True, exist_ok=True)
    rules.write_text("*.secret\n")
    if place == "configured":
        repository.git("config", "--global", "core.excludesFile", "~/my ignores")
    if place == "relative":
        repository.git("config", "--global", "core.excludesFile", "my.ignores")
    if place in ("included", "for this folder"):
        key = "include.path" if place == "included" else f"includeIf.gitdir:{repository.root.parent}/.path"
        (home / "work.gitconfig").write_text('[core]\n\texcludesFile = "~/my ignores"\n')
        repository.git("config", "--global", key, "work.gitconfig")

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert captures.files(snapshot.private).keys() == {b"x.secret"}
    rules.write_text("")
    captures.prove(captures.capture())


def test_rule_that_comes_later_loses_nothing(captures: Captures) -> None:
    """A file captured before an ignore rule hides it stays captured, privately and whatever its size."""
    captures.repository.write("data.out", b"x" * (2 << 20))
    first = captures.capture()
    captures.repository.write(".gitignore", "*.out\n")

    second = captures.capture()

    assert b"data.out" not in captures.files(second.tree)
    assert captures.files(second.private)[b"data.out"] == captures.files(first.tree)[b"data.out"]
    third = captures.capture()
    assert third.private == second.private


def test_patterns_of_the_settings(ignoring: Captures) -> None:
    """`include_ignored` captures ignored files like others, `exclude_ignored` leaves them out."""
    ignoring.limits = Limits(include_ignored=("keys",), exclude_ignored=("**/*.log.key",))
    ignoring.repository.write("keys/a.key", b"x" * (2 << 20))
    ignoring.repository.write("b.key", "b\n")
    ignoring.repository.write("c.log.key", "c\n")

    snapshot = ignoring.capture()

    assert b"keys/a.key" in ignoring.files(snapshot.tree)
    assert ignoring.files(snapshot.private).keys() == {b"b.key"}


def test_too_many_ignored_files_are_said(ignoring: Captures) -> None:
    """Beyond the bound ignored files are left out, and the snapshot says so."""
    ignoring.limits = Limits(precious_count=10)
    for number in range(11):
        ignoring.repository.write(f"keys/{number}.key", "k\n")

    assert Incomplete(path=b".", reason="budget") in ignoring.capture().incomplete


def test_tracked_files_below_an_ignored_folder(captures: Captures) -> None:
    """Git's own untracked cache never looks into an ignored folder, even when files in it are tracked."""
    repository = captures.repository
    repository.write("build_out/tracked", "t\n")
    repository.commit("tracked")
    repository.write(".gitignore", "build_out/\n")
    repository.commit("ignored afterwards")
    captures.prove(captures.capture())
    captures.prove(captures.capture())
    repository.write("build_out/new", "n\n")
    repository.remove("build_out/tracked")

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert captures.files(snapshot.private).keys() == {b"build_out/new"}
