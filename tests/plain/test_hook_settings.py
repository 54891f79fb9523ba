"""Our hook in an agent's settings file."""

from __future__ import annotations

import json

import pytest

from unlost.facts.errors import FileInvalid
from unlost.plain.hook_settings import has_hook, with_hook, without_hook

COMMAND = "/bin/sh /opt/hook_front.sh /usr/bin/python3 claude"
THEIRS = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PostToolUse": [{"matcher": "Edit", "hooks": []}],
    },
}


def test_the_hook_comes_last_and_everything_else_stays() -> None:
    """Other hooks and settings stay, in their order and with the file's indentation."""
    before = json.dumps(THEIRS, indent=4).encode()
    after = with_hook(before, COMMAND)
    settings = json.loads(after)

    assert after.startswith(b'{\n    "model"')
    assert list(settings["hooks"]) == ["Stop", "PostToolUse", "SessionStart", "PreToolUse", "PreCompact"]
    assert settings["hooks"]["Stop"][0] == THEIRS["hooks"]["Stop"][0]  # type: ignore[index]  # a table of our own
    assert settings["hooks"]["Stop"][1]["hooks"][0]["command"] == COMMAND
    assert (has_hook(before), has_hook(after)) == (False, True)


def test_installed_twice_it_is_one_hook() -> None:
    """A later version's command replaces an earlier one's."""
    once = with_hook(None, "/bin/sh /old/hook_front.sh python claude")

    assert with_hook(once, COMMAND) == with_hook(None, COMMAND)


def test_taken_out_of_an_edited_file_only_ours_goes() -> None:
    """What a person added since stays; a table that was ours alone goes."""
    edited = {**json.loads(with_hook(json.dumps(THEIRS).encode(), COMMAND)), "theme": "dark"}

    assert json.loads(without_hook(json.dumps(edited).encode())) == {**THEIRS, "theme": "dark"}
    assert json.loads(without_hook(with_hook(None, COMMAND))) == {}


@pytest.mark.parametrize("data", [b"", b"// a comment\n{}", b"[]", b'{"hooks": []}', b"\xff"])
def test_a_file_that_is_no_object_is_left_alone(data: bytes) -> None:
    """It is refused, never written over; an empty file is none."""
    assert not has_hook(data)
    if data:
        with pytest.raises(FileInvalid):
            with_hook(data, COMMAND)
