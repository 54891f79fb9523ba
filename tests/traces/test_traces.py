"""Traces of content in real repositories, found without git opening any of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.repository import Repository

from unlost.facts.trees import REGULAR, Entry
from unlost.git.formats import SHA1
from unlost.git.repository import discover
from unlost.traces.dangling import dangling_commits, unreachable
from unlost.traces.elsewhere import elsewhere
from unlost.traces.facts import Elsewhere
from unlost.traces.history import only_reachable_from, reachable, versions
from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries
from unlost.traces.stashes import dropped_stashes, stash_entries

EDIT = b"fn main() {\n    parse_all();\n}\n"


def blob(content: bytes) -> Entry:
    return Entry(REGULAR, SHA1.name_of(b"blob", content))


@pytest.fixture
def look(repository: Repository, tmp_path: Path) -> Iterator[Inspection]:
    """A look that is opened by the test itself, after it has played what happened."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    yield Inspection(discover(str(repository.root)), scratch=str(scratch))
    assert list(scratch.iterdir()) == []


def found(repository: Repository, tmp_path: Path, path: bytes, content: bytes) -> Elsewhere:
    scratch = tmp_path / "looks"
    scratch.mkdir(exist_ok=True)
    with Inspection(discover(str(repository.root)), scratch=str(scratch)) as inspection:
        return elsewhere(inspection, {path: blob(content)}).get(path, Elsewhere())


def test_an_edit_that_was_never_staged_is_nowhere(repository: Repository, tmp_path: Path) -> None:
    """H.20: git holds nothing of an uncommitted edit, and no reflog line makes it otherwise."""
    repository.write("main.rs", EDIT)
    repository.git("checkout", "--", "main.rs")

    assert found(repository, tmp_path, b"main.rs", EDIT) == Elsewhere()


def test_stashes_are_found_with_their_untracked_files(repository: Repository, tmp_path: Path) -> None:
    """H.13, H.19: several stashes, each by its number; untracked parts of `stash -u` are part of what they hold."""
    repository.write("main.rs", EDIT)
    repository.write("new.txt", "new\n")
    repository.git("stash", "-u")
    repository.write("lib.rs", "second\n")
    repository.git("stash")
    scratch = tmp_path / "s"
    scratch.mkdir()

    with Inspection(discover(str(repository.root)), scratch=str(scratch)) as inspection:
        stashes = stash_entries(inspection)

    assert [stash.name for stash in stashes] == ["stash@{0}", "stash@{1}"]
    assert dict(stashes[0].changed) == {b"lib.rs": blob(b"second\n")}
    assert dict(stashes[1].changed) == {b"main.rs": blob(EDIT), b"new.txt": blob(b"new\n")}
    assert stashes[1].untracked == {b"new.txt"}
    assert stashes[1].branch == "main"
    assert found(repository, tmp_path, b"new.txt", b"new\n").refs == {"stash": "stash@{1}"}


def test_a_dropped_stash_is_dangling(repository: Repository, tmp_path: Path) -> None:
    """A dropped stash is recognised by its shape and its contents are found as dangling."""
    repository.write("main.rs", EDIT)
    repository.git("stash")
    commit = repository.git("rev-parse", "stash@{0}")
    repository.git("stash", "drop")
    scratch = tmp_path / "s"
    scratch.mkdir()

    with Inspection(discover(str(repository.root)), scratch=str(scratch)) as inspection:
        dropped = dropped_stashes(inspection, unreachable(inspection).commits)

    assert [stash.commit for stash in dropped] == [commit]
    assert found(repository, tmp_path, b"main.rs", EDIT).refs == {"dangling": commit}


def test_a_reset_commit_is_in_the_reflog(repository: Repository, tmp_path: Path) -> None:
    """H.T7: after `reset --hard HEAD~1` the commit is found by the reflog; without reflog it is dangling."""
    repository.write("main.rs", EDIT)
    commit = repository.commit("work")
    repository.git("reset", "-q", "--hard", "HEAD~1")
    assert found(repository, tmp_path, b"main.rs", EDIT).refs == {"reflog": commit}

    repository.git("reflog", "expire", "--expire=now", "--all")

    assert found(repository, tmp_path, b"main.rs", EDIT).refs == {"dangling": commit}


def test_a_staged_and_reset_edit_is_a_dangling_blob(repository: Repository, tmp_path: Path) -> None:
    """An edit that was staged and then reset survives only as a dangling blob, and is found as one."""
    repository.write("main.rs", EDIT)
    repository.git("add", "main.rs")
    assert found(repository, tmp_path, b"main.rs", EDIT).places == ("index",)

    repository.git("reset", "-q", "--hard")

    assert found(repository, tmp_path, b"main.rs", EDIT).refs == {"dangling": blob(EDIT).oid}


def test_branches_remotes_and_history_are_told_apart(repository: Repository, tmp_path: Path) -> None:
    """Content of an older commit is history, that of a remote branch alone is remote."""
    first = repository.git("rev-parse", "HEAD")
    repository.write("main.rs", EDIT)
    second = repository.commit("second")
    repository.git("update-ref", "refs/remotes/origin/topic", second)
    repository.git("reset", "-q", "--hard", first)
    repository.git("reflog", "expire", "--expire=now", "--all")

    assert found(repository, tmp_path, b"main.rs", EDIT).refs == {"remote": second}
    original = b"fn main() {\n    legacy_parse();\n}\n"
    assert "history" in found(repository, tmp_path, b"main.rs", original).places


def test_another_work_tree_is_looked_into(repository: Repository, tmp_path: Path) -> None:
    """The same path in a linked work tree is found by its bytes, committed or not."""
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "topic")
    (tmp_path / "linked" / "main.rs").write_bytes(EDIT)

    assert found(repository, tmp_path, b"main.rs", EDIT).places == ("worktree",)


def test_exotic_names_are_literal(repository: Repository, tmp_path: Path) -> None:
    """A path that looks like a pattern, with a newline and a byte that is not UTF-8, is asked for literally."""
    name = b"*[x]\n\xff.txt"
    (repository.root / "ab.txt").write_bytes(b"other\n")
    with open(bytes(repository.root) + b"/" + name, "wb") as file:
        file.write(EDIT)
    repository.commit("odd")

    assert found(repository, tmp_path, name, EDIT).places == ("index", "history")


def test_unmerged_sides_stand_in_the_index(repository: Repository, look: Inspection) -> None:
    """All sides of a conflict are read from the index."""
    repository.git("switch", "-q", "-c", "other")
    repository.write("lib.rs", "other side\n")
    repository.commit("other")
    repository.git("switch", "-q", "main")
    repository.write("lib.rs", "our side\n")
    repository.commit("ours")
    repository.git("merge", "other", check=False)

    with look:
        sides = staged_entries(look)[b"lib.rs"]

    assert {blob(b"other side\n"), blob(b"our side\n")} <= set(sides)


def test_reachability_is_decided_by_live_refs(repository: Repository, tmp_path: Path) -> None:
    """A commit that a branch reaches is reachable; one that only the reflog names is not, nor is a missing one."""
    first = repository.git("rev-parse", "HEAD")
    repository.write("main.rs", EDIT)
    second = repository.commit("second")
    repository.git("reset", "-q", "--hard", first)
    scratch = tmp_path / "s"
    scratch.mkdir()

    with Inspection(discover(str(repository.root)), scratch=str(scratch)) as look:
        tips = list(look.live_tips.values())
        assert reachable(look, {first, second, "f" * 40}, tips) == {first}
        assert only_reachable_from(look, [second], tips) == (second,)
        assert versions(look, [b"main.rs"], [second])[0].entry == blob(EDIT)
        assert [each.subject for each in dangling_commits(look, unreachable(look).commits)] == ["second"]


def test_looking_changes_nothing_and_runs_nothing(repository: Repository, tmp_path: Path) -> None:
    """Nothing in `.git` changes, and no program that the repository configures runs."""
    alarm = tmp_path / "alarm"
    for key in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "gpg.program"):
        repository.git("config", key, f"touch {alarm}")
    repository.git("config", "log.showSignature", "true")
    repository.write(".gitattributes", "* diff=x\n")
    repository.git("config", "diff.x.textconv", f"touch {alarm};cat")
    repository.write("main.rs", EDIT)
    repository.git("-c", "core.fsmonitor=false", "stash")
    alarm.unlink(missing_ok=True)
    before = repository.outside_objects()

    assert found(repository, tmp_path, b"main.rs", EDIT).places == ("stash",)

    assert repository.outside_objects() == before
    assert not alarm.exists()


@pytest.mark.parametrize("damage", ["ref to nothing", "torn index", "torn reflog"])
def test_damage_narrows_the_answer_and_raises_nothing(damage: str, repository: Repository, tmp_path: Path) -> None:
    """A repository with a dangling ref, a torn index or a torn reflog still answers from what is whole."""
    repository.write("main.rs", EDIT)
    repository.git("stash")
    if damage == "ref to nothing":
        repository.write(".git/refs/heads/broken", "d" * 40 + "\n")
    elif damage == "torn index":
        repository.write(".git/index", b"DIRC\0\0\0\2")
    else:
        with (repository.root / ".git/logs/refs/stash").open("ab") as log:
            log.write(b"\0\0\0\0 not a line")

    assert found(repository, tmp_path, b"main.rs", EDIT).places == ("stash",)
