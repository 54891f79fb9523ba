"""A repository that misleads git about what is in the work tree: unlost goes by the files themselves.

Each test proves first that plain git is fooled; otherwise it would prove nothing.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from kit.program import Program
from kit.repository import Repository

from unlost.app.plain import Workspace
from unlost.facts.quoting import path_json
from unlost.settings import read_settings

pytestmark = pytest.mark.slow

COMMITTED = b"fn main() {\n    legacy_parse();\n}\n"
EDITED = b"fn main() {\n    decoys_parse();\n}\n"
"""As long as the committed text: only the content tells."""


def mark(repository: Repository) -> dict[str, Any]:
    """Take a boundary in process."""
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        return workspace.mark().to_json()


def check(repository: Repository, *, paranoid: bool = False) -> dict[str, Any]:
    """Prove all claims in process."""
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        return workspace.check(paranoid=paranoid).to_json()


def captured(repository: Repository, snapshot: str, path: bytes) -> bytes:
    """A file of a snapshot."""
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        return workspace.content(snapshot, path)


def restore_lost(repository: Repository) -> dict[str, Any]:
    """Put every loss back, in process."""
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        return workspace.restore(lost=True).to_json()


def status(repository: Repository) -> str:
    """What plain git says of the tree."""
    return repository.git("status", "--porcelain")


def put_back(repository: Repository) -> dict[str, Any]:
    """Mark the edit, undo it behind git's back, and let unlost find and repair that."""
    boundary = mark(repository)
    repository.write("main.rs", COMMITTED)
    assert [lost["path"] for lost in check(repository)["lost"]] == ["main.rs"]
    assert restore_lost(repository)["verified"]
    assert repository.read("main.rs") == EDITED
    return boundary


def test_another_work_tree_in_the_configuration(repository: Repository, tmp_path: Path) -> None:
    """`core.worktree` leads git to another folder; unlost captures and restores where `.git` is."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_text("precious\n")
    repository.write("main.rs", EDITED)
    repository.git("config", "core.worktree", str(victim))
    assert "?? precious" in status(repository)

    put_back(repository)

    assert os.listdir(victim) == ["precious"]


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_flags_in_the_index(repository: Repository, flag: str) -> None:
    """A file that the index calls unchanged is captured, claimed and restored."""
    repository.git("update-index", flag, "main.rs")
    repository.write("main.rs", EDITED)
    assert status(repository) == ""

    assert put_back(repository)["claims"] == 1


def test_forged_stat_data_in_the_index(repository: Repository) -> None:
    """An index entry with the edit's stat data and the committed id hides the edit from git, not from unlost."""
    old = bytes.fromhex(repository.git("rev-parse", "HEAD:main.rs"))
    repository.write("main.rs", EDITED)
    os.utime(repository.root / "main.rs", (1_000_000_000, 1_000_000_000))
    repository.git("add", "main.rs")
    new = bytes.fromhex(repository.git("rev-parse", ":main.rs"))
    index = repository.root / ".git" / "index"
    forged = index.read_bytes()[:-20].replace(new, old)
    # The cached trees name the staged content; without them git compares entries.
    forged = forged[: forged.index(b"TREE")] if b"TREE" in forged else forged
    index.write_bytes(forged + hashlib.sha1(forged, usedforsecurity=False).digest())
    assert status(repository) == ""

    assert put_back(repository)["claims"] == 1


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", "../outside", "/etc/passwd", ".GIT/config"])
def test_forged_paths_in_the_index(repository: Repository, path: str, tmp_path: Path) -> None:
    """An index entry for a path outside the tree or inside `.git` changes nothing there, and stops no command."""
    repository.write("main.rs", EDITED)
    repository.write("x" * len(path), "x\n")
    repository.git("add", "x" * len(path))
    index = repository.root / ".git" / "index"
    forged = index.read_bytes()[:-20].replace(b"x" * len(path), path.encode())
    index.write_bytes(forged + hashlib.sha1(forged, usedforsecurity=False).digest())
    assert path in repository.git("ls-files", check=False)
    before = repository.outside_objects()

    put_back(repository)

    assert repository.outside_objects() == before
    assert not (tmp_path / "outside").exists()


def test_rules_that_hide_new_files(repository: Repository) -> None:
    """Rules in `info/exclude` and settings that hide untracked files cost nothing: they come back all the same."""
    repository.write("backdoor.py", "first\n")
    repository.write(".git/info/exclude", "*\n")
    repository.git("config", "status.showUntrackedFiles", "no")
    assert status(repository) == ""

    boundary = mark(repository)
    assert captured(repository, boundary["snapshot"], b"backdoor.py") == b"first\n"
    repository.remove("backdoor.py")

    assert [lost["path"] for lost in check(repository)["lost"]] == ["backdoor.py"]
    assert restore_lost(repository)["verified"]
    assert repository.read("backdoor.py") == b"first\n"


def test_stat_data_that_says_nothing_changed(repository: Repository) -> None:
    """An edit of the same size and time within one second fools every look at stat data; `--paranoid` reads it."""
    os.utime(repository.root / "main.rs", (1_000_000_000, 1_000_000_000))
    repository.git("config", "core.trustctime", "false")
    repository.git("config", "core.checkStat", "minimal")
    repository.git("update-index", "--refresh")
    mark(repository)
    repository.write("main.rs", EDITED)
    os.utime(repository.root / "main.rs", (1_000_000_000, 1_000_000_000))
    assert status(repository) == ""

    assert check(repository, paranoid=True)["changed"] == ["main.rs"]


def test_replace_refs(repository: Repository) -> None:
    """A replace ref shows another HEAD; claims are held against the real one."""
    repository.write("main.rs", EDITED)
    lie = repository.git("commit-tree", "-m", "lie", repository.git("stash", "create") + "^{tree}")
    repository.git("replace", "HEAD", lie)
    assert repository.git("show", "HEAD:main.rs").encode() + b"\n" == EDITED

    assert put_back(repository)["claims"] == 1


@pytest.mark.parametrize("place", [".git/info/grafts", ".git/shallow"])
def test_grafts_and_a_forged_shallow_file(repository: Repository, place: str) -> None:
    """History cut short by grafts or a shallow file hides no commit that was there at the boundary."""
    repository.write("main.rs", "second\n")
    repository.commit("second")
    repository.write("main.rs", EDITED)
    repository.write(place, repository.git("rev-parse", "HEAD") + "\n")
    assert len(repository.git("log", "--format=%H").split()) == 1

    boundary = mark(repository)
    assert boundary["claims"] == 1
    repository.write("main.rs", COMMITTED)

    assert [lost["state"] for lost in check(repository)["lost"]] == ["reverted"]


def test_an_object_whose_content_is_not_its_name(repository: Repository) -> None:
    """A loose object that lies about its content is never stored as what it claims to be."""
    oid = repository.git("rev-parse", "HEAD:lib.rs")
    lie = repository.git("hash-object", "-w", str(repository.root / "main.rs"))
    objects = repository.root / ".git" / "objects"
    place = objects / oid[:2] / oid[2:]
    place.chmod(0o644)
    place.write_bytes((objects / lie[:2] / lie[2:]).read_bytes())
    assert repository.git("cat-file", "blob", oid).encode() + b"\n" == COMMITTED
    repository.write("main.rs", EDITED)

    boundary = mark(repository)

    assert captured(repository, boundary["snapshot"], b"main.rs") == EDITED
    assert captured(repository, boundary["snapshot"], b"lib.rs") == b"pub fn legacy_parse() {}\n"


def test_names_that_look_like_options(repository: Repository, program: Program) -> None:
    """Branches and files that begin with a dash, or look like patterns, are names and nothing else."""
    head = repository.git("rev-parse", "HEAD")
    repository.write(".git/refs/heads/--output=pwned", head + "\n")
    assert "--output=pwned" in repository.git("for-each-ref", "--format=%(refname)")
    names = ["--output=pwned", "-rf", "*", ":(top)x", "@{0}", "HEAD"]
    for name in names:
        repository.write(name, f"content of {name}\n")
    program("mark")
    for name in names:
        repository.remove(name)

    lost = {each["path"]: each["restore"] for each in program("check", "--json", code=4).json["lost"]}

    assert set(lost) == set(names)
    for command in lost.values():
        subprocess.run(
            ["sh", "-c", command.replace("unlost", " ".join(program.command()), 1)], cwd=repository.root, check=True
        )
    assert {name: repository.read(name).decode() for name in names} == {name: f"content of {name}\n" for name in names}
    assert not (repository.root / "pwned").exists()


def test_odd_names(repository: Repository, program: Program) -> None:
    """Newlines, escapes, bidi, quotes and bytes that are no text are captured, told harmlessly, and restored."""
    names = [
        b"new\nline", b"esc\x1b[31mred", "rtl\u202egnp.exe".encode(), "zero\u200bwidth".encode(), b"tab\tx",
        b"no\xfftext", b"quote\"'$(touch pwned)", b" blank ", b"<script>", b"back\\slash",
    ]  # fmt: skip
    top = os.fsencode(repository.root)
    for name in names:
        Path(os.fsdecode(top + b"/" + name)).write_bytes(name)
    program("mark")
    for name in names:
        os.unlink(top + b"/" + name)

    text = program("check", code=4).out
    lost = program("check", "--json", code=4).json["lost"]
    program("restore", "--lost")

    assert not set("\x1b\u202e\u200b\t") & set(text)
    assert sorted(map(str, (each["path"] for each in lost))) == sorted(map(str, map(path_json, names)))
    assert {name: Path(os.fsdecode(top + b"/" + name)).read_bytes() for name in names} == {name: name for name in names}


def test_links_in_place_of_rule_files(repository: Repository, tmp_path: Path) -> None:
    """`.gitignore` and `.gitattributes` that are links are captured as links; what they lead to is no rule."""
    (tmp_path / "rules").write_text("*\n* filter=x\n")
    for name in (".gitignore", ".gitattributes"):
        (repository.root / name).symlink_to(tmp_path / "rules")
    repository.write("main.rs", EDITED)
    repository.write("new.txt", "new\n")

    boundary = put_back(repository)

    assert captured(repository, boundary["snapshot"], b".gitignore") == os.fsencode(tmp_path / "rules")
    assert boundary["claims"] == 4


def test_a_bare_repository_buried_in_the_tree(repository: Repository, tmp_path: Path) -> None:
    """A folder that looks like a git dir is captured as files, and nothing that it configures runs."""
    buried, alarm = repository.root / "docs" / "buried", tmp_path / "alarm"
    subprocess.run(["git", "init", "-q", "--bare", str(buried)], check=True)
    (buried / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tworktree = {tmp_path}\n\tfsmonitor = touch {alarm}\n"
    )
    subprocess.run(["git", "status"], cwd=buried, capture_output=True, check=False)
    assert alarm.exists()
    alarm.unlink()
    repository.write("main.rs", EDITED)

    boundary = put_back(repository)

    assert b"fsmonitor" in captured(repository, boundary["snapshot"], b"docs/buried/config")
    assert not alarm.exists()


@pytest.mark.parametrize("name", [".git", ".GIT", "git~1", ".g\u200cit", "..", "."])
def test_a_committed_tree_with_names_that_lead_into_git(repository: Repository, name: str) -> None:
    """A commit may hold entries that lead into `.git` or above the root; nothing is ever written there."""
    listed = repository.git("ls-tree", "HEAD") + "\n"
    hooks = repository.git("rev-parse", "HEAD:main.rs")
    folder = _made(repository, "mktree", f"100644 blob {hooks}\tconfig\n")
    tree = _made(repository, "mktree", f"{listed}040000 tree {folder}\t{name}\n")
    repository.git("update-ref", "refs/heads/main", repository.git("commit-tree", "-m", "x", "-p", "HEAD", tree))
    assert f"{name}/config" in repository.git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD")
    repository.write("main.rs", EDITED)
    before = repository.outside_objects()
    above = sorted(os.listdir(repository.root.parent))

    put_back(repository)
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        workspace.rewind(workspace.boundaries().rows[0]["snapshot"])

    assert repository.outside_objects() == before
    assert sorted(os.listdir(repository.root.parent)) == above


def _made(repository: Repository, command: str, data: str) -> str:
    done = subprocess.run(["git", command], cwd=repository.root, input=data.encode(), capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.mark.parametrize(
    ("name", "value", "misled"),
    [
        ("GIT_DIR", "/nowhere", ("status",)),
        ("GIT_WORK_TREE", "/nowhere", ("status",)),
        ("GIT_INDEX_FILE", "/nowhere/index", ("ls-files",)),
        ("GIT_OBJECT_DIRECTORY", "/nowhere", ("cat-file", "-e", "HEAD")),
        ("GIT_NAMESPACE", "other", ("ls-remote", ".")),
        ("GIT_EXTERNAL_DIFF", "PROGRAM", ("diff",)),
        ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor=PROGRAM'", ("status",)),
        ("GIT_CONFIG", "/nowhere/config", ("config", "--list")),
        ("GIT_TRACE", "ALARM", ("status",)),
        ("GIT_TRACE2", "ALARM", ("status",)),
        ("GIT_EXEC_PATH", "/nowhere", ("submodule", "status")),
        ("GIT_TEMPLATE_DIR", "HOOKS", ("init", "-q", "../made")),
        ("GIT_SSH_COMMAND", "PROGRAM", ("ls-remote", "ssh://h/r")),
        ("GIT_PROXY_COMMAND", "PROGRAM", ("ls-remote", "git://h/r")),
        ("GIT_ASKPASS", "PROGRAM", ("credential", "fill")),
    ],
)
def test_variables_of_git(
    repository: Repository, program: Program, tmp_path: Path, name: str, value: str, misled: tuple[str, ...]
) -> None:
    """Variables that steer git, or make it run or write something, reach none of unlost's git processes."""
    alarm, planted = tmp_path / "alarm", tmp_path / "templates" / "hooks" / "post-commit"
    planted.parent.mkdir(parents=True)
    planted.write_text(f"#!/bin/sh\ntouch '{alarm}'\n")
    planted.chmod(0o755)
    for word, place in (("PROGRAM", planted), ("ALARM", alarm), ("HOOKS", planted.parent.parent)):
        value = value.replace(word, str(place))
    repository.write("main.rs", EDITED)
    plain, fooled = (
        subprocess.run(
            ["git", *misled],
            cwd=repository.root,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", **variables},
            input=b"protocol=https\nhost=h\n\n",
            capture_output=True,
            check=False,
        )
        for variables in ({}, {name: value})
    )
    changed = (plain.returncode, plain.stdout) != (fooled.returncode, fooled.stdout)
    assert changed or alarm.exists() or (tmp_path / "made/.git/hooks/post-commit").exists(), "git is not misled by it"
    alarm.unlink(missing_ok=True)
    steered = program.with_variables(**{name: value})

    steered("mark")
    repository.write("main.rs", COMMITTED)
    assert [lost["path"] for lost in steered("check", "--json", code=4).json["lost"]] == ["main.rs"]
    steered("restore", "--lost")

    assert repository.read("main.rs") == EDITED
    assert not alarm.exists()
