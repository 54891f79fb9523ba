from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from unlost.traces.claude_history import claude_copies, digest_of
from unlost.traces.local_copies import LocalCopy
from unlost.traces.vscode_history import vscode_copies, vscode_folders

ROOT = "/work/a project"


def vscode_entry(history: Path, name: str, resource: str, contents: dict[str, bytes]) -> Path:
    """One file's folder in a local history, as VS Code writes it."""
    folder = history / name
    folder.mkdir(parents=True)
    entries = [{"id": each, "timestamp": 1_700_000_000_000 + 1000 * n} for n, each in enumerate(contents)]
    (folder / "entries.json").write_text(json.dumps({"version": 1, "resource": resource, "entries": entries}))
    for each, data in contents.items():
        (folder / each).write_bytes(data)
    return folder


def claude_session(folder: Path, session: str, contents: dict[str, bytes]) -> None:
    """One session's file history, as Claude Code writes it; names are `DIGEST@vN`."""
    place = folder / "file-history" / session
    place.mkdir(parents=True)
    for name, data in contents.items():
        (place / name).write_bytes(data)


def transcript(folder: Path, root: str, *records: object) -> None:
    """A transcript of the sessions below a root."""
    project = folder / "projects" / "".join(c if c.isalnum() else "-" for c in root)
    project.mkdir(parents=True)
    (project / "s.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def told(copies: list[LocalCopy]) -> list[tuple[bytes, bytes | None]]:
    return sorted((copy.path, copy.read() or b"") for copy in copies)


def test_vscode_keeps_a_copy_a_save(tmp_path: Path) -> None:
    """Every save of a file below the root is told, with its time; files elsewhere and other schemes are not."""
    vscode_entry(tmp_path, "1", "file:///work/a%20project/src/a.py", {"AbCd.py": b"one\n", "EfGh.py": b"two\n"})
    vscode_entry(tmp_path, "2", "file:///work/a%20project-2/b.py", {"x.py": b"other\n"})
    vscode_entry(tmp_path, "3", "untitled:/work/a%20project/c.py", {"x.py": b"other\n"})
    vscode_entry(tmp_path, "4", "vscode-remote://ssh-remote%2Bhost/work/a%20project/d.py", {"x.py": b"remote\n"})

    found = list(vscode_copies(str(tmp_path), ROOT))

    assert told(found) == [(b"d.py", b"remote\n"), (b"src/a.py", b"one\n"), (b"src/a.py", b"two\n")]
    assert {copy.at for copy in found if copy.path == b"src/a.py"} == {1_700_000_000.0, 1_700_000_001.0}


@pytest.mark.parametrize(
    "listed",
    [
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"resource": 7, "entries": 8}',
        b'{"resource": "file:///work/a project/a.py", "entries": [{"id": "../../secret", "timestamp": 1}]}',
        b'{"resource": "file:///work/a project/../../etc/passwd", "entries": [{"id": "a", "timestamp": 1}]}',
        b'{"resource": "file:///work/a project/.git/config", "entries": [{"id": "a", "timestamp": 1}]}',
        b'{"resource": "file://[", "entries": [{"id": "a", "timestamp": 1}]}',
    ],
    ids=str,
)
def test_a_damaged_or_hostile_list_names_nothing(tmp_path: Path, listed: bytes) -> None:
    """A list that does not parse, or that names files outside its folder or the root, yields nothing and hides none."""
    good = vscode_entry(tmp_path, "good", "file:///work/a%20project/a.py", {"a.py": b"good\n"})
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "entries.json").write_bytes(listed)
    os.utime(good, (1, 1))

    assert told(list(vscode_copies(str(tmp_path), ROOT))) == [(b"a.py", b"good\n")]


def test_a_copy_is_never_read_through_a_link(tmp_path: Path) -> None:
    """A listed copy that is a link, a folder or gone reads as nothing."""
    folder = vscode_entry(tmp_path, "1", "file:///work/a%20project/a.py", {"link": b"", "folder": b"", "gone": b""})
    for name in ("link", "folder", "gone"):
        (folder / name).unlink()
    (folder / "link").symlink_to("/etc/hostname")
    (folder / "folder").mkdir()

    assert [copy.read() for copy in vscode_copies(str(tmp_path), ROOT)] == [None, None, None]


def test_histories_are_looked_for_where_systems_keep_them() -> None:
    """Linux, macOS, relatives of VS Code and remote servers are known."""
    folders = vscode_folders("/h", "/h/.config")

    assert "/h/.config/Code/User/History" in folders
    assert "/h/Library/Application Support/Cursor/User/History" in folders
    assert "/h/.vscode-server/data/User/History" in folders


def test_claude_copies_are_known_by_digest(tmp_path: Path) -> None:
    """A path that somebody names is found by the digest of its absolute name alone; an unknown one is left."""
    known, unknown = digest_of(ROOT, b"src/a.py"), "0123456789abcdef"
    claude_session(tmp_path, "s1", {f"{known}@v1": b"one\n", f"{unknown}@v1": b"?\n", "notes.txt": b"?\n"})
    claude_session(tmp_path, "s2", {f"{known}@v2": b"two\n"})

    assert told(list(claude_copies(str(tmp_path), ROOT, [b"src/a.py"]))) == [
        (b"src/a.py", b"one\n"),
        (b"src/a.py", b"two\n"),
    ]


def test_transcripts_name_what_nothing_else_knows(tmp_path: Path) -> None:
    """Paths of snapshots and deltas, relative or absolute, are told; damaged lines and paths outside are not."""
    names = [b"new.py", b"deep/b.py", b"c.py"]
    claude_session(tmp_path, "s", {f"{digest_of(ROOT, name)}@v1": name for name in names})
    backups = {"new.py": {"backupFileName": "x@v1"}, f"{ROOT}/deep/b.py": {}, "../../etc/passwd": {}, "/etc/passwd": {}}
    transcript(
        tmp_path,
        ROOT,
        {"type": "user", "message": "file-history-snapshot"},
        {"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": backups}},
        {"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": []}},
        {"type": "file-history-delta", "trackingPath": "c.py", "backup": {"backupFileName": None}},
        ["file-history-delta"],
    )

    assert told(list(claude_copies(str(tmp_path), ROOT, []))) == sorted((name, name) for name in names)


def test_without_a_history_there_is_nothing(tmp_path: Path) -> None:
    """Folders that do not exist, or are files, hold nothing."""
    (tmp_path / "file-history").write_text("a file")

    assert list(claude_copies(str(tmp_path), ROOT, [b"a"])) == []
    assert list(claude_copies(str(tmp_path / "none"), ROOT, [b"a"])) == []
    assert list(vscode_copies(str(tmp_path / "none"), ROOT)) == []
