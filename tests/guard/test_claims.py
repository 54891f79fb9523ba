"""The fold of claims: what boundaries, words and time make of them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from kit.story import Story

from unlost.facts.trees import NESTED
from unlost.guard import claims as fold
from unlost.guard.facts import Claim, Claims, Tip
from unlost.guard.late_claims import LateClaims, Tally, tally_of
from unlost.guard.record import claim_rows, claims_head, claims_of
from unlost.guard.sight import Trace

OLD = "one\ntwo\nthree\nfour\nfive\n"
MINE = OLD.replace("two\n", "TWO of mine\n")


def paths(story: Story) -> list[str]:
    """The claimed paths."""
    return [path.decode() for path in story.claims.by_path]


def claim(story: Story, path: str) -> Claim:
    """One claim."""
    return story.claims.by_path[path.encode()]


def test_a_person_claims_what_differs_from_head() -> None:
    """G.8, G.17: boundary 0 claims edits, untracked files and deletions for the person, and nothing that is clean."""
    story = Story().write({"a": OLD, "b": "b\n", "c": "c\n"}).commit()
    story.write({"a": MINE, "b": None, "new": "new\n"}).boundary("admission", unit="u-1")

    assert paths(story) == ["a", "b", "new"]
    assert {each.owner for each in story.claims.by_path.values()} == {"person"}
    assert claim(story, "b").entry is None


def test_a_done_task_claims_what_it_changed() -> None:
    """A task's claims are what differs between the boundary that opened it and the one that closed it as done."""
    story = Story().write({"a": OLD, "b": "b\n"}).commit().write({"b": "mine\n"}).boundary("admission", unit="u-1")
    story.task("one").write({"a": MINE, "made": "made\n"}).done("one")

    assert {path: each.owner for path, each in story.claims.by_path.items()} == {
        b"a": "one",
        b"b": "person",
        b"made": "one",
    }


def test_an_unfinished_attempt_claims_nothing() -> None:
    """What an attempt left that was not done makes no claims, and earlier claims keep their content."""
    story = Story().write({"a": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"a": MINE}).done("one").task("two")
    story.write({"a": MINE + "half\n", "half": "half\n"}).boundary("attempt_end", unit="u-1", attempt="two-1")

    assert paths(story) == ["a"]
    assert claim(story, "a").entry == story.trees.put_file(MINE)


def test_a_move_in_an_unfinished_attempt_stays_a_move() -> None:
    """What an unfinished attempt moved is still moved, not lost, when the next attempt is judged."""
    story = Story().write({"a": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"a": MINE}).done("one").task("two")
    story.write({"a": None, "b": MINE}).boundary("attempt_end", unit="u-1", attempt="two-1")

    assert story.state("a") == ("moved", "ok")
    story.done("two")
    assert paths(story) == ["b"]


def test_a_claim_follows_a_later_task() -> None:
    """A later task's work on the same path carries the claim on; what either contributed is kept apart."""
    story = Story().write({"a": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"a": MINE}).done("one").task("two").write({"a": MINE + "six by two\n"}).done("two")

    assert claim(story, "a").owner == "two"
    assert [each.owner for each in claim(story, "a").contributions] == ["one", "two"]
    assert claim(story, "a").entry == story.trees.put_file(MINE + "six by two\n")


def test_what_a_check_changed_is_nobodys() -> None:
    """A check that formats: claims go on to the new content, it contributes nothing, and no claim is made."""
    story = Story().write({"a": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"a": MINE}).done("one")
    story.write({"a": MINE.replace("\n", " \n"), "report": "made by the check\n"}).boundary("checks", unit="u-1")

    assert paths(story) == ["a"]
    assert [each.owner for each in claim(story, "a").contributions] == ["one"]
    assert story.state("a") is None


def test_a_boundary_by_hand_during_an_attempt_belongs_to_no_task() -> None:
    """A mark or hook while an agent runs claims nothing of its unfinished work."""
    story = Story().write({"a": OLD}).commit().boundary("admission", unit="u-1")
    story.write({"a": MINE}).boundary("mark", unit="u-1", attempt="one-1").boundary("hook", unit="u-1", attempt="one-1")

    assert paths(story) == []


def test_a_later_mark_never_buries_a_loss() -> None:
    """A loss stays open over any number of marks, with where it was last seen, until its content is back."""
    story = Story().write({"a": OLD}).commit().write({"a": MINE}).boundary().write({"a": OLD})
    story.boundary().write({"other": "x\n"}).boundary()

    assert story.state("a") == ("reverted", "loss")
    assert claim(story, "a").seen == 0
    assert tally_of(story.claims.by_path).open_losses == 1

    story.write({"a": MINE}).boundary()
    assert tally_of(story.claims.by_path).open_losses == 0
    assert story.state("a") is None


def test_an_open_loss_is_not_closed_by_new_text() -> None:
    """Writing something else where work was lost does not bring it back; with its lines and more besides it is back."""
    story = Story().write({"a": OLD}).commit().write({"a": MINE}).boundary().write({"a": None}).boundary()

    assert story.write({"a": "something else\n"}).state("a") == ("deleted", "loss")
    assert story.write({"a": MINE + "and more\n"}).state("a") == ("extended", "ok")


def test_accept_closes_a_loss() -> None:
    """What a person accepted is superseded by that word until the next boundary, then claimed where HEAD lacks it."""
    story = Story().write({"a": OLD}).commit().write({"a": MINE, "n": "new\n"}).boundary()
    story.write({"a": OLD + "edited again\n", "n": None}).boundary()
    assert tally_of(story.claims.by_path).open_losses == 2

    story.accept("a", "n")
    assert story.state("a") == ("superseded", "ok")
    assert story.state("n") == ("superseded", "ok")

    story.boundary()
    assert paths(story) == ["a"]
    assert story.write({"a": OLD}).state("a") == ("reverted", "loss")


def test_accepting_what_nobody_claims_counts_until_the_next_boundary() -> None:
    """An ignored file, or a path lost with its commit, is accepted without a claim of its own."""
    story = Story()
    story.ignored = {".env": "secret\n"}
    story.boundary()
    story.ignored = {}
    assert story.state(".env") == ("deleted", "loss")

    assert story.accept(".env").state(".env") is None


def test_committed_claims_are_historys() -> None:
    """Without a unit a claim that HEAD holds is let go; in a unit it is kept to the end."""
    story = Story().write({"a": OLD}).commit().write({"a": MINE}).boundary()
    story.commit().boundary()
    assert paths(story) == []

    unit = (
        Story().write({"a": OLD}).commit().boundary("admission", unit="u-1").task("one").write({"a": MINE}).done("one")
    )
    unit.commit().boundary("before_task", unit="u-1", task="two")
    assert paths(unit) == ["a"]


def test_a_claim_that_is_elsewhere_is_let_go_at_a_mark() -> None:
    """After a switch to another branch and a mark there, work goes on there without alarms."""
    story = Story().write({"a": OLD}).commit().write({"a": MINE}).boundary().write({"a": OLD})
    story.evidence.traces[b"a"] = Trace(tip=Tip(ref="refs/heads/feature", commit="c1"))
    story.boundary()

    assert paths(story) == []


def test_a_move_takes_the_claim_along() -> None:
    """A claim that moved is claimed at its new place with its contributions."""
    story = Story().write({"a": OLD}).commit().write({"a": MINE}).boundary().write({"a": None, "b/a": MINE}).boundary()

    assert paths(story) == ["a", "b/a"]
    assert claim(story, "a").entry is None
    assert story.write({"b/a": None}).state("b/a") == ("deleted", "loss")


def test_scratch_and_nested_repositories_make_no_claims() -> None:
    """Untracked scratch is nobody's work, a nested repository keeps its own record; a tracked file is no scratch."""
    story = Story(scratch=(b"debug.log", b"kept.log")).write({"kept.log": "old\n"}).commit()
    story.write({"debug.log": "noise\n", "kept.log": "new\n", "nested": (NESTED, "repository")}).boundary()

    assert paths(story) == ["kept.log"]


def test_claims_survive_their_json() -> None:
    """The cache of the fold holds everything."""
    story = Story().write({"a": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"a": MINE, "b": "b\n"}).done("one").write({"a": OLD, "b": None}).boundary(
        "attempt_end", unit="u-1", attempt="two-1", skipped=((b"\xff", "too_big"),)
    )
    story.accept("b")

    assert again(story.claims) == story.claims
    assert "seen" in claims_head(story.claims)
    assert claims_head(story.claims)["seen"] is None, "a loss is open"


def again(claims: Claims) -> Claims:
    """Claims as they come back out of the cache."""
    return claims_of(claims_head(claims), claim_rows(claims))


def kept_files(count: int = 3) -> Story:
    """A person's untracked files, marked twice."""
    story = Story().write({f"kept{number}": f"{number}\n" for number in range(count)}).boundary()
    return story.boundary()


@pytest.mark.parametrize("through", [lambda claims: claims, again])
def test_a_boundary_that_changes_nothing_folds_as_any_other(
    through: Callable[[Claims], Claims], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where files, HEAD and writer are as before, the short way gives what the whole fold gives."""
    story = kept_files().write({"more": "more\n"}).boundary()
    before = story.claims = through(story.claims)
    short = story.boundary().claims
    monkeypatch.setattr(fold, "_is_as_before", lambda _claims, _boundary: False)
    story.claims = before
    whole = story.boundary().claims

    assert short == whole
    assert {each.seen for each in short.by_path.values()} == {3}


@pytest.mark.parametrize(
    "happens",
    [
        lambda story: story.write({"kept0": "edited\n"}),
        lambda story: story.write({"kept0": None}),
        lambda story: story.write({"other": "o\n"}),
        lambda story: story.commit(),
        lambda story: story.write({"kept0": None}).boundary(),
        lambda story: story.write({"kept0": None}).accept("kept0"),
    ],
)
def test_the_short_way_is_taken_only_where_nothing_happened(
    happens: Callable[[Story], Story], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an edit, a deletion, a new file, a commit, a loss or a word, claims are as the whole fold makes them."""
    story, other = happens(kept_files()), happens(kept_files())
    story.claims = again(story.claims)
    short = story.boundary().boundary().claims
    monkeypatch.setattr(fold, "_is_as_before", lambda _claims, _boundary: False)
    whole = other.boundary().boundary().claims

    assert short == whole


def test_claims_that_all_stand_are_not_read() -> None:
    """Of claims that all stood, a boundary that changes nothing needs their number alone; rows stay as they are."""
    claims = again(kept_files().claims)
    rows = claim_rows(claims)
    unread = claims_of(claims_head(claims) | {"claims": 3}, b"not to be read")
    story = kept_files()
    story.claims = unread

    story.boundary()

    assert len(story.claims.by_path) == 3
    assert claim_rows(story.claims) == b"not to be read"
    assert tally_of(story.claims.by_path) == Tally(3, 0, all_stood=True)
    assert json.loads(rows)[0][0] == "kept0"


def test_late_claims_are_a_mapping_as_any_other() -> None:
    """They are found, counted, iterated and compared by what they hold, and were last seen as told."""
    before = kept_files().claims
    claims = again(before).by_path

    assert isinstance(claims, LateClaims)
    assert claims == before.by_path
    assert before.by_path == claims
    assert claims != {}
    assert claims != 3
    assert b"kept0" in claims
    assert b"gone" not in claims
    assert list(claims) == [b"kept0", b"kept1", b"kept2"]
    assert {each.seen for each in claims.seen_at(9).values()} == {9}
