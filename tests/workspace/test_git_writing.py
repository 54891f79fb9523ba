"""A new root written by the place's own git: the same root as without it, whatever the tree holds."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kit.places import Places, WrappedTransport, leavings, local_transport
from kit.repository import Repository

from unlost.host.spawning import run_program
from unlost.workspace.facts import Location
from unlost.workspace.failures import RestoreRefused
from unlost.workspace.ports import Done, Progress

_WITH_OTHER_GIT = """\
import sys
sys.path.insert(0, {program!r})
from unlost.workspace.script import git_writing
git_writing.GIT_PLACES = {places!r}
from unlost.workspace.script.main import main
sys.exit(main())
"""


@dataclass(frozen=True)
class OtherGit(WrappedTransport):
    """A transport to a place whose git is one of these."""

    places: tuple[str, ...]

    def run(
        self, argv: tuple[str, ...], *, stdin: bytes = b"", timeout: float = 600.0, output_limit: int = 1 << 20
    ) -> Done:
        """Run the program with another git."""
        code = _WITH_OTHER_GIT.format(program=argv[-1], places=self.places)
        return super().run((*argv[:-1], "-c", code), stdin=stdin, timeout=timeout, output_limit=output_limit)


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    """A saved root with everything that git could do otherwise than plainly."""
    made = Places.make(tmp_path / "machines", local_transport())
    repository = made.repository()
    repository.write(".gitattributes", "*.txt text eol=crlf ident\n*.bin filter=lfs\n")
    repository.write("lines.txt", "$Id$\nunix\n")
    repository.write("content.bin", "no pointer\n")
    repository.write("gone.txt", "only the commit has it\n")
    repository.commit("second")
    (repository.root / "gone.txt").unlink()
    repository.write("lines.txt", "$Id: mine $\nmixed\r\nends\n")
    repository.write("g\N{LATIN SMALL LETTER E WITH ACUTE}t/.hidden/new.txt", "new\n")
    os.symlink("../outside", repository.root / "dangling")
    Repository.create(repository.root / "nested").write("own.txt", "of its own\n")
    made.save(made.location("A"))
    yield made
    made.close()


def held(location: Location) -> dict[str, tuple[str, str]]:
    """What a root holds beside its `.git` and receipt: path to (kind and permissions, content)."""
    found = {}
    for path in sorted(Path(location.root).rglob("*")):
        name = str(path.relative_to(location.root))
        if name.split("/", maxsplit=1)[0] in (".git", ".unlost"):
            continue
        mode = stat.filemode(path.lstat().st_mode)
        content = os.readlink(path) if path.is_symlink() else "" if path.is_dir() else path.read_bytes().decode()
        found[name] = (mode, content)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("git", [(), ("/bin/false",)], ids=["no git", "a git that fails"])
def test_git_writes_the_same_root_as_python(places: Places, git: tuple[str, ...]) -> None:
    """W.A1: with git, without it, and where it fails, the new root, its index and HEAD are the same."""
    by_git, without = places.location("B"), places.location("C")

    first = places.restore(by_git, holder="b")
    places.restore(without, holder="c", abandon=True, transport=OtherGit(places.transport, git))

    assert held(by_git) == held(without)
    assert (Path(by_git.root) / "lines.txt").read_bytes() == b"$Id: mine $\nmixed\r\nends\n"
    assert not (Path(by_git.root) / "nested").exists()
    assert first.written == len([name for name, (mode, _) in held(by_git).items() if mode[0] != "d"])
    for arguments in (("ls-files", "--stage"), ("status", "--porcelain"), ("rev-parse", "HEAD"), ("fsck",)):
        assert places.git(by_git)(*arguments) == places.git(without)(*arguments)
    assert (Path(by_git.root) / ".git/shallow").read_bytes() == (Path(without.root) / ".git/shallow").read_bytes()
    assert leavings(by_git) == leavings(without) == []


@pytest.mark.slow
def test_a_damaged_pack_is_refused_with_git_and_without(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contents that are not what their names say make no root: git does not take them in, Python says why."""
    whole = places.transport.send

    def damage(source: str, target: str, progress: Progress) -> None:
        if source.endswith("parcel"):
            data = bytearray(Path(source).read_bytes())
            data[data.index(b"PACK") + 32] ^= 0xFF
            Path(source).write_bytes(bytes(data))
        whole(source, target, progress)

    monkeypatch.setattr(places.transport, "send", damage)
    with pytest.raises(RestoreRefused) as caught:
        places.restore(places.location("B"), holder="b")

    assert (caught.value.report.reason, caught.value.report.stage) == ("missing_snapshot", "verify_bundle")
    assert not os.path.lexists(places.location("B").root)


def test_a_program_keeps_the_lock_until_its_own_end(tmp_path: Path) -> None:
    """What git still writes after a kill of its parent is waited for: the lock of the folder is open in git as well."""
    lock = os.open(tmp_path, os.O_RDONLY | os.O_CLOEXEC)
    output = os.open(tmp_path / "told", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    code = f"import os, sys; sys.stdout.write(str(os.fstat({4 if lock == 3 else 3}).st_ino))"

    ended = run_program((sys.executable, "-I", "-c", code), env={"PATH": "/usr/bin:/bin"}, lock=lock, output=output)

    assert ended == 0
    assert (tmp_path / "told").read_text() == str(tmp_path.stat().st_ino)
    os.close(lock)
    os.close(output)
