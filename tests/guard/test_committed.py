"""Committed work: lost commits and stashes by content, and warnings about files of history."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kit.story import Story

from unlost.guard.committed_facts import CommittedWarning
from unlost.guard.sight import GoneCommit, GonePath, GoneStash, Trace

OLD = "one\ntwo\nthree\n"
NEW = OLD + "four of the commit\n"


@pytest.fixture
def story() -> Story:
    """`a` was clean at the boundary with what a commit `c1` had made of it; HEAD has moved since."""
    told = Story(history_moved=True).write({"a": NEW, "b": "b\n"}).commit().boundary()
    told.evidence.blobs = {"old": OLD.encode(), "new": NEW.encode()}
    return told


COMMIT = GoneCommit(
    commit="c1",
    subject="four",
    was_on="refs/heads/main",
    on_head=True,
    paths=(GonePath(path=b"a", before="old", after="new", lives=False),),
)


def test_a_commit_whose_content_is_gone_is_lost(story: Story) -> None:
    """What it changed and what stands nowhere is lost with it, in the name of the commit."""
    story.write({"a": OLD}).commit()
    story.evidence.commits = (COMMIT,)
    verdict = story.verdict()

    assert [(each.commit, each.paths) for each in verdict.committed.lost_commits] == [("c1", (b"a",))]
    assert [(each.path, each.state, each.claim.owner) for each in verdict.losses] == [(b"a", "reverted", "commit")]
    assert verdict.is_loss


def test_a_commit_whose_files_went_to_another_folder_is_not_lost(story: Story) -> None:
    """A history that was rewritten to hold everything below one folder has lost nothing."""
    story.write({"a": None, "app/a": NEW}).commit()
    new = story.trees.put_file(NEW).oid
    moved = GonePath(path=b"a", before="old", after=new, lives=False)
    story.evidence.commits = (replace(COMMIT, paths=(moved,)),)

    assert not story.verdict().is_loss
    assert story.write({"a": OLD}).verdict().is_loss


@pytest.mark.parametrize("gone", [replace(COMMIT, twin="c2"), replace(COMMIT, successor="c2")])
def test_a_commit_that_another_took_over_is_rewritten(story: Story, gone: GoneCommit) -> None:
    """After an amend, a rebase or a cherry-pick the commit is told as rewritten, and nothing is lost."""
    story.write({"a": OLD}).commit()
    story.evidence.commits = (gone,)
    verdict = story.verdict()

    assert not verdict.is_loss
    assert [(each.commit, each.now) for each in verdict.committed.rewritten] == [("c1", "c2")]


@pytest.mark.parametrize("now", [NEW, "zero\n" + NEW, OLD + "four of the commit, wrapped\nfour of the commit\n"])
def test_a_commit_whose_lines_stand_is_not_lost(story: Story, now: str) -> None:
    """After a squash the content stands in the tree, perhaps with more besides."""
    story.write({"a": now}).commit()
    story.evidence.commits = (COMMIT,)

    assert not story.verdict().is_loss


def test_a_commit_that_lives_at_a_tip_is_not_lost(story: Story) -> None:
    """What a branch tip holds is safe."""
    story.write({"a": OLD}).commit()
    story.evidence.commits = (replace(COMMIT, paths=(GonePath(path=b"a", before="old", after="new", lives=True),)),)

    assert not story.verdict().is_loss


def test_a_merge_alone_is_never_lost(story: Story) -> None:
    """A commit that changed nothing of its own takes nothing with it."""
    story.evidence.commits = (replace(COMMIT, paths=()),)

    assert not story.verdict().is_loss


def test_a_commit_of_another_branch_loses_no_path_here(story: Story) -> None:
    """A deleted branch is a lost commit; the files of this work tree are as they were."""
    story.evidence.commits = (
        replace(COMMIT, on_head=False, paths=(GonePath(path=b"x", before=None, after="x", lives=False),)),
    )
    verdict = story.verdict()

    assert [each.commit for each in verdict.committed.lost_commits] == ["c1"]
    assert verdict.losses == ()


def test_history_that_is_gone_takes_all_that_stands_nowhere(story: Story) -> None:
    """Without any object of HEAD left, every file of it that the tree does not hold is lost."""
    story.files = {"b": "b\n"}
    story.head = {}
    story.evidence.commits = (replace(COMMIT, paths=None),)

    assert [(each.path, each.state) for each in story.verdict().losses] == [(b"a", "deleted")]


def test_a_lost_commit_stays_open_over_marks_and_is_accepted_by_id(story: Story) -> None:
    """A later mark never buries what went with a commit; accepting path and commit closes both."""
    story.write({"a": OLD}).commit()
    story.evidence.commits = (COMMIT,)
    story.boundary()
    assert [each.path for each in story.verdict().losses] == [b"a"]

    story.accept("a")
    story.claims = replace(story.claims, meant_objects=frozenset({"c1"}))
    assert not story.verdict().is_loss


def test_nobody_asks_history_that_did_not_move(story: Story) -> None:
    """With HEAD, refs and stash as they were no commit is asked for."""
    story.history_moved = False
    story.evidence.commits = (COMMIT,)

    assert story.verdict().committed.lost_commits == ()


@pytest.mark.parametrize(("now", "lost"), [(OLD, True), (NEW, False), (NEW + "five\n", False)])
def test_a_stash_is_lost_only_with_its_content(story: Story, now: str, *, lost: bool) -> None:
    """Popped, applied or branched it stands in the tree; dropped it is lost with the paths it held."""
    story.write({"a": now})
    stash = GoneStash(
        commit="s1", subject="WIP on main", paths=(GonePath(path=b"a", before="old", after="new", lives=False),)
    )
    story.evidence.stashes = (stash,)
    verdict = story.verdict()

    assert [each.commit for each in verdict.committed.lost_stashes] == (["s1"] if lost else [])
    assert verdict.committed.applied_stashes == (() if lost else ("s1",))


def test_a_committed_file_deleted_without_a_commit_is_a_warning(story: Story) -> None:
    """It is in history, so it is no loss; moved to another path it is only a change."""
    story.write({"a": None})
    assert story.verdict().committed.warnings == (CommittedWarning(path=b"a", state="deleted", commit=None),)

    story.write({"moved": NEW})
    assert story.verdict().committed.warnings == ()


def test_a_committed_file_put_back_is_a_warning(story: Story) -> None:
    """Back at a version older than the boundary: a warning, with the new commit that did it when there is one."""
    story.write({"a": OLD})
    story.evidence.traces = {b"a": Trace(earlier=True, kept_since=(("c2", "old"),))}
    assert story.verdict().committed.warnings == (CommittedWarning(path=b"a", state="reverted", commit=None),)

    story.commit()
    assert story.verdict().committed.warnings == (CommittedWarning(path=b"a", state="reverted", commit="c2"),)


def test_a_switch_of_branches_only_changes_files(story: Story) -> None:
    """A path that is clean at an older version, put there by no new commit, came with another branch."""
    story.write({"a": OLD, "c": "of the branch\n"}).commit()
    story.evidence.traces = {b"a": Trace(earlier=True)}
    committed = story.verdict().committed

    assert committed.warnings == ()
    assert (committed.changed, committed.added) == ((b"a",), (b"c",))
