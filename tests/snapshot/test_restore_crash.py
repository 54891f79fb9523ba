"""Restores that are killed, raced, or run out of disk: no path ends half, and a retry finishes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import kit.restoring
import pytest
from kit.restoring import Picture, Workbench, changes_between
from kit.small_disk import small_disk

from unlost.facts.errors import UnlostError
from unlost.facts.trees import EXECUTABLE, LINK, Entry
from unlost.snapshot.restore import CRASH_POINTS, recover
from unlost.snapshot.wanted import Failure, RestoreFailed

CHILD = Path(kit.restoring.__file__)
ACROSS = "restore.copied"
MISSING_ROOT = "restore.made_root"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.create(tmp_path / "bench")


def die_at(bench: Workbench, point: str) -> bool:
    """Carry out the described restore in a child that is killed at a crash point; False when it got to its end."""
    environment = {**os.environ, "UNLOST_CRASH_AT": point, "PYTHONPATH": str(CHILD.parent.parent)}
    child = subprocess.run([sys.executable, str(CHILD), str(bench.folder)], env=environment, check=False, timeout=240)
    assert child.returncode in (0, -signal.SIGKILL)
    return child.returncode != 0


def prepare(bench: Workbench) -> tuple[Picture, Picture]:
    """A tree with every kind of change; returns it, and how it should be (the restore is described)."""
    bench.write("edited", b"old")
    bench.write("tool", b"tool")
    bench.write("made/since", b"made since")
    bench.write("was-folder", b"a file now")
    bench.write("was-file/inner", b"inner")
    os.symlink("there", bench.root / "link")
    bench.write("same", b"same")
    then = {
        b"edited": bench.store.entry(b"new"),
        b"tool": bench.store.entry(b"tool", EXECUTABLE),
        b"was-folder/x": bench.store.entry(b"x"),
        b"was-file": bench.store.entry(b"a file again"),
        b"link": bench.store.entry(b"elsewhere", LINK),
        b"same": bench.store.entry(b"same"),
        b"back/again": bench.store.entry(b"lost"),
    }
    now = bench.picture()
    bench.describe(changes_between(now, then))
    return now, then


def no_path_is_half(bench: Workbench, now: Picture, then: Picture) -> None:
    """Each path is as it was, as it should be, or (where its type changes) not there."""
    for path, entry in bench.picture().items():
        assert entry in (now.get(path), then.get(path)), path
    for path in now.keys() & then.keys():
        assert os.path.lexists(bench.root / os.fsdecode(path)), path


@pytest.mark.slow
@pytest.mark.parametrize("point", [point for point in CRASH_POINTS if point not in (ACROSS, MISSING_ROOT)])
def test_killed_at_every_point(tmp_path: Path, point: str) -> None:
    """Killed at any pass of any crash point, each path is wholly old or wholly new; then recover and retry finish."""
    for count in range(1, 12):
        bench = Workbench.create(tmp_path / str(count))
        now, then = prepare(bench)
        if not die_at(bench, f"{point}:{count}"):
            assert count > 1, "this point is never passed"
            return
        no_path_is_half(bench, now, then)
        recovered = recover(bench.store, journals=str(bench.journals))
        no_path_is_half(bench, now, then)
        assert bench.picture() in (now, then)
        assert [each.placed.failed for each in recovered] == [()]
        assert os.listdir(bench.journals) == []
        assert not (bench.root / ".unlost").exists()
        bench.restore(changes_between(bench.picture(), then))
        assert bench.picture() == then
    pytest.fail("the restore never came to its end")


@pytest.mark.slow
def test_killed_while_it_recovers(bench: Workbench) -> None:
    """A recovery is itself safe to kill: done twice more, it ends in the wanted tree."""
    _, then = prepare(bench)
    assert die_at(bench, "restore.stepped:3")
    program = "import sys; from kit.restoring import Workbench; from unlost.snapshot.restore import recover\n"
    program += "from pathlib import Path; bench = Workbench(Path(sys.argv[1]))\n"
    program += "recover(bench.store, journals=str(bench.journals))"
    for point in ("restore.swapped", "restore.synced"):
        environment = {**os.environ, "UNLOST_CRASH_AT": point, "PYTHONPATH": str(CHILD.parent.parent)}
        command = [sys.executable, "-c", program, str(bench.folder)]
        subprocess.run(command, env=environment, check=False, timeout=240)
    recover(bench.store, journals=str(bench.journals))
    assert bench.picture() == then


def test_killed_after_the_root_was_made(bench: Workbench) -> None:
    """Killed between making the root and the journal, an empty root is left and a retry fills it."""
    bench.root.rmdir()
    bench.describe({b"f": bench.store.entry(b"f")})
    assert die_at(bench, MISSING_ROOT)
    assert recover(bench.store, journals=str(bench.journals)) == ()
    assert bench.carry_out().restored == (b"f",)


def test_work_done_after_the_crash_is_left_alone(bench: Workbench) -> None:
    """A file that was edited between the crash and the recovery keeps the edit and is named."""
    bench.write("a", b"old a")
    bench.write("b", b"old b")
    bench.describe({b"a": bench.store.entry(b"new a"), b"b": bench.store.entry(b"new b")})
    assert die_at(bench, "restore.stepped")
    bench.write("a", b"edited after the crash")
    bench.write("b", b"edited as well")
    (recovered,) = recover(bench.store, journals=str(bench.journals))
    assert recovered.outcome == "finished"
    assert recovered.placed.failed == (Failure(path=b"a", reason="changed"), Failure(path=b"b", reason="changed"))
    assert (bench.root / "a").read_bytes() == b"edited after the crash"


@pytest.mark.parametrize(("wanted", "point"), [(b"new", "restore.swapped"), (None, "restore.taken")])
def test_what_was_taken_by_mistake_goes_back(bench: Workbench, wanted: bytes | None, point: str) -> None:
    """When the swap took out something other than what the snapshot holds, it is given back and the path named."""
    bench.write("f", b"old")
    bench.describe({b"f": None if wanted is None else bench.store.entry(wanted)})
    assert die_at(bench, point)
    (stage,) = (path for path in (bench.root / ".unlost").iterdir() if path.is_dir())
    (stage / "0").unlink()
    (stage / "0").write_bytes(b"written in the very moment before the swap")
    (recovered,) = recover(bench.store, journals=str(bench.journals))
    assert recovered.placed.failed == (Failure(path=b"f", reason="changed"),)
    assert (bench.root / "f").read_bytes() == b"written in the very moment before the swap"
    assert os.listdir(bench.root) == ["f"]


def test_a_write_within_one_tick_is_seen(bench: Workbench) -> None:
    """A write of the same length that leaves the same times behind is found by content, and given back."""
    # A time ahead of the clock stands for one in the present tick: both cannot prove that nothing follows.
    ahead = (4_000_000_000_000_000_000, 4_000_000_000_000_000_000)
    place = bench.write("f", b"old")
    os.utime(place, ns=ahead)
    bench.describe({b"f": bench.store.entry(b"new")})
    assert die_at(bench, "restore.checked")
    with place.open("r+b") as file:
        file.write(b"OLD")
    os.utime(place, ns=ahead)
    (recovered,) = recover(bench.store, journals=str(bench.journals))
    assert recovered.placed.failed == (Failure(path=b"f", reason="changed"),)
    assert place.read_bytes() == b"OLD"


def test_a_tampered_stage_is_not_trusted(bench: Workbench) -> None:
    """What somebody put into the stage of a killed restore is not placed: the content comes from the store again."""
    bench.write("a", b"old")
    bench.describe({b"a": bench.store.entry(b"new"), b"b": bench.store.entry(b"other")})
    assert die_at(bench, "restore.ready")
    (stage,) = (path for path in (bench.root / ".unlost").iterdir() if path.is_dir())
    (stage / "0").write_bytes(b"tampered")
    (stage / "1").unlink()
    recover(bench.store, journals=str(bench.journals))
    assert (bench.root / "a").read_bytes() == b"new"
    assert (bench.root / "b").read_bytes() == b"other"


def test_another_folder_in_the_roots_place_is_not_touched(bench: Workbench) -> None:
    """When the root was replaced after the crash, the waiting steps are dropped, not done to the newcomer."""
    bench.write("a", b"old")
    bench.describe({b"a": bench.store.entry(b"new")})
    assert die_at(bench, "restore.ready")
    bench.root.rename(bench.folder / "aside")
    bench.write("a", b"newcomer")
    (recovered,) = recover(bench.store, journals=str(bench.journals))
    assert recovered.outcome == "root_gone"
    assert (bench.root / "a").read_bytes() == b"newcomer"
    assert recover(bench.store, journals=str(bench.journals)) == ()


@pytest.mark.slow
def test_folders_that_turn_into_links_lead_nowhere(bench: Workbench, tmp_path: Path) -> None:
    """While another process swaps a folder with a link to outside, a thousand restores write nothing outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    bench.write("d/f", b"0")
    os.symlink(outside, bench.root / "swapped")
    program = (
        "import sys; from unlost.host.folders import Folder; from unlost.host.renaming import exchange\n"
        "root = Folder.open(sys.argv[1]); print('ready', flush=True)\n"
        "while True: exchange(root, b'd', root, b'swapped')"
    )
    swapper = subprocess.Popen([sys.executable, "-c", program, str(bench.root)], stdout=subprocess.PIPE)
    try:
        assert swapper.stdout is not None
        assert swapper.stdout.readline() == b"ready\n"
        entries = [bench.store.entry(b"%d" % number) for number in range(2)]
        kept = {b"d/f": bench.store.entry(b"0")}
        for number in range(200):
            # A tree that never holds still may be refused, with an error.
            with contextlib.suppress(UnlostError):
                placed = bench.restore({b"d/f": entries[number % 2]}, kept=kept)
                kept = {b"d/f": entries[number % 2]} if placed.restored else kept
            assert os.listdir(outside) == []
    finally:
        swapper.kill()
        swapper.wait()
        assert swapper.stdout is not None
        swapper.stdout.close()


def test_a_full_disk_changes_nothing(bench: Workbench) -> None:
    """On a full disk the restore fails before it begins; the old file, no stage and no journal are there."""
    wanted = bench.store.entry(b"x" * (2 << 20))
    with small_disk(bench.root):
        bench.write("f", b"old")
        with pytest.raises(RestoreFailed, match=r"No space left.*nothing was changed") as failure:
            bench.restore({b"f": wanted})
        assert failure.value.hint == "free some space, then restore again"
        assert (bench.root / "f").read_bytes() == b"old"
        assert os.listdir(bench.root) == ["f"]
    assert os.listdir(bench.journals) == []


@pytest.mark.slow
@pytest.mark.parametrize("point", ["never", ACROSS, "restore.swapped", "restore.stepped:2"])
def test_across_file_systems(bench: Workbench, point: str) -> None:
    """In a folder where another file system is mounted, files are placed and removed as everywhere; nothing stays."""
    (bench.root / "mounted").mkdir()
    with small_disk(bench.root / "mounted"):
        bench.write("mounted/edited", b"old")
        bench.write("mounted/made-since", b"made since")
        bench.write("mounted/same", b"same")
        now = bench.picture()
        then = {
            b"mounted/edited": bench.store.entry(b"new"),
            b"mounted/new": bench.store.entry(b"n", EXECUTABLE),
            b"mounted/link": bench.store.entry(b"edited", LINK),
            b"mounted/same": Entry("100644", now[b"mounted/same"].oid),
        }
        bench.describe(changes_between(now, then))
        assert die_at(bench, point) == (point != "never")
        recover(bench.store, journals=str(bench.journals))
        assert bench.picture() == then
