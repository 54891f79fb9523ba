"""The user's repository, found and read as data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.repository import Repository

from unlost.facts.errors import NotARepository, UsageError
from unlost.git.call import Git, GitFailed, clean_environment
from unlost.git.formats import SHA1, SHA256
from unlost.git.parse import UnexpectedAnswer, parse_complaints, parse_status
from unlost.git.repository import discover, head_of, refs_of, stashes_of
from unlost.git.version import MINIMUM, installed_version, parse_version, require_version


def test_found_from_below(repository: Repository) -> None:
    """The work tree is found from any folder in it, also through a link, as its real path."""
    (repository.root / "docs" / "deep").mkdir()
    link = repository.root.parent / "link"
    link.symlink_to(repository.root)
    for start in (repository.root, repository.root / "docs" / "deep", link / "docs"):
        found = discover(str(start))
        assert found.root == str(repository.root.resolve())
        assert found.git_dir == found.common_dir == str(repository.root.resolve() / ".git")
        assert found.object_format == SHA1


def test_a_folder_that_only_bears_the_name_is_passed_by(repository: Repository) -> None:
    """An empty folder `.git` below a work tree hides nothing: as for git, the work tree above is meant."""
    (repository.root / "docs" / ".git").mkdir()

    assert discover(str(repository.root / "docs")).root == os.path.realpath(repository.root)


def test_a_hollow_folder_above_makes_no_work_tree(tmp_path: Path) -> None:
    """Where nothing above is a work tree either, that is what is said, whatever bears the name on the way up."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "inner").mkdir()

    with pytest.raises(NotARepository, match="not inside a git work tree"):
        discover(str(tmp_path / "inner"))
    with pytest.raises(NotARepository, match="not a git repository"):
        discover(str(tmp_path))


def test_sha256_is_told(tmp_path: Path) -> None:
    """The object format is read from the configuration."""
    Repository.create(tmp_path / "r", "--object-format=sha256")

    assert discover(str(tmp_path / "r")).object_format == SHA256


def test_linked_work_tree(repository: Repository) -> None:
    """A linked work tree has a git dir of its own and shares the other."""
    linked = repository.root.parent / "linked"
    repository.git("worktree", "add", "-q", str(linked))
    found = discover(str(linked))

    assert found.git_dir == str(repository.root.resolve() / ".git" / "worktrees" / "linked")
    assert found.common_dir == str(repository.root.resolve() / ".git")


@pytest.mark.parametrize("where", ["bare", "inside .git", "nothing", "missing", "broken", "bare setting"])
def test_not_a_work_tree(tmp_path: Path, repository: Repository, where: str) -> None:
    """A bare repository, a git dir, a folder without any, a missing one and a broken one are told with a hint."""
    folders = {
        "bare": tmp_path / "bare.git",
        "inside .git": repository.root / ".git" / "refs",
        "nothing": tmp_path,
        "missing": tmp_path / "missing",
        "broken": tmp_path / "broken",
        "bare setting": repository.root,
    }
    Repository.create(folders["bare"], "--bare")
    (folders["broken"] / ".git").mkdir(parents=True)
    repository.git("config", "core.bare", "true")

    with pytest.raises(NotARepository) as refused:
        discover(str(folders[where]))
    assert refused.value.hint


def test_other_ref_formats_are_refused(repository: Repository) -> None:
    """A repository whose refs are not files is refused, rather than read as unborn."""
    config = repository.root / ".git" / "config"
    config.write_text(config.read_text() + "[extensions]\n\trefStorage = reftable\n")
    with pytest.raises(UsageError, match="refs"):
        discover(str(repository.root))


def test_head_in_every_form(repository: Repository) -> None:
    """On a branch, packed, detached, symbolic twice, unborn, and as an old symbolic link."""
    found = discover(str(repository.root))
    oid = repository.git("rev-parse", "HEAD")
    heads = [head_of(found)]
    repository.git("pack-refs", "--all")
    heads.append(head_of(found))
    repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repository.git("symbolic-ref", "HEAD", "refs/heads/alias")
    heads.append(head_of(found))
    (repository.root / ".git" / "HEAD").unlink()
    (repository.root / ".git" / "HEAD").symlink_to("refs/heads/main")
    heads.append(head_of(found))
    (repository.root / ".git" / "HEAD").unlink()
    (repository.root / ".git" / "HEAD").write_text(f"{oid}\n")
    heads.append(head_of(found))
    (repository.root / ".git" / "HEAD").write_text("ref: refs/heads/unborn\n")
    heads.append(head_of(found))

    assert [head.oid for head in heads] == [oid, oid, oid, oid, oid, None]
    branches = ["refs/heads/main", "refs/heads/main", "refs/heads/alias", "refs/heads/main", None, "refs/heads/unborn"]
    assert [head.branch for head in heads] == branches


def test_symbolic_refs_in_a_ring_end(repository: Repository) -> None:
    """A ring of symbolic refs is an unborn HEAD, not a hang."""
    for name, target in (("a", "b"), ("b", "a")):
        (repository.root / ".git" / "refs" / "heads" / name).write_text(f"ref: refs/heads/{target}\n")
    (repository.root / ".git" / "HEAD").write_text("ref: refs/heads/a\n")

    assert head_of(discover(str(repository.root))).oid is None


def test_refs_and_stashes(repository: Repository) -> None:
    """Branches, remotes and tags are listed, and nothing else; stashes come newest first."""
    oid = repository.git("rev-parse", "HEAD")
    for name in ("heads/a/b", "remotes/origin/x", "tags/t", "notes/n", "jj/keep"):
        repository.git("update-ref", f"refs/{name}", oid)
    for text in ("one", "two"):
        repository.write("main.rs", text)
        repository.git("stash", "push", "-q")
    found = discover(str(repository.root))
    stashes = [repository.git("rev-parse", f"stash@{{{number}}}") for number in (0, 1)]

    assert sorted(refs_of(found)) == ["refs/heads/a/b", "refs/heads/main", "refs/remotes/origin/x", "refs/tags/t"]
    assert list(stashes_of(found)) == stashes
    repository.git("stash", "clear")
    assert stashes_of(found) == ()


def test_environment_is_built_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A git process gets no variable of ours but those that are set on purpose."""
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "/bin/false")
    monkeypatch.setenv("LD_PRELOAD", "/nowhere")
    environment = clean_environment("/home-of-ours")

    assert environment["HOME"] == "/home-of-ours"
    assert {"GIT_EXTERNAL_DIFF", "LD_PRELOAD"}.isdisjoint(environment)


def test_failure_of_git_is_told(tmp_path: Path) -> None:
    """A failed call names the command, the code and what git said; a full disk is told apart."""
    with pytest.raises(GitFailed, match="rev-parse") as failed:
        Git(str(tmp_path), home=str(tmp_path)).run("rev-parse", "HEAD")

    assert failed.value.status == 128
    assert "not a git repository" in failed.value.stderr
    assert not failed.value.disk_is_full
    assert GitFailed("add", exit_code=128, stderr="write error: No space left on device").disk_is_full


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("git version 2.39.5\n", (2, 39, 5)),
        ("git version 2.39.5 (Apple Git-154)\n", (2, 39, 5)),
        ("git version 2.50.0.windows.1\n", (2, 50, 0)),
        ("git version 3.0\n", (3, 0, 0)),
        ("git version 2.53.GIT\n", (2, 53, 0)),
    ],
)
def test_versions(text: str, version: tuple[int, int, int]) -> None:
    """The version is read from every form that builds of git print."""
    assert parse_version(text) == version


def test_installed_git_is_new_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The git of this machine passes; an older one is refused with both numbers."""
    require_version()
    assert installed_version() >= MINIMUM
    monkeypatch.setattr("unlost.git.version.installed_version", lambda: (2, 30, 1))
    with pytest.raises(Exception, match=r"2\.30\.1 is too old"):
        require_version()
    with pytest.raises(ValueError, match="version"):
        parse_version("hub version 1")


def test_status_records() -> None:
    """Every kind of record is taken apart; names keep their bytes; reserved folders go; unknown records are refused."""
    oid = b"0" * 40
    data = b"\0".join(
        (
            b"1 .M N... 100644 100644 100644 %b %b a b\xff" % (oid, oid),
            b"u UU N... 100644 100644 100644 100644 %b %b %b torn\nname" % (oid, oid, oid),
            b"? new file",
            b"? nested/",
            b"? .jj/state",
            b"? sub/.unlost/x",
            b"",
        )
    )
    found = parse_status(data)

    assert (found.tracked, found.untracked, found.nested) == ((b"a b\xff", b"torn\nname"), (b"new file",), (b"nested",))
    with pytest.raises(UnexpectedAnswer):
        parse_status(b"3 what is this\0")


def test_complaints() -> None:
    """Folders and files that could not be opened are read from stderr; other lines are none."""
    lines = ("'a/b/': Permission denied", "'./': Permission denied")
    data = "hint: something\n" + "".join(f"warning: could not open directory {line}\n" for line in lines)
    data += "a/b: c: Permission denied\nwarning: x: Permission denied\na dead disk: Input/output error\n"

    assert parse_complaints(data.encode()) == (b"a/b", b".", b"a/b: c", b"a dead disk")
