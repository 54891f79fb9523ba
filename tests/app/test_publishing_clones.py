"""Publishing from clones that do not hold everything: shallow, partial, borrowed objects, a linked work tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from app.supervising import Bench
from kit.repository import Repository

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
HEAD = '[workflow]\nsteps = ["code", "publish"]\n[publish]\nbranch = "topic"\n'
CLONES = {
    "shallow": ("--depth=1",),
    "partial": ("--filter=blob:none",),
    "borrowed": ("--shared",),
}


@pytest.fixture
def remote(repository: Repository, tmp_path: Path) -> Repository:
    """A bare repository with some history."""
    for number in range(3):
        repository.write("docs/notes.md", f"# Notes {number}\n")
        repository.commit(f"note {number}")
    bare = Repository.create(tmp_path / "remote.git", "--bare")
    bare.git("config", "uploadpack.allowFilter", "true")
    repository.git("push", "-q", str(bare.root), "main")
    return bare


def published(remote: Repository) -> None:
    """The branch is whole at the remote, one commit over its `main`."""
    assert remote.git("rev-parse", "topic^") == remote.git("rev-parse", "main")
    assert remote.git("show", "--pretty=", "--name-only", "topic") == "main.rs"
    remote.git("fsck", "--strict")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["never", "each_task"])
@pytest.mark.parametrize("kind", [*CLONES, "linked"])
def test_clones_that_do_not_hold_everything(remote: Repository, tmp_path: Path, kind: str, mode: str) -> None:
    """Whatever of the history is not here stays where it is: the commit is made, pushed and read back all the same."""
    root = tmp_path / "clone"
    source = Repository(root=tmp_path)
    address = str(remote.root) if kind == "borrowed" else f"file://{remote.root}"
    source.git("clone", "-q", *CLONES.get(kind, ()), address, str(root))
    clone = Repository(root=root)
    if kind == "linked":
        clone.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
        clone = Repository(root=tmp_path / "linked")
    bench = Bench(repository=clone, folder=tmp_path / "plans")
    unit = bench.run(bench.work({"rename": RENAME}, head=f'{HEAD}[commit]\nmode = "{mode}"\n'))

    assert unit.outcome == "done", unit.document
    published(remote)
    clean = " M main.rs" if mode == "never" else ""
    assert clone.git("status", "--porcelain") == clean
