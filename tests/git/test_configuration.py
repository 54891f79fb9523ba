"""Git's configuration files, read as git reads them and followed no further than is safe."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unlost.git.configuration import config_value, expand_home, parse_configuration, read_settings
from unlost.git.parse import parse_config

WRITTEN = r"""
# comment
; another
[core]
	bare = false
	filemode
	Eol=lf ; trailing comment
	excludesFile = "/a path/with # and ; inside"
	quoted = a" b "c
	spaces =   one   two
	escaped = tab\there \"quoted\" back\\slash \
   continued
	empty =
[remote "Origin.X"] url = https://example.org/x.git
[branch "with \"quotes\" and \\ back"]
	remote = .
[Section.Old]
	key = value
[core] autocrlf = input
"""


def git_reads(path: Path) -> dict[str, str]:
    """What git itself makes of a file."""
    done = subprocess.run(
        ["git", "config", "--file", str(path), "--no-includes", "-z", "--list"], check=True, capture_output=True
    )
    return parse_config(done.stdout)


def test_file_is_read_as_git_reads_it(tmp_path: Path) -> None:
    """Sections, quotes, escapes, comments and continued lines come out as git has them."""
    place = tmp_path / "config"
    place.write_text(WRITTEN)
    ours = {key.lower(): value for key, value in read_settings(str(place)).items()}

    assert ours == git_reads(place)
    assert ours["core.excludesfile"] == "/a path/with # and ; inside"
    assert ours["core.escaped"] == 'tab\there "quoted" back\\slash    continued'
    assert read_settings(str(place))["remote.Origin.X.url"] == "https://example.org/x.git"


@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=40))
def test_any_value_survives(value: str) -> None:
    """A path written as a value is read back by git and by us."""
    text = f"[safe]\n\tdirectory = {config_value(value)}\n"
    done = subprocess.run(
        ["git", "config", "--file", "-", "-z", "--get", "safe.directory"],
        input=text.encode(),
        check=True,
        capture_output=True,
    )

    assert done.stdout.decode() == value + "\0"
    assert dict(parse_configuration(text))["safe.directory"] == value


def test_includes_are_followed_for_a_person_alone(tmp_path: Path) -> None:
    """A person's file may include others, also by `~/` and by turns; a repository's may not."""
    (tmp_path / "main").write_text("[core]\n\teol = lf\n[include]\n\tpath = ~/more\n[core]\n\teol = crlf\n")
    (tmp_path / "more").write_text("[core]\n\tautocrlf = true\n\teol = native\n[include]\n\tpath = main\n")

    assert read_settings(str(tmp_path / "main")) == {"core.eol": "crlf", "include.path": "~/more"}
    followed = read_settings(str(tmp_path / "main"), home=str(tmp_path))
    assert (followed["core.autocrlf"], followed["core.eol"]) == ("true", "crlf")


def test_missing_and_odd_files_are_empty(tmp_path: Path) -> None:
    """No file, a folder, bytes that are not UTF-8 and torn lines raise nothing."""
    (tmp_path / "odd").write_bytes(b'\xff[core\n[a]\nx = \xff\n= y\n[b] z = "open\n')

    assert read_settings(str(tmp_path / "none")) == {}
    assert read_settings(str(tmp_path)) == {}
    assert read_settings(str(tmp_path / "odd"))["a.x"] == "\udcff"


@pytest.mark.parametrize(("path", "expected"), [("~/a", "/home/p/a"), ("/a", "/a"), ("~other/a", "~other/a")])
def test_home_is_expanded(path: str, expected: str) -> None:
    """Only a leading `~/` stands for the home folder."""
    assert expand_home(path, "/home/p") == expected
