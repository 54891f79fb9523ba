from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from kit.program import Program
from kit.repository import Repository

from unlost.app.finding import find_work
from unlost.app.plain import Workspace
from unlost.plain.find import Query
from unlost.plain.found import Found
from unlost.settings import read_settings
from unlost.traces.claude_history import digest_of

EDIT = "fn main() {\n    parse_all();\n}\n"


def look(repository: Repository, *paths: bytes, text: bytes | None = None, since: float | None = None) -> Found:
    """Find in process."""
    settings = read_settings()
    with Workspace.open(str(repository.root), settings) as workspace:
        return find_work(workspace, settings, Query(paths=paths, text=text, since=since))


def told(found: Found) -> set[tuple[bytes | None, str, str]]:
    """(path, place, ref) of every find."""
    return {(find.path, find.place, find.ref) for find in found.search.finds}


def places(found: Found, path: bytes | None, oid: str) -> set[str]:
    """The places that hold a content under a name."""
    return {find.place for find in found.search.finds if find.path == path and find.entry.oid == oid}


def oid_of(repository: Repository, content: str) -> str:
    """The id that git gives a content; nothing is written."""
    done = subprocess.run(
        ["git", "hash-object", "--stdin"], cwd=repository.root, input=content.encode(), capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def test_every_place_of_git_is_looked_into(repository: Repository, tmp_path: Path) -> None:
    """Stash, dropped stash, index, unreachable commit, reflog, branch, remote, work tree and history are found."""
    wanted: dict[str, str] = {}

    def make(place: str) -> str:
        wanted[place] = oid_of(repository, f"{place}\n")
        return f"{place}\n"

    root = repository.git("rev-parse", "HEAD")
    repository.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    (tmp_path / "linked" / "a.txt").write_text(make("worktree"))
    for branch, ref in (("branch", None), ("remote", "refs/remotes/origin/x")):
        repository.git("switch", "-q", "-c", branch, root)
        repository.write("a.txt", make(branch))
        repository.commit(branch)
        repository.git("switch", "-q", "main")
        if ref is not None:
            repository.git("update-ref", ref, branch)
            repository.git("branch", "-q", "-D", branch)
    repository.write("a.txt", make("history"))
    repository.commit("history")
    repository.write("a.txt", "kept\n")
    repository.commit("newer")
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.write("a.txt", make("dangling"))
    repository.git("stash")
    repository.git("stash", "drop", "-q")
    repository.write("a.txt", make("reflog"))
    repository.commit("reset away")
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.write("a.txt", make("stash"))
    repository.git("stash")
    repository.write("a.txt", make("index"))
    repository.git("add", "a.txt")
    repository.write("a.txt", "here\n")
    before = repository.outside_objects()

    found = look(repository, b"a.txt")

    assert {place: places(found, b"a.txt", oid) for place, oid in wanted.items()} == {
        place: {place} for place in wanted
    }
    assert repository.outside_objects() == before
    assert repository.read("a.txt") == b"here\n"


def test_an_open_query_tells_only_what_is_at_risk(repository: Repository) -> None:
    """Without a path or text, what HEAD holds and what stands in the tree is left out; a nameless content is told."""
    assert look(repository).search.finds == ()
    repository.write("main.rs", EDIT)
    repository.git("stash")
    repository.write("nameless.txt", "nameless\n")
    repository.git("add", "nameless.txt")
    repository.git("reset", "-q", "--hard")

    assert told(look(repository)) == {
        (b"main.rs", "stash", "stash@{0}"),
        (None, "dangling", oid_of(repository, "nameless\n")),
    }
    repository.git("stash", "apply", "-q")
    assert {find.path for find in look(repository).search.finds} == {None}


def test_own_snapshots_and_autosaves_are_looked_into(repository: Repository, program: Program) -> None:
    """Every version that a boundary or an autosave took is found, ignored files too, and its command restores it."""
    repository.write(".gitignore", "*.secret\n")
    repository.write("key.secret", "precious\n")
    repository.write("new.txt", "first\n")
    program("mark")
    repository.write("new.txt", "second\n")
    program("check", code=None)
    repository.remove("new.txt")
    repository.remove("key.secret")

    rows = program("find", "new.txt", "key.secret", "--json").json["found"]

    assert {(row["path"], row["place"], row["bytes"]) for row in rows} == {
        ("new.txt", "snapshot", len("first\n")),
        ("new.txt", "snapshot", len("second\n")),
        ("key.secret", "snapshot", len("precious\n")),
    }
    assert {(row["path"], row["bytes"]) for row in program("find", "--json").json["found"]} == {
        (row["path"], row["bytes"]) for row in rows
    }
    first = next(row for row in rows if row["bytes"] == len("first\n"))
    program(*first["restore"].split()[1:])
    assert repository.read("new.txt") == b"first\n"


def test_a_text_is_looked_for_everywhere(repository: Repository) -> None:
    """`--text` finds contents by what they hold, named or not, in history too."""
    repository.write("old.rs", "fn needle() {}\n")
    repository.commit("with")
    repository.git("rm", "-q", "old.rs")
    repository.git("commit", "-q", "-m", "without")
    repository.write("stray.txt", "a needle in the hay\n")
    repository.git("add", "stray.txt")
    repository.git("reset", "-q", "--hard")

    found = look(repository, text=b"needle")

    assert {(find.path, find.place) for find in found.search.finds} == {(b"old.rs", "history"), (None, "dangling")}
    assert look(repository, b"docs", text=b"needle").search.finds[0].path is None
    assert look(repository, text=b"no such text").exit_code == 1


def test_since_leaves_older_finds_out(repository: Repository) -> None:
    """`--since` keeps what is no older; the commits of tests are from 2026-01-02."""
    committed_at = float(repository.git("log", "-1", "--format=%ct"))

    older = look(repository, b"main.rs", since=committed_at + 1)
    assert {find.place for find in look(repository, b"main.rs", since=committed_at).search.finds} == {
        "index",
        "history",
    }
    assert {find.place for find in older.search.finds} == {"index"}


def test_copies_of_editors_and_agents_are_found(repository: Repository, program: Program) -> None:
    """A file that git never saw comes back from VS Code's local history and from Claude Code's file history."""
    home, root = Path(os.environ["HOME"]), repository.root.resolve()
    history = home / ".config" / "Code" / "User" / "History" / "1a2b"
    history.mkdir(parents=True)
    (history / "Ab Cd.py").write_text("saved\n")
    listed = {"version": 1, "resource": (root / "lost.py").as_uri(), "entries": [{"id": "Ab Cd.py", "timestamp": 1e12}]}
    (history / "entries.json").write_text(json.dumps(listed))
    session = home / ".claude" / "file-history" / "s"
    session.mkdir(parents=True)
    (session / f"{digest_of(str(root), b'lost.py')}@v1").write_text("backed up\n")

    rows = program("find", "lost.py", "--json").json["found"]

    assert {(row["place"], row["bytes"]) for row in rows} == {("vscode", 6), ("claude", 10)}
    assert all(str(home) not in json.dumps(row) for row in rows)
    command = next(row["restore"] for row in rows if row["place"] == "vscode")
    subprocess.run(["sh", "-c", command], cwd=repository.root, check=True)
    assert repository.read("lost.py") == b"saved\n"


def test_to_writes_the_newest_of_each_and_overwrites_nothing(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """`--to` writes what was found into a folder; a file that stands there is kept, and named; exit 1 then."""
    repository.write("main.rs", EDIT)
    repository.write("docs/new.md", "new\n")
    repository.git("stash", "-u")
    folder = tmp_path / "found"

    program("find", "--to", str(folder))

    assert (folder / "main.rs").read_text() == EDIT
    assert (folder / "docs" / "new.md").read_text() == "new\n"
    (folder / "main.rs").write_text("mine\n")
    again = program("find", "--to", str(folder), code=1)
    assert "main.rs" in again.err
    assert (folder / "main.rs").read_text() == "mine\n"


def test_the_answer_is_the_contract(repository: Repository, program: Program) -> None:
    """`unlost.find/1` has exactly its keys; nothing found is exit 1; no workspace is registered by looking."""
    repository.write("main.rs", EDIT)
    repository.git("stash")

    document = program("find", "main.rs", "--json").json
    nothing = program("find", "never.rs", "--json", code=1).json

    assert set(document) == {"schema", "found"}
    assert set(document["found"][0]) == {"path", "place", "ref", "at", "bytes", "oid", "restore"}
    assert nothing == {"schema": "unlost.find/1", "found": []}
    assert program("status", "--json").json["workspace"] is None


@pytest.mark.slow
def test_ten_thousand_dangling_objects_are_bounded(repository: Repository, program: Program) -> None:
    """Ten thousand nameless contents are looked through in seconds, by text too."""
    names = [f"n{number}" for number in range(10_000)]
    for name in names:
        (repository.root / name).write_text(f"content of {name}\n")
    repository.git("add", "-A")
    repository.git("reset", "-q", "--hard")

    assert len(program("find", "--json").json["found"]) == 10_000
    assert len(program("find", "--text", "content of n777\n", "--json").json["found"]) == 1
