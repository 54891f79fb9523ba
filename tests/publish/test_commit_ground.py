"""Repositories as they are found: states without a commit, settings, shapes, and programs that must not run."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from kit.repository import Repository
from publish.committing import Bench, changed, status


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("detached", "detached"),
        ("unborn", "unborn"),
        ("other", "other_branch"),
        ("merge", "operation"),
        ("locked", "index_locked"),
        ("anonymous", "no_identity"),
        ("gone", "no_repository"),
    ],
)
def test_states_in_which_there_is_no_commit(
    bench: Bench, state: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A detached HEAD, an unborn or another branch, a merge, another git, no name: refused by name, nothing changed."""
    repository = bench.repository
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    match state:
        case "detached":
            repository.git("checkout", "-q", "--detach")
        case "unborn":
            repository.git("update-ref", "-d", "refs/heads/main")
        case "other":
            repository.git("checkout", "-q", "-b", "other")
        case "merge":
            (repository.root / ".git" / "MERGE_HEAD").write_text(repository.git("rev-parse", "HEAD") + "\n")
        case "locked":
            monkeypatch.setattr("unlost.publish.commits._PATIENCE", 0.0)
            (repository.root / ".git" / "index.lock").write_bytes(b"")
        case "anonymous":
            for name in ("AUTHOR", "COMMITTER"):
                monkeypatch.delenv(f"GIT_{name}_EMAIL")
        case _:
            (repository.root / ".git").rename(repository.root.parent / "away")
    index = repository.root / ".git" / "index"
    kept = index.read_bytes() if index.exists() else b""
    composed, delivered = bench.commit(bench.order((before, after)))

    assert (composed.refusal or delivered.refusal) == word
    assert repository.read("main.rs") == b"fn main() {}\n"
    assert (index.read_bytes() if index.exists() else b"") == kept


def test_unmerged_paths_refuse(bench: Bench) -> None:
    """A conflict in the index, whatever left it there, is for a person to settle first."""
    repository = bench.repository
    oid = repository.git("rev-parse", "HEAD:main.rs")
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    rows = "".join(f"100644 {oid} {stage}\tlib.rs\n" for stage in (1, 2, 3))
    subprocess.run(["git", "update-index", "--index-info"], cwd=repository.root, input=rows, text=True, check=True)
    composed, _ = bench.commit(bench.order((before, after)))

    assert composed.refusal == "conflicted"


def test_a_head_that_moves_between_is_seen(bench: Bench) -> None:
    """The branch moves only from the commit that was expected; the person's own commit stands."""
    repository = bench.repository
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    order = bench.order((before, after))
    commits = bench.commits()
    composed = commits.compose(order)
    repository.git("commit", "-q", "--allow-empty", "-m", "a person's")
    head = repository.git("rev-parse", "HEAD")

    assert commits.deliver(order, composed).refusal == "head_moved"
    assert repository.git("rev-parse", "HEAD") == head
    assert bench.commit(order)[1].refusal is None
    assert repository.git("rev-parse", "HEAD~1") == head


def test_the_persons_own_settings_say_who_commits(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name and address come from the person's files, `includeIf gitdir` among them, as their git reads them."""
    for role in ("AUTHOR", "COMMITTER"):
        for what in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{what}")
    home = Path(os.environ["HOME"])
    home.joinpath("work").write_text("[user]\n\temail = work@example.org\n")
    home.joinpath(".gitconfig").write_text(
        f'[user]\n\tname = Someone\n\temail = home@example.org\n[includeIf "gitdir:{bench.repository.root}/"]\n'
        "\tpath = work\n"
    )
    bench.commit(bench.order(bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))))

    assert bench.repository.git("log", "-1", "--format=%an <%ae>") == "Someone <work@example.org>"


def test_no_program_of_the_repository_runs(bench: Bench, tmp_path: Path) -> None:
    """Hooks, fsmonitor, filters, pagers and aliases that the repository names are not started by a commit."""
    repository = bench.repository
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >>"{mark}"\n')
    program.chmod(0o755)
    hooks = repository.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        (hooks / name).symlink_to(program)
    for key in (
        *("core.fsmonitor", "core.pager", "gpg.program", "diff.external", "core.editor", "core.sshCommand"),
        *("core.alternateRefsCommand", "core.askPass", "credential.helper", "alias.update-ref", "filter.x.clean"),
    ):
        repository.git("config", key, str(program))
    repository.git("config", "core.hooksPath", str(hooks))
    (repository.root / ".git" / "info" / "attributes").write_text("*.rs diff=x merge=x\n")
    mark.unlink(missing_ok=True)
    before = bench.captures.capture("boundary", "before")
    repository.write("main.rs", "fn main() {}\n")
    after = bench.captures.capture("boundary", "after")
    composed, delivered = bench.commit(bench.order((before, after)))

    assert delivered.refusal is None
    assert composed.skipped_hooks == ("pre-commit", "commit-msg", "post-commit")
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["split", "worktree", "sha256", "packed", "sparse"])
def test_shapes_of_repositories(tmp_path: Path, kind: str) -> None:
    """A split or sparse index, a linked work tree, SHA-256 and packed refs are all committed to."""
    arguments = ("--object-format=sha256",) if kind == "sha256" else ()
    repository = Repository.create(tmp_path / "r", *arguments)
    repository.write("a.txt", "one\n")
    repository.write("b.txt", "two\n")
    repository.commit("first")
    branch = "main"
    match kind:
        case "split":
            repository.git("update-index", "--split-index")
        case "worktree":
            repository.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
            repository, branch = Repository(root=tmp_path / "linked"), "linked"
        case "packed":
            repository.git("pack-refs", "--all")
            repository.git("gc", "-q")
        case "sparse":
            repository.write("deep/far/c.txt", "three\n")
            repository.commit("deep")
            repository.git("sparse-checkout", "set", "--cone", "--sparse-index")
    bench = Bench.of(repository)

    def work(made: Repository) -> None:
        made.write("a.txt", "one and more\n")
        made.remove("b.txt")

    pair = bench.work(work)
    composed, delivered = bench.commit(bench.order(pair, branch=f"refs/heads/{branch}"))
    bench.close()

    assert (composed.refusal, delivered.refusal) == (None, None)
    assert repository.git("rev-parse", branch) == composed.commit
    assert changed(repository) == ["a.txt", "b.txt"]
    assert status(repository) == ""
    repository.git("fsck", "--strict")


def test_many_files_come_in_as_one_pack(bench: Bench) -> None:
    """A commit of hundreds of files leaves the repository whole and clean."""

    def work(made: Repository) -> None:
        for number in range(300):
            made.write(f"many/{number}.txt", f"{number}\n")

    pair = bench.work(work)
    bench.commit(bench.order(pair))

    assert len(changed(bench.repository)) == 300
    assert status(bench.repository) == ""
    bench.repository.git("fsck", "--strict")


def test_a_file_system_without_exec_bits_changes_no_mode(bench: Bench) -> None:
    """With `core.fileMode` off the committed bit stays, and a new file is an ordinary one, as with git itself."""
    repository = bench.repository
    repository.git("config", "core.fileMode", "false")
    for path in ("main.rs", "lib.rs"):
        (repository.root / path).chmod(0o755)

    def work(made: Repository) -> None:
        made.write("main.rs", "fn main() {}\n")
        (made.root / "main.rs").chmod(0o755)
        made.write("new.rs", "// new\n", executable=True)

    bench.commit(bench.order(bench.work(work)))

    assert repository.git("ls-tree", "HEAD", "main.rs", "new.rs").count("100644") == 2
    assert status(repository) == ""


def test_the_persons_signature_is_followed(bench: Bench, tmp_path: Path) -> None:
    """`commit.gpgSign` with a key that signs: the commit is signed; with one that does not, there is no commit."""
    repository = bench.repository
    if shutil.which("ssh-keygen") is None:
        pytest.skip("not on this machine: ssh-keygen")
    key = tmp_path / "key"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True, stdin=subprocess.DEVNULL
    )
    home = Path(os.environ["HOME"])
    home.joinpath(".gitconfig").write_text(
        f"[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = {key}\n"
    )
    pair = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    key.rename(tmp_path / "away")
    refused, _ = bench.commit(bench.order(pair))
    (tmp_path / "away").rename(key)
    composed, delivered = bench.commit(bench.order(pair))

    assert refused.refusal == "signing_failed"
    assert (composed.signed, delivered.refusal) == (True, None)
    assert "-----BEGIN SSH SIGNATURE-----" in repository.git("cat-file", "commit", "HEAD")
    assert repository.git("log", "-1", "--format=%an") == "A Person"


def test_a_file_system_without_links(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file can have one name only, lock and index are copies: the same commit, the same refusals."""

    def no_link(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    repository = bench.repository
    order = bench.order(bench.work(lambda made: made.write("main.rs", "fn main() {}\n")))
    monkeypatch.setattr(os, "link", no_link)
    monkeypatch.setattr("unlost.publish.commits._PATIENCE", 0.0)
    lock = repository.root / ".git" / "index.lock"
    lock.write_bytes(b"")
    assert bench.commit(order)[1].refusal == "index_locked"
    lock.unlink()
    index = (repository.root / ".git" / "index").read_bytes()
    branch = repository.root / ".git" / "refs" / "heads" / "main.lock"
    branch.write_bytes(b"")
    assert bench.commit(order)[1].refusal == "index_locked"
    assert (repository.root / ".git" / "index").read_bytes() == index
    branch.unlink()

    assert bench.commit(order)[1].refusal is None
    assert status(repository) == ""
    assert not [name for name in os.listdir(repository.root / ".git") if "unlost" in name or name.endswith(".lock")]


def test_a_shared_repository_stays_shared(bench: Bench) -> None:
    """`core.sharedRepository`: what a commit adds can be written by the group, as what git itself adds."""
    repository = bench.repository
    repository.git("config", "core.sharedRepository", "group")
    composed, _ = bench.commit(bench.order(bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))))
    assert composed.commit is not None
    place = repository.root / ".git" / "objects" / composed.commit[:2]

    assert place.stat().st_mode & 0o070 == 0o070
    assert (place / composed.commit[2:]).stat().st_mode & 0o040


def test_a_unit_that_began_on_no_branch_commits_to_none(bench: Bench) -> None:
    """Where HEAD was detached at admission no branch is the unit's, whichever HEAD is on now."""
    pair = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    head = bench.repository.git("rev-parse", "main")

    assert bench.commit(bench.order(pair, branch=None))[0].refusal == "detached"
    assert bench.repository.git("rev-parse", "main") == head
