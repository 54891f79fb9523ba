"""The record of a workspace: folded, cached, and the same every time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.repository import Repository

from unlost.app.plain import Workspace
from unlost.guard.facts import Claims
from unlost.plain.facts import Order
from unlost.settings import read_settings


@pytest.fixture
def told(repository: Repository, workspace: Workspace) -> Claims:
    """The claims after a day of marks, losses, words and restores."""
    repository.write("main.rs", "mine\n")
    repository.write("new.txt", "new\n")
    workspace.mark("first")
    repository.git("checkout", "--", "main.rs")
    repository.remove("new.txt")
    workspace.mark()
    workspace.restore([b"main.rs"])
    workspace.accept([b"new.txt"])
    repository.write("other.txt", "other\n")
    workspace.mark()
    return workspace.place.boundaries.claims()


@pytest.mark.parametrize("damage", [None, b"", b"{}", b'{"schema": "unlost.claims/0"}', b"rows"])
def test_the_cache_can_always_be_made_again(
    told: Claims, repository: Repository, workspace: Workspace, claims_cache: str, damage: bytes | None
) -> None:
    """Without its cache, or with a damaged one, the stream folds to the very same claims."""
    before = workspace.place.boundaries.claims()
    if damage is None:
        Path(claims_cache).unlink()
    else:
        head = Path(claims_cache).read_bytes().partition(b"\n")[0] + b"\n"
        Path(claims_cache).write_bytes(head + b"[]" if damage == b"rows" else damage)

    with Workspace.open(str(repository.root), read_settings()) as again:
        assert again.place.boundaries.claims() == before


def test_a_cache_of_another_stream_is_not_believed(workspace: Workspace, claims_cache: str) -> None:
    """The cache names the event it goes up to; one that is not in the stream is folded again."""
    before = workspace.place.boundaries.claims()
    head, rows = Path(claims_cache).read_bytes().split(b"\n")
    Path(claims_cache).write_bytes(json.dumps(json.loads(head) | {"digest": "0" * 64}).encode() + b"\n" + rows)

    assert workspace.place.boundaries.claims() == before


def test_the_same_order_is_the_same_boundary(repository: Repository, workspace: Workspace) -> None:
    """A boundary asked for again by its key is the stored one: nothing is recorded twice."""
    workspace.mark()
    boundaries = workspace.place.boundaries
    snapshot = boundaries.archive.capture(kind="boundary", label="unit")

    first = boundaries.take(snapshot, Order(kind="admission", key="admitted", unit="u-1"))
    repository.write("later.txt", "later\n")
    again = boundaries.take(snapshot, Order(kind="admission", key="admitted", unit="u-1"))

    assert again.boundary == first.boundary
    assert len(boundaries.claims().boundaries) == 2


def test_two_marks_at_once_are_two_boundaries(repository: Repository, workspace: Workspace) -> None:
    """Whoever comes second decides again on what the first one recorded."""
    repository.write("main.rs", "mine\n")
    workspace.mark()
    with Workspace.open(str(repository.root), read_settings()) as other:
        stale = other.place.boundaries.record.read()
        workspace.mark("meanwhile")
        assert stale.sequence == 1

        assert other.mark("second").boundary == 2


def test_a_check_of_an_earlier_boundary(repository: Repository, workspace: Workspace) -> None:
    """`--since` proves the claims of that boundary, whatever came after it."""
    repository.write("main.rs", "mine\n")
    first = workspace.mark().to_json()["snapshot"]
    repository.git("checkout", "--", "main.rs")
    workspace.accept([b"main.rs"], why="changed my mind")
    workspace.mark()

    assert workspace.check().exit_code == 0
    assert workspace.check(since=first).exit_code == 4


def test_no_path_is_in_public_facts(told: Claims, workspace: Workspace) -> None:
    """Facts of the workspace's events name no file; paths, labels and reasons are in private bodies."""
    text = json.dumps([row["facts"] for row in workspace.events().rows])

    assert told.boundaries
    assert not any(word in text for word in ("main.rs", "new.txt", "other.txt", "first"))


def test_lists(told: Claims, workspace: Workspace) -> None:
    """Boundaries, snapshots and differences are listed with what a person needs to choose one."""
    boundaries = workspace.boundaries().to_json()["boundaries"]
    snapshots = workspace.snapshots().to_json()["snapshots"]
    diff = workspace.diff(boundaries[0]["snapshot"], boundaries[2]["snapshot"])

    assert [(row["n"], row["label"], row["verdict"]) for row in boundaries] == [
        (0, "first", "ok"),
        (1, "", "loss"),
        (2, "", "ok"),
    ]
    assert {row["boundary"] for row in snapshots} >= {0, 1, 2}
    assert [(each.path, each.kind) for each in diff.paths] == [(b"new.txt", "deleted"), (b"other.txt", "added")]
    assert workspace.content(boundaries[0]["snapshot"], b"new.txt") == b"new\n"
