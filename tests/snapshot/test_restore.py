"""Restoring files: what differs comes back exactly, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.restoring import Workbench, changes_between

from unlost.facts.trees import EXECUTABLE, LINK, NESTED, Entry
from unlost.snapshot.restore import restore
from unlost.snapshot.steps import colliding_paths
from unlost.snapshot.wanted import Failure, RestoreFailed, Wanted


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.create(tmp_path / "bench")


def test_a_lost_edit_comes_back(bench: Workbench) -> None:
    """Content, exec bit and link type equal the snapshot's afterwards, and only what differed was written."""
    bench.write("main.rs", b"edited\n")
    bench.write("run.sh", b"#!/bin/sh\n", mode=0o755)
    os.symlink("main.rs", bench.root / "link")
    same = bench.write("same", b"same\n")
    then = bench.picture()
    before = same.stat()
    bench.write("main.rs", b"original\n")
    (bench.root / "run.sh").chmod(0o644)
    (bench.root / "link").unlink()
    placed = bench.restore(then)
    assert placed.restored == (b"link", b"main.rs", b"run.sh")
    assert (placed.already, placed.failed) == ((b"same",), ())
    assert bench.picture() == then
    assert same.stat() == before
    assert sorted(os.listdir(bench.root)) == ["link", "main.rs", "run.sh", "same"]
    assert os.listdir(bench.journals) == []


def test_rewind_removes_what_was_made_since(bench: Workbench) -> None:
    """A rewind makes the tree exactly what it was; folders that become empty go too."""
    bench.write("a", b"1")
    then = bench.picture()
    bench.write("new/deep/b", b"2")
    bench.write("a", b"3")
    placed = bench.restore(changes_between(bench.picture(), then))
    assert placed.restored == (b"a", b"new/deep/b")
    assert bench.picture() == then
    assert not (bench.root / "new").exists()


@pytest.mark.parametrize("reverse", [False, True], ids=["forth", "back"])
def test_files_folders_and_links_change_places(bench: Workbench, *, reverse: bool) -> None:
    """A file that became a folder, a folder that became a link, a link that became a file: all come back."""
    bench.write("one", b"file")
    bench.write("two/inner/x", b"x")
    bench.write("two/y", b"y")
    os.symlink("elsewhere", bench.root / "three")
    first = bench.picture()
    (bench.root / "one").unlink()
    bench.write("one/now/folder", b"f")
    for path in ("two/inner/x", "two/y"):
        (bench.root / path).unlink()
    (bench.root / "two/inner").rmdir()
    (bench.root / "two").rmdir()
    os.symlink("/nowhere", bench.root / "two")
    (bench.root / "three").unlink()
    bench.write("three", b"a file now")
    second = bench.picture()
    if reverse:
        bench.restore(changes_between(second, first))
        first, second = second, bench.picture()
    placed = bench.restore(changes_between(second, first))
    assert placed.failed == ()
    assert bench.picture() == first


def test_what_stands_in_the_way_is_displaced_only_when_it_was_kept(bench: Workbench) -> None:
    """A captured file where a folder must be makes room and is named; a folder with uncaptured files stays whole."""
    bench.write("d", b"a captured file")
    placed = bench.restore({b"d/f": bench.store.entry(b"f")})
    assert placed.restored == (b"d/f",)
    assert placed.displaced == (b"d",)
    bench.write("g/kept", b"1")
    kept = bench.picture()
    bench.write("g/ignored", b"nobody has this")
    placed = bench.restore({b"g": bench.store.entry(b"g")}, kept=kept)
    assert placed.failed == (Failure(path=b"g", reason="not_captured"),)
    assert sorted(os.listdir(bench.root / "g")) == ["ignored", "kept"]


def test_nothing_is_written_through_a_link(bench: Workbench, tmp_path: Path) -> None:
    """A parent that an agent replaced by a link to outside is refused when no snapshot holds it; outside is intact."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_bytes(b"victim")
    os.symlink(outside, bench.root / "d")
    placed = bench.restore({b"d/f": bench.store.entry(b"f"), b"d/g": None}, kept={})
    assert placed.failed == (Failure(path=b"d/f", reason="not_captured"),)
    assert placed.already == (b"d/g",)
    assert (outside / "f").read_bytes() == b"victim"
    assert os.listdir(outside) == ["f"]


def test_hard_links_keep_their_other_name(bench: Workbench, tmp_path: Path) -> None:
    """Replacing one name of a hard link leaves the file behind its other name alone."""
    other = tmp_path / "other"
    os.link(bench.write("f", b"shared"), other)
    bench.restore({b"f": bench.store.entry(b"restored")})
    assert other.read_bytes() == b"shared"
    assert (bench.root / "f").read_bytes() == b"restored"


def test_a_change_after_the_own_snapshot_is_a_conflict(bench: Workbench) -> None:
    """What changed since the present was kept, or never was kept, is left alone and named with the reason."""
    bench.write("f", b"kept")
    bench.write("gone", b"kept")
    kept = bench.picture()
    bench.write("f", b"newer")
    bench.write("gone", b"newer")
    bench.write("unknown", b"never captured")
    wanted = bench.store.entry(b"wanted")
    placed = bench.restore({b"f": wanted, b"gone": None, b"unknown": wanted}, kept=kept)
    assert placed.failed == (
        Failure(path=b"f", reason="changed"),
        Failure(path=b"gone", reason="changed"),
        Failure(path=b"unknown", reason="not_captured"),
    )
    assert (bench.root / "f").read_bytes() == b"newer"
    assert (bench.root / "unknown").read_bytes() == b"never captured"
    assert not (bench.root / ".unlost").exists()


def test_special_files_and_nested_repositories_stay(bench: Workbench) -> None:
    """A pipe, and a folder that holds a repository, are never replaced; a nested repository is never placed."""
    os.mkfifo(bench.root / "pipe")
    bench.write("nested/.git/HEAD", b"ref: refs/heads/main\n")
    wanted = bench.store.entry(b"wanted")
    placed = bench.restore({b"pipe": wanted, b"nested": wanted, b"sub": Entry(NESTED, "1" * 40)})
    assert placed.failed == (
        Failure(path=b"nested", reason="nested_repository"),
        Failure(path=b"pipe", reason="special"),
        Failure(path=b"sub", reason="nested_repository"),
    )
    assert (bench.root / "nested/.git/HEAD").exists()


@pytest.mark.parametrize("path", [b".git/hooks/x", b"a/../b", b"/etc/x", b"a//b", b".unlost/x", b"", b"x" * 256])
def test_impossible_paths_are_refused(bench: Workbench, path: bytes) -> None:
    """A path that leaves the root or enters a reserved folder is refused by name; nothing is written."""
    placed = bench.restore({path: bench.store.entry(b"x")})
    assert placed.failed == (Failure(path=path, reason="invalid_path"),)
    assert os.listdir(bench.root) == []


@pytest.mark.parametrize(
    "path",
    [b"n" * 255, b"\xff\xfe", b"new\nline", b'quote"', b"[id]/:x", b"-rf", "é/日本".encode(), b"/".join([b"d"] * 300)],
    ids=["255 bytes", "not UTF-8", "newline", "quote", "magic", "dash", "unicode", "depth 300"],
)
def test_exotic_names_come_back(bench: Workbench, path: bytes) -> None:
    """Every name the system allows is restored under exactly this name, at any depth, and removed again."""
    placed = bench.restore({path: bench.store.entry(b"content")})
    assert placed.restored == (path,)
    placed = bench.restore({path: None}, kept={path: bench.store.entry(b"content")})
    assert placed.restored == (path,)
    assert os.listdir(bench.root) == []


def test_a_missing_root_is_made_again(bench: Workbench) -> None:
    """Into a missing root every file comes back; no `.git` is made up."""
    bench.write("a/b", b"1")
    then = bench.picture()
    (bench.root / "a/b").unlink()
    (bench.root / "a").rmdir()
    bench.root.rmdir()
    placed = bench.restore(then, kept={})
    assert placed.restored == (b"a/b",)
    assert bench.picture() == then
    assert os.listdir(bench.root) == ["a"]


def test_a_root_that_is_a_link_is_refused(bench: Workbench, tmp_path: Path) -> None:
    """A root that was replaced by a link or a file is refused before anything is written."""
    (tmp_path / "elsewhere").mkdir()
    bench.root.rmdir()
    os.symlink(tmp_path / "elsewhere", bench.root)
    with pytest.raises(RestoreFailed, match="nothing was changed"):
        bench.restore({b"f": bench.store.entry(b"f")}, kept={})
    assert os.listdir(tmp_path / "elsewhere") == []


def test_missing_content_fails_its_own_path_only(bench: Workbench) -> None:
    """A damaged store loses the paths it lacks; others come back, and nothing makes room for what cannot come."""
    bench.write("d", b"stands where a folder was")
    lacking = Entry("100644", "0" * 40)
    placed = bench.restore({b"d/f": lacking, b"g": bench.store.entry(b"g")})
    assert placed.failed == (Failure(path=b"d/f", reason="missing_object"),)
    assert placed.restored == (b"g",)
    assert placed.displaced == ()
    assert (bench.root / "d").read_bytes() == b"stands where a folder was"


def test_colliding_wishes_fail_together(bench: Workbench) -> None:
    """Two wishes of which one is a folder of the other cannot both be true, so neither is begun."""
    entry = bench.store.entry(b"x")
    placed = bench.restore({b"a": entry, b"a/b": entry, b"c": entry})
    assert [failure.path for failure in placed.failed] == [b"a", b"a/b"]
    assert {failure.reason for failure in placed.failed} == {"name_collision"}
    assert placed.restored == (b"c",)


def test_a_path_wished_for_twice_is_refused(bench: Workbench) -> None:
    """Two wishes for one path contradict each other; the path stays as it is."""
    bench.write("f", b"present")
    kept = bench.picture()
    wishes = [Wanted(path=b"f", entry=None), Wanted(path=b"f", entry=bench.store.entry(b"other"))]
    placed = restore(bench.store, wishes, root=str(bench.root), journals=str(bench.journals), kept=kept.get)
    assert {failure.reason for failure in placed.failed} == {"name_collision"}
    assert (bench.root / "f").read_bytes() == b"present"


def test_permissions_stay_narrow(bench: Workbench) -> None:
    """A file keeps the permissions it had, but for execution; setuid and writing for all never come back."""
    bench.write("secret", b"old", mode=0o600)
    bench.write("open", b"old", mode=0o4777)
    bench.write("run", b"old", mode=0o640)
    bench.restore(
        {
            b"secret": bench.store.entry(b"new"),
            b"open": bench.store.entry(b"new", EXECUTABLE),
            b"run": bench.store.entry(b"new", EXECUTABLE),
        }
    )
    modes = {name: (bench.root / name).stat().st_mode & 0o7777 for name in ("secret", "open", "run")}
    assert modes == {"secret": 0o600, "open": 0o775, "run": 0o750}


def test_links_are_data(bench: Workbench) -> None:
    """A link out of the root is restored as it was, and not followed: not even by a file that would go below it."""
    wanted = {b"out": bench.store.entry(b"/etc/passwd", LINK), b"loop": bench.store.entry(b"loop", LINK)}
    assert bench.restore(wanted).failed == ()
    assert os.readlink(bench.root / "out") == "/etc/passwd"
    assert os.readlink(bench.root / "loop") == "loop"


def test_a_present_unlost_folder_is_kept(bench: Workbench) -> None:
    """A prepared root's own `.unlost/` outlives the restore; a made one does not."""
    bench.write(".unlost/workspace-ready.json", b"{}")
    bench.restore({b"f": bench.store.entry(b"f")})
    assert (bench.root / ".unlost/workspace-ready.json").read_bytes() == b"{}"


def test_an_unlost_link_is_refused(bench: Workbench, tmp_path: Path) -> None:
    """A link called `.unlost` leads nowhere: the restore fails before anything is written, and says so."""
    (tmp_path / "trap").mkdir()
    os.symlink(tmp_path / "trap", bench.root / ".unlost")
    with pytest.raises(RestoreFailed, match="nothing was changed"):
        bench.restore({b"f": bench.store.entry(b"f")})
    assert os.listdir(tmp_path / "trap") == []
    assert os.listdir(bench.journals) == []


def test_without_an_atomic_swap(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system cannot swap two names, files are still replaced, made and removed, each in one step."""
    monkeypatch.setattr("unlost.host.renaming._SYMBOL", "no_such_call")
    bench.write("edited", b"old")
    bench.write("made-since", b"x")
    now = bench.picture()
    then = {b"edited": bench.store.entry(b"new"), b"new": bench.store.entry(b"n"), b"l": bench.store.entry(b"t", LINK)}
    placed = bench.restore(changes_between(now, then))
    assert placed.failed == ()
    assert bench.picture() == then


def test_names_that_fold_into_one() -> None:
    """Names that one file system takes for the same are refused together there, and only there."""
    paths = [b"Foo", b"foo", "é".encode(), "e\u0301".encode(), b"dir", b"DIR/x", b"other"]
    assert colliding_paths(paths, folds=False) == frozenset()
    assert colliding_paths(paths, folds=True) == frozenset(paths) - {b"other"}
