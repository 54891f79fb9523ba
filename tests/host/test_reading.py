"""Reading below an untrusted root, and replacing small files of our own."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from unlost.host.reading import Reader, read_regular, write_all, write_atomically
from unlost.host.stamps import file_clock, settled_stamp, stamp_at, stamp_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a file, a folder, and links that lead out of it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"secret")
    made = tmp_path / "root"
    (made / "a" / "b").mkdir(parents=True)
    (made / "a" / "b" / "file").write_bytes(b"content")
    (made / "a" / "other").write_bytes(b"other")
    (made / "out").symlink_to(tmp_path / "outside")
    (made / "link").symlink_to(tmp_path / "outside" / "secret")
    os.mkfifo(made / "pipe")
    return made


def test_reads_in_any_order(root: Path) -> None:
    """Files are read wherever the last ones were, and what is not there is None."""
    with Reader(str(root)) as reader:
        for _ in range(2):
            assert reader.read(b"a/b/file", 100) == b"content"
            assert reader.read(b"a/other", 100) == b"other"
            assert reader.read(b"nothing", 100) is None
            assert reader.read(b"a/b/file/below", 100) is None
            assert reader.status_or_none(b"a/nothing") is None
            status = reader.status_or_none(b"a/b")
            assert status is not None


def test_nothing_is_read_through_a_link(root: Path) -> None:
    """A link as parent or as last component leads nowhere; its own target can be asked."""
    with Reader(str(root)) as reader:
        assert reader.read(b"out/secret", 100) is None
        assert reader.read(b"link", 100) is None
        assert reader.status_or_none(b"out/secret") is None
        assert reader.link_target(b"link") == os.fsencode(root.parent / "outside" / "secret")


@pytest.mark.parametrize("path", [b"../outside/secret", b"a/../../outside/secret", b"./a/other", b"a//other"])
def test_paths_that_climb_are_not_there(root: Path, path: bytes) -> None:
    """Empty and dot components are refused before the system sees them."""
    with Reader(str(root)) as reader:
        assert reader.read(path, 100) is None


def test_fifo_and_size_limit(root: Path) -> None:
    """A fifo does not hang, and a file over the limit is not read."""
    with Reader(str(root)) as reader:
        assert reader.read(b"pipe", 100) is None
        assert reader.read(b"a/b/file", 6) is None
        assert reader.read(b"a/b/file", 7) == b"content"


def test_no_descriptor_is_left(root: Path) -> None:
    """A closed reader holds nothing."""
    before = set(os.listdir("/proc/self/fd"))
    with Reader(str(root)) as reader:
        reader.read(b"a/b/file", 100)
        reader.read(b"out/secret", 100)

    assert set(os.listdir("/proc/self/fd")) <= before


def test_parent_swapped_for_a_link_while_reading(root: Path) -> None:
    """While a folder is swapped with a link to the outside, the outside is never read."""
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(root / "a", root / "kept")
            os.symlink(root.parent / "outside", root / "a")
            os.unlink(root / "a")
            os.rename(root / "kept", root / "a")

    (root.parent / "outside" / "other").write_bytes(b"secret")
    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        found = set()
        for _ in range(500):
            with Reader(str(root)) as reader:
                found.add(reader.read(b"a/other", 100))
    finally:
        stop.set()
        swapper.join()

    assert found <= {b"other", None}


def test_write_atomically_replaces(tmp_path: Path) -> None:
    """A file is replaced whole, private to the user, and nothing is left beside it; also when it is made durable."""
    place = tmp_path / "file"
    for durable in (False, True):
        write_atomically(str(place), b"new", durable=durable)
        assert read_regular(str(place), 10) == b"new"
        assert place.stat().st_mode & 0o777 == 0o600
        assert list(tmp_path.iterdir()) == [place]


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full the old content stays and no temporary file does."""
    place = tmp_path / "file"
    write_atomically(str(place), b"old")

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            write_atomically(str(place), b"new")

    assert place.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [place]


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that writes less than asked is asked again."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    descriptor = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    write_all(descriptor, b"longer than three")
    os.close(descriptor)

    assert (tmp_path / "file").read_bytes() == b"longer than three"


def test_stamps(tmp_path: Path) -> None:
    """A stamp is settled only when it is older than a tick; a change of content, size or mode changes it."""
    place = tmp_path / "file"
    place.write_bytes(b"one")
    status = place.stat()
    moment = max(status.st_mtime_ns, status.st_ctime_ns)

    assert settled_stamp(status, moment) is None
    assert settled_stamp(status, moment + 3_000_000_000) == stamp_of(status) == stamp_at(str(place))
    assert abs(file_clock() - moment) < 60_000_000_000
    os.utime(place, ns=(0, 5_000_000_000))
    place.chmod(0o755)
    assert stamp_at(str(place)) != stamp_of(status)
    assert stamp_at(str(tmp_path / "nothing")) is None


def test_whole_second_stamps_need_longer(tmp_path: Path) -> None:
    """On a file system that counts whole seconds a stamp may hide a change for two of them."""
    status = os.stat_result((0o100644, 1, 1, 1, 0, 0, 5, 10, 10, 10), {"st_mtime_ns": 10**10, "st_ctime_ns": 10**10})

    assert settled_stamp(status, 11_900_000_000) is None
    assert settled_stamp(status, 12_000_000_001) is not None
