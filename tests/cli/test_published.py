"""Commits and pushes as lines: in a unit, and while they happen."""

from __future__ import annotations

from typing import get_args

import pytest

from unlost.cli.palette import PLAIN
from unlost.cli.render.happening import event_line
from unlost.cli.render.published import CommitsPart, PublishPart, commit_lines, publish_lines, refusal_text
from unlost.facts.quoting import path_json
from unlost.publish.facts import CommitReceipt, PushReceipt
from unlost.publish.outcomes import CommitRefusal, PushFailure
from unlost.unit import commit_events as commit
from unlost.unit import publish_events as publish

OID = "0123456789abcdef" * 2 + "01234567"
MADE = CommitReceipt(unit="u-1", producer=None, tasks=("swap",), branch="refs/heads/main", before=OID, after=OID)
PUSHED = PushReceipt(
    unit="u-1", producer=None, remote="origin", url="u", ref="refs/heads/topic", before=None, after=OID
)


def test_commits_say_what_they_hold_and_what_they_do_not() -> None:
    """Each commit has its line; what was left out is named, the first few paths of it; hooks that did not run are."""
    part: CommitsPart = {
        "made": [
            {"commit": OID, "branch": "refs/heads/main", "tasks": ["swap"], "paths": 1, "signed": True, "gone": False},
            {"commit": OID, "branch": None, "tasks": ["swap", "tell"], "paths": 2, "signed": False, "gone": True},
        ],
        "left_out": [{"path": path_json(b"a\nb"), "reason": "nested_repository"}] * 7,
        "skipped_hooks": ["pre-commit"],
        "refused": "detached",
    }
    lines = list(commit_lines(part, "u-1", PLAIN))

    assert lines[:3] == [
        "commit    0123456789 on main · swap · 1 path · signed",
        "commit    0123456789 in unlost's own store · swap, tell · 2 paths · taken from the branch since",
        'commit    without "a\\nb": nested repository; it stands in the tree',
    ]
    assert lines[7:] == [
        "commit    and without 2 more",
        "hooks     did not run: pre-commit",
        "commit    not made: HEAD is detached, so a commit would be on no branch",
        "hint:     git switch BRANCH, then unlost resume u-1",
    ]


def test_publishing_says_where_and_what_others_did() -> None:
    """Branch, request, what kept it back with a hint, and each branch that others moved or removed."""
    part: PublishPart = {
        "remote": "origin",
        "branch": "topic",
        "commit": OID,
        "request": "https://example.org/pull/1\x1b[31m",
        "failure": "auth",
        "remote_rewound": [{"ref": "refs/heads/topic", "from": OID, "to": None}],
    }

    assert list(publish_lines(part, "u-1", PLAIN)) == [
        "published origin topic at 0123456789",
        "request   https://example.org/pull/1",
        "publish   origin topic: the remote refuses these credentials",
        "hint:     git push by hand shows what is missing, then unlost resume u-1",
        "rewound   refs/heads/topic was pushed at 0123456789 and is gone now",
    ]


@pytest.mark.parametrize(
    ("payload", "line"),
    [
        (
            commit.CommitEnded(name="swap 1", number=1, receipt=MADE, refusal=None, settled=False),
            "commit    0123456789 on main  swap 1",
        ),
        (
            commit.CommitEnded(name="swap 1", number=1, receipt=None, refusal="index_locked", settled=False),
            "commit    another git works here, or one that was killed left .git/index.lock",
        ),
        (commit.CommitEnded(name="swap 1", number=1, receipt=None, refusal=None, settled=True), None),
        (
            commit.CommitDeferred(number=1, pieces=("swap 1",), refusal="unborn", tree="t", hooks_ran=False),
            "commit    not made: nothing is committed here yet",
        ),
        (
            publish.PushEnded(number=1, receipt=PUSHED, failure=None, settled=False),
            "published origin topic at 0123456789",
        ),
        (
            publish.PushUncertain(number=1),
            "publish   nobody could find out what became of the push; it is not repeated blindly",
        ),
        (
            publish.PublishDeferred(failure="unreachable", remote="origin", ref="refs/heads/topic"),
            "publish   the remote cannot be reached",
        ),
        (
            publish.RemoteRewound(remote="origin", ref="refs/heads/topic", expected=OID, found=None),
            "rewound   refs/heads/topic was at 0123456789 and is gone",
        ),
        (publish.RequestKept(commit=OID, digest="d", branch="topic", address=None), None),
        (publish.PublishAsked(by="person"), None),
    ],
)
def test_each_event_that_a_person_follows_has_its_line(payload: object, line: str | None) -> None:
    """A run tells commits and pushes as they happen, and why there is none."""
    assert event_line(payload, PLAIN) == line


@pytest.mark.parametrize("word", [*get_args(CommitRefusal), *get_args(PushFailure)])
def test_every_word_means_something(word: str) -> None:
    """No refusal is told as a bare word."""
    assert " " in refusal_text(word)
