from __future__ import annotations

from datetime import UTC, datetime

import pytest
from cli.documents import SNAPSHOT, clean_check, clean_mark, lost, restored

from unlost.cli.palette import PLAIN, Palette
from unlost.cli.render.amounts import columns, count, listed, moment_text, size_text
from unlost.cli.render.boundary import mark_text
from unlost.cli.render.documents import LostCommit
from unlost.cli.render.restored import restore_text
from unlost.cli.render.verdict import check_text, next_steps

COLORED = Palette(colored=True)


def test_an_ordinary_day_is_one_line() -> None:
    """A check that found nothing says so in one line and suggests nothing."""
    assert check_text(clean_check(), PLAIN) == "nothing lost · 4 claims stand · since boundary 3"
    assert next_steps(clean_check()) is None


def test_a_loss_names_path_state_boundary_and_the_command() -> None:
    """G.15: the report names the lost path, where it was last seen, and what to type."""
    document = clean_check() | {"verdict": "loss", "lost": [lost("a.py"), lost("b.py", "hunks_reverted")]}

    assert check_text(document, PLAIN).splitlines() == [
        "lost      a.py  reverted  (last seen at boundary 3, snapshot 2f9c1a7b3d)",
        "          unlost restore a.py",
        "lost      b.py  hunks reverted  (last seen at boundary 3, snapshot 2f9c1a7b3d)",
        "          unlost restore b.py",
        "2 losses · 4 claims stand · since boundary 3",
    ]
    assert "unlost restore --lost" in (next_steps(document) or "")


def test_a_loss_tells_where_else_its_content_is() -> None:
    """A stash that holds the content, newer lines and evidence are told beside the loss."""
    found = lost("a.py") | {
        "untracked": True,
        "found_in": ["snapshot", "stash", "reflog"],
        "refs": {"stash": "stash@{0}"},
        "newer": ["one", "two"],
        "evidence": ["during attempt 2 of task\x1b[31m wipe"],
    }
    text = check_text(clean_check() | {"lost": [found]}, PLAIN)

    assert "(untracked, last seen at boundary 3, snapshot 2f9c1a7b3d)" in text
    assert "also in: stash@{0}, reflog" in text
    assert "2 newer lines there now; --merge keeps them" in text
    assert "during attempt 2 of task wipe" in text


def test_content_that_was_never_captured_promises_nothing() -> None:
    """A file over the cap that is gone has no restore command, and the report says why."""
    document = clean_check() | {"lost": [lost("model.bin", "deleted") | {"restore": None, "found_in": []}]}

    assert "its content was never captured" in check_text(document, PLAIN)
    assert "restore" not in (next_steps(document) or "")

    both = document | {"lost": [*document["lost"], lost("a.py")]}
    assert "brings 1 path back" in (next_steps(both) or "")


def test_a_commit_that_went_with_the_repository_promises_nothing() -> None:
    """Its objects are gone, so no command is named that would bring it back, only the one that closes the loss."""
    gone: LostCommit = {"commit": SNAPSHOT, "subject": "", "restore": None}
    document = clean_check() | {"verdict": "loss", "lost_commits": [gone]}

    assert check_text(document, PLAIN).splitlines()[:2] == [
        "lost      commit 2f9c1a7b3d",
        "          its objects are gone from the repository",
    ]
    assert "`unlost accept --all`" in (next_steps(document) or "")


def test_everything_a_person_should_look_at_is_told() -> None:
    """Warnings, moves, branches, unproved and incomplete paths each have their line."""
    document = clean_check() | {
        "warnings": [{"path": "w.py", "state": "deleted", "commit": SNAPSHOT}],
        "moved": [{"from": "c.py", "to": "d/c.py", "edited": True}],
        "elsewhere": [{"path": "e.py", "ref": "refs/heads/topic"}],
        "reformatted": ["f.py"],
        "passing": [{"path": "p.py", "last_seen": {"snapshot": SNAPSHOT, "at": "2026-01-02T03:04:05Z"}, "lines": 2}],
        "unproved": [{"path": "u.py", "reason": "unreadable"}],
        "incomplete": [{"path": "big.bin", "reason": "too_big"}],
        "lost_commits": [{"commit": SNAPSHOT, "subject": "gone", "restore": "git branch back 2f9c1a7b3d"}],
        "workspace_state": "replaced",
    }

    assert check_text(document, PLAIN).splitlines() == [
        "/work: another repository stands at the root",
        "lost      commit 2f9c1a7b3d  gone",
        "          git branch back 2f9c1a7b3d",
        "warning   w.py  deleted  by commit 2f9c1a7b3d",
        "warning   u.py  not proved: unreadable",
        "warning   big.bin  not in the boundary: too big",
        "moved     c.py → d/c.py, edited",
        "elsewhere e.py  at the tip of refs/heads/topic",
        "passing   p.py  2 lines, gone since; unlost restore --from 2f9c1a7b3d",
        "reformat  f.py  same but for white space and quotes",
        "1 loss · 4 claims stand · since boundary 3",
    ]


def test_a_hostile_name_stays_on_its_line() -> None:
    """A name with a newline, an escape or no UTF-8 is one quoted ASCII word; it cannot draw a line of its own."""
    names = ["a\nlost  b", "\x1b[2Jx", "\u202egnp.exe"]
    document = clean_check() | {"lost": [lost(name) | {"restore": None} for name in names]}
    raw = clean_check() | {"lost": [lost("x") | {"path": {"bytes": "/2E="}, "restore": None}]}

    text = check_text(document, PLAIN)

    assert text.replace("·", "").isascii()
    assert '"a\\nlost  b"' in text
    assert '"\\u001b[2Jx"' in text
    assert '"\\u202egnp.exe"' in text
    assert '"\\udcffa"' in check_text(raw, PLAIN)


def test_many_losses_are_cut_and_counted() -> None:
    """After 40 losses the report says how many more there are and still sums all of them up."""
    text = check_text(clean_check() | {"lost": [lost(f"{number}.py") for number in range(100)]}, PLAIN)

    assert "… and 60 more (--json lists all)" in text
    assert text.endswith("100 losses · 4 claims stand · since boundary 3")


def test_colour_changes_no_word() -> None:
    """Every report reads the same without its colours."""
    document = clean_check() | {"lost": [lost("a.py")]}
    colored = check_text(document, COLORED)

    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[1;31m"):
        colored = colored.replace(code, "")

    assert colored == check_text(document, PLAIN)


def test_a_mark_is_one_line_and_names_what_is_not_in_it() -> None:
    """A boundary tells number, id, files and claims; what was skipped and open losses follow."""
    document = clean_mark()
    skipped = document | {
        "incomplete": [{"path": "model.bin", "reason": "too_big", "bytes": 67108864}],
        "open_losses": 1,
    }

    assert mark_text(document, PLAIN) == "boundary 3 · 2f9c1a7b3d · 812 files · 5 claims"
    assert mark_text(skipped, PLAIN).splitlines()[1:] == [
        "not captured  model.bin  too big (64 MiB)",
        "1 open loss: `unlost check` names them, `unlost restore --lost` brings back what is kept",
    ]


def test_a_restore_says_what_came_back_and_how_to_undo_it() -> None:
    """One line a path, failures last, and the command that takes it back."""
    document = restored("a.py") | {"already": ["b.py"], "failed": [{"path": "c", "reason": "permission denied"}]}

    assert restore_text(document, PLAIN).splitlines() == [
        "restored  a.py",
        "as it was b.py",
        "failed    c  permission denied",
        "1 path put back · 1 failed · unlost undo takes it back",
    ]
    assert restore_text(restored("a.py"), PLAIN, dry_run=True).endswith("nothing was changed (-n)")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (64 << 20, "64 MiB"), (3 << 40, "3.0 TiB")]
)
def test_sizes(size: int, text: str) -> None:
    """Sizes are told in binary units with two digits of care."""
    assert size_text(size) == text


def test_moments_of_today_are_clock_times() -> None:
    """A moment of today is its time, an older one its date and time."""
    now = datetime(2026, 8, 17, 12, tzinfo=UTC).timestamp()

    assert moment_text(now - 60, now=now, zone=UTC) == "11:59:00"
    assert moment_text(now - 86400, now=now, zone=UTC) == "2026-08-16 12:00"


def test_lists_align_and_end() -> None:
    """Columns are as wide as their widest cell; counts agree with their nouns."""
    assert columns([("a", "bb", "c"), ("aaa", "b", "")]) == ["a    bb  c", "aaa  b"]
    assert columns([]) == []
    assert listed(["x"] * 3, 3) == ["x"] * 3
    assert (count(1, "loss", "losses"), count(1200, "file")) == ("1 loss", "1,200 files")
