"""Objects written in process, read back by git and by ourselves."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.repository import Repository

from unlost.facts.trees import REGULAR, Entry
from unlost.git.call import Git
from unlost.git.formats import SHA1, SHA256, ObjectFormat, format_of, object_format
from unlost.git.objects import STREAM_FROM, ObjectWriter
from unlost.git.reader import ObjectMissing, ObjectReader, read_batch
from unlost.git.streams import BackgroundWriter, StoredBlocks, packer_for
from unlost.git.treecache import TreeCache
from unlost.git.trees import tree_data


@pytest.fixture(params=["sha1", "sha256"])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Git:
    """An empty bare repository of either format."""
    folder = tmp_path / "store.git"
    subprocess.run(["git", "init", "-q", "--bare", f"--object-format={request.param}", str(folder)], check=True)
    return Git(str(folder), home=str(tmp_path))


@pytest.fixture
def format_(store: Git) -> ObjectFormat:
    """The store's format."""
    return object_format(store.run("rev-parse", "--show-object-format").decode().strip())


@pytest.fixture
def reader(store: Git) -> Iterator[ObjectReader]:
    """A reader of the store."""
    made = ObjectReader(store)
    yield made
    made.close()


@pytest.mark.parametrize("pack", [False, True])
def test_git_reads_what_was_written(store: Git, format_: ObjectFormat, reader: ObjectReader, *, pack: bool) -> None:
    """Loose or packed, every object has git's own id and content, and the store passes fsck."""
    writer = ObjectWriter(store.git_dir, format_, pack=pack, durable=pack)
    contents = [b"", b"one\n", os.urandom(100_000), b"zeros" * 50_000]
    blobs = [writer.write(b"blob", data) for data in contents]
    tree = writer.write_tree(tree_data({b"f%d" % n: Entry(REGULAR, oid) for n, oid in enumerate(blobs)}))
    assert writer.write(b"blob", contents[1]) == blobs[1]
    writer.finish()
    writer.abandon()

    assert [store.run("cat-file", "blob", oid) for oid in blobs] == contents
    assert store.run("cat-file", "-t", tree) == b"tree\n"
    store.run("fsck", "--full", "--strict")
    assert [reader.read(oid).data for oid in blobs] == contents
    assert dict(read_batch(store, [*blobs, "1" * 2 * format_.width]))[blobs[2]] == contents[2]
    assert writer.written > 0
    assert not litter(store)


def litter(store: Git) -> list[str]:
    """Temporary files in the store."""
    return [name for _, _, names in os.walk(store.git_dir) for name in names if name.startswith("tmp_")]


@pytest.mark.parametrize("content", [os.urandom(STREAM_FROM + 70_001), b"text\n" * (STREAM_FROM // 4)])
def test_large_content_is_streamed(store: Git, format_: ObjectFormat, reader: ObjectReader, content: bytes) -> None:
    """A content too large for memory becomes a valid object, packed tightly or as it is."""
    writer = ObjectWriter(store.git_dir, format_, pack=True, durable=False)
    pieces = [content[start : start + (1 << 20)] for start in range(0, len(content), 1 << 20)]
    oid = writer.write_blob(len(content), pieces)
    writer.finish()

    assert oid == format_.name_of(b"blob", content)
    assert store.run("cat-file", "blob", oid) == content
    size, stream = reader.stream(oid)
    assert (size, b"".join(stream)) == (len(content), content)
    store.run("fsck", "--full")


@pytest.mark.parametrize("size", [5, STREAM_FROM + 1])
def test_content_of_another_length_is_not_stored(store: Git, format_: ObjectFormat, size: int) -> None:
    """When the pieces are not as long as was said, nothing is stored and nothing is left."""
    writer = ObjectWriter(store.git_dir, format_, pack=False, durable=False)

    assert writer.write_blob(size, [b"1234"]) is None
    assert writer.write_blob(size, [b"x" * (size + 1)]) is None
    assert store.run("count-objects").startswith(b"0 objects")
    assert not litter(store)


def test_abandoned_pack_leaves_nothing(store: Git, format_: ObjectFormat) -> None:
    """A pack that is not finished vanishes."""
    writer = ObjectWriter(store.git_dir, format_, pack=True, durable=False)
    oid = writer.write(b"blob", b"x")
    writer.abandon()

    assert not litter(store)
    with pytest.raises(ObjectMissing):
        ObjectReader(store).read(oid)


def test_failed_write_leaves_nothing(store: Git, format_: ObjectFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is an OSError, loose, packed and streamed, and no temporary file stays."""

    def full(descriptor: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    for pack, size in ((False, 3), (False, STREAM_FROM + 1)):
        writer = ObjectWriter(store.git_dir, format_, pack=pack, durable=False)
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            patched.setattr(os, "writev", full)
            with pytest.raises(OSError, match="No space"):
                writer.write_blob(size, [b"x" * size])
        writer.abandon()

    assert not litter(store)


def test_reader_refuses_and_bounds(store: Git, format_: ObjectFormat, reader: ObjectReader) -> None:
    """What is no id, missing, of another kind, damaged or too large is ObjectMissing, and reading goes on after."""
    writer = ObjectWriter(store.git_dir, format_, pack=True, durable=False)
    blob = writer.write(b"blob", b"12345")
    tree = writer.write_tree(tree_data({b"f": Entry(REGULAR, blob)}))
    writer.finish()
    for bad in ("HEAD", "--batch", "", "f" * (2 * format_.width), blob[:10], blob.upper()):
        with pytest.raises(ObjectMissing):
            reader.read(bad)
    with pytest.raises(ObjectMissing):
        reader.read(blob, 4)
    with pytest.raises(ObjectMissing):
        reader.stream(tree)
    with pytest.raises(ObjectMissing):
        reader.tree(blob)

    assert reader.read(blob, 5).data == b"12345"
    assert reader.tree(tree) == {b"f": Entry(REGULAR, blob)}
    assert reader.tree(format_.empty_tree) == {}


def test_damaged_loose_object_is_not_believed(store: Git, format_: ObjectFormat, reader: ObjectReader) -> None:
    """A loose object whose content is not its name is missing, whatever it inflates to."""
    writer = ObjectWriter(store.git_dir, format_, pack=False, durable=False)
    right, wrong = writer.write(b"blob", b"right"), writer.write(b"blob", b"wrong")
    folder = Path(store.git_dir) / "objects"
    os.replace(folder / wrong[:2] / wrong[2:], folder / right[:2] / right[2:])

    with pytest.raises(ObjectMissing):
        reader.read(right)


def test_torn_pack_does_not_end_the_reading(store: Git, format_: ObjectFormat, reader: ObjectReader) -> None:
    """After a torn object, and after a stream that was not taken to its end, other objects are read as before."""
    packs = ObjectWriter(store.git_dir, format_, pack=True, durable=False)
    torn = packs.write(b"blob", os.urandom(5_000_000))
    packs.finish()
    pack = next(Path(store.git_dir).glob("objects/pack/*.pack"))
    pack.chmod(0o600)
    os.truncate(pack, 100_000)
    again = ObjectWriter(store.git_dir, format_, pack=True, durable=False)
    sound = again.write(b"blob", b"y" * 5_000_000)
    again.finish()

    with pytest.raises(ObjectMissing):
        b"".join(reader.stream(torn)[1])
    _, pieces = reader.stream(sound)
    next(pieces)
    del pieces
    assert len(reader.read(sound).data) == 5_000_000


def test_reading_lately_written_objects_needs_no_process(store: Git, format_: ObjectFormat) -> None:
    """Small loose objects are read in process."""
    oid = ObjectWriter(store.git_dir, format_, pack=False, durable=False).write(b"blob", b"x")
    calls = store.calls
    reader = ObjectReader(store)

    assert reader.read(oid).data == b"x"
    assert store.calls == calls


def test_stored_blocks_are_a_zlib_stream(tmp_path: Path) -> None:
    """Noise is kept as it is and text is packed; either way the second thread writes a whole stream."""
    noise = os.urandom(300_000)
    assert isinstance(packer_for(noise), StoredBlocks)
    assert not isinstance(packer_for(b"text " * 50_000), StoredBlocks)
    for size in (0, 1, 65_535, 65_536, 300_000):
        place = tmp_path / str(size)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT)
        writer = BackgroundWriter(StoredBlocks(), descriptor)
        writer.put(noise[:size])
        writer.finish()
        os.close(descriptor)
        done = subprocess.run(
            ["python3", "-c", "import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))"],
            input=place.read_bytes(),
            check=True,
            capture_output=True,
        )
        assert done.stdout == noise[:size]


def test_formats() -> None:
    """A format is known by its name, and by the length of an id."""
    assert (format_of("a" * 40), format_of("a" * 64)) == (SHA1, SHA256)
    with pytest.raises(Exception, match="sha512"):
        object_format("sha512")


@pytest.fixture
def trees(store: Git, format_: ObjectFormat) -> list[str]:
    """Six hundred trees in the store, more than the unsorted part of the cache holds."""
    writer = ObjectWriter(store.git_dir, format_, pack=True, durable=False)
    blob = writer.write(b"blob", b"x")
    made = [writer.write_tree(tree_data({b"%d" % n: Entry(REGULAR, blob)})) for n in range(600)]
    writer.finish()
    return made


def cache_of(store: Git, format_: ObjectFormat, reader: ObjectReader, folder: Path) -> TreeCache:
    return TreeCache(str(folder / "trees"), format_, reader)


def test_tree_cache_needs_git_once(
    store: Git, format_: ObjectFormat, reader: ObjectReader, trees: list[str], tmp_path: Path
) -> None:
    """What was read once is found in the files afterwards, in the sorted part and in the tail."""
    for part in (trees[:10], trees[:20], trees):
        cache = cache_of(store, format_, reader, tmp_path)
        assert [cache.tree(oid).keys() for oid in part] == [{b"%d" % n} for n in range(len(part))]
        cache.flush()
        cache.close()
    (tmp_path / "empty.git").mkdir()
    cache = cache_of(store, format_, ObjectReader(Git(str(tmp_path / "empty.git"), home="/")), tmp_path)

    assert [cache.tree(oid).keys() for oid in trees] == [{b"%d" % n} for n in range(600)]
    cache.close()


@pytest.mark.parametrize("name", ["trees", "trees.index"])
@pytest.mark.parametrize("keep", [0, 9, 100, 3000])
def test_torn_tree_cache_only_costs_time(
    store: Git, format_: ObjectFormat, reader: ObjectReader, trees: list[str], tmp_path: Path, name: str, keep: int
) -> None:
    """A cache cut at any place gives right answers, and is whole again after a flush."""
    cache = cache_of(store, format_, reader, tmp_path)
    for oid in trees:
        cache.tree(oid)
    cache.flush()
    cache.close()
    os.truncate(tmp_path / name, keep)
    for _ in range(2):
        cache = cache_of(store, format_, reader, tmp_path)
        assert [cache.tree(oid).keys() for oid in trees] == [{b"%d" % n} for n in range(600)]
        cache.flush()
        cache.close()


def test_tree_cache_is_filled_with_two_processes(store: Git, tmp_path: Path) -> None:
    """Every tree below a commit is kept at once."""
    repository = Repository.create(tmp_path / "r")
    for number in range(30):
        repository.write(f"a{number}/b/c", "c\n")
    repository.commit("first")
    git = Git(str(repository.root / ".git"), home=str(tmp_path))
    root = git.run("rev-parse", "HEAD^{tree}").decode().strip()
    cache = TreeCache(str(tmp_path / "trees"), SHA1, ObjectReader(git))
    calls = git.calls
    cache.fill(git, root)

    assert git.calls == calls + 2
    assert len(cache.tree(root)) == 30
    assert cache.tree(cache.tree(root)[b"a1"].oid).keys() == {b"b"}
    assert git.calls == calls + 2
