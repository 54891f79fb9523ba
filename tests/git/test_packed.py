"""Objects that are read out of packs in process."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from unlost.git.call import Git
from unlost.git.holding import holds_object
from unlost.git.packed import Packed, Packs, apply_delta, packs_name
from unlost.git.reader import ObjectReader


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git in a folder."""
    return subprocess.run(["git", *arguments], cwd=folder, input=stdin, check=True, capture_output=True).stdout


@pytest.fixture(params=["sha1", "sha256"])
def packed(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A repository of a file with 25 versions, packed with deltas; nothing is loose."""
    git(tmp_path, "init", "-q", f"--object-format={request.param}", "work")
    work = tmp_path / "work"
    chance = random.Random(4)  # noqa: S311  (a repeatable file)
    lines = [f"line {chance.random()}\n" for _ in range(400)]
    for turn in range(25):
        lines[chance.randrange(400)] = f"changed in turn {turn}\n"
        (work / "file.txt").write_text("".join(lines))
        (work / "empty").write_bytes(b"")
        git(work, "add", "-A")
        git(work, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", f"turn {turn}")
    git(work, "repack", "-adfq", "--depth=50", "--window=50")
    return work


def read_packed(folder: str, oid: str) -> Packed | None:
    """One object out of freshly opened packs."""
    packs = Packs(folder)
    try:
        return packs.read(oid)
    finally:
        packs.close()


def every_object(work: Path) -> list[tuple[str, str, int]]:
    """(id, kind, size) of every object, as git tells them."""
    rows = git(work, "cat-file", "--batch-all-objects", "--batch-check").decode().splitlines()
    return [(row.split()[0], row.split()[1], int(row.split()[2])) for row in rows]


@pytest.mark.parametrize("deltas", ["by offset", "by name"])
def test_every_object_is_read_as_git_reads_it(packed: Path, deltas: str) -> None:
    """Whole objects and chains of deltas, whose bases are named by offset or by id, come out to the byte."""
    if deltas == "by name":
        git(packed, "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50", "--window=50")
    folder = str(packed / ".git" / "objects")

    for oid, kind, size in every_object(packed):
        found = read_packed(folder, oid)
        assert found is not None
        assert (found.kind, len(found.data)) == (kind, size)
        assert found.data == git(packed, "cat-file", kind, oid)
        assert packs_name(folder, oid)
    assert read_packed(folder, "0" * len(oid)) is None


def test_a_reader_asks_git_for_nothing_small(packed: Path) -> None:
    """A look at packed objects starts no process; one of many megabytes is asked of git."""
    (packed / "large").write_bytes(os.urandom(1 << 20) * 5)
    large = git(packed, "hash-object", "-w", "large").decode().strip()
    git(packed, "repack", "-adq")
    calls = Git(str(packed / ".git"), home=str(packed))
    reader = ObjectReader(calls)

    for oid, kind, size in every_object(packed):
        if size < 1 << 20:
            assert reader.read(oid).kind == kind
    assert calls.calls == 0
    assert len(reader.read(large).data) == 5 << 20
    assert calls.calls == 1
    reader.close()


def test_objects_of_alternates_are_found(packed: Path) -> None:
    """What another folder of objects holds is read from there, loose and packed."""
    loose = git(packed, "hash-object", "-w", "--stdin", stdin=b"loose\n").decode().strip()
    git(packed.parent, "clone", "-q", "--shared", "--bare", "work", "borrower")
    calls = Git(str(packed.parent / "borrower"), home=str(packed))
    reader = ObjectReader(calls)

    assert reader.read(loose).data == b"loose\n"
    assert reader.read(git(packed, "rev-parse", "HEAD:file.txt").decode().strip()).kind == "blob"
    assert calls.calls == 0


def test_damage_is_left_to_git(packed: Path) -> None:
    """A pack or index with any byte flipped, torn or emptied gives the right content or none, and never an error."""
    folder = packed / ".git" / "objects" / "pack"
    oid = git(packed, "rev-parse", "HEAD~12:file.txt").decode().strip()
    whole = git(packed, "cat-file", "blob", oid)
    chance = random.Random(5)  # noqa: S311  (repeatable damage)
    for path in sorted(folder.iterdir()):
        if path.suffix not in {".idx", ".pack"}:
            continue
        sound = path.read_bytes()
        path.chmod(0o600)
        for _ in range(60):
            at = chance.randrange(len(sound))
            path.write_bytes(sound[:at] + bytes([sound[at] ^ (1 << chance.randrange(8))]) + sound[at + 1 :])
            reader = ObjectReader(Git(str(packed / ".git"), home=str(packed)))
            found = reader._packed(oid)
            assert found is None or found.data == whole
        for cut in (0, 7, len(sound) // 2, len(sound) - 30):
            path.write_bytes(sound[:cut])
            read_packed(str(packed / ".git" / "objects"), oid)
        path.write_bytes(sound)


def test_pipes_and_folders_in_place_of_packs_are_passed_over(packed: Path) -> None:
    """Nothing that lies in a folder of packs can make a look hang or fail."""
    folder = packed / ".git" / "objects" / "pack"
    oid = git(packed, "rev-parse", "HEAD").decode().strip()
    os.mkfifo(folder / "pack-0.idx")
    (folder / "pack-1.idx").mkdir()
    (folder / "pack-2.idx").write_bytes(b"")

    assert packs_name(str(packed / ".git" / "objects"), oid)
    assert holds_object(str(packed / ".git"), oid)
    assert ObjectReader(Git(str(packed / ".git"), home=str(packed))).read(oid).kind == "commit"


def test_a_loose_object_that_is_empty_or_garbled_is_not_held(packed: Path) -> None:
    """What a lost disk leaves in place of an object does not count as one."""
    oid = git(packed, "hash-object", "-w", "--stdin", stdin=b"loose\n").decode().strip()
    path = packed / ".git" / "objects" / oid[:2] / oid[2:]
    assert holds_object(str(packed / ".git"), oid)
    path.chmod(0o600)

    for content in (b"", b"garbled"):
        path.write_bytes(content)
        assert not holds_object(str(packed / ".git"), oid)


@pytest.mark.parametrize(
    "delta", [b"\x03", b"\x03\x03\x00", b"\x03\x03\x91\x02\x03", b"\x04\x03\x03abc", b"\x03\x05\x03abc"]
)
def test_damaged_deltas_are_refused(delta: bytes) -> None:
    """A delta that is torn, of another base, reaches beyond it or makes another size is an error."""
    with pytest.raises((ValueError, IndexError)):
        apply_delta(b"abc", delta)
