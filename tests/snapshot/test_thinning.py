"""Which snapshots may go: thinned with age, never the newest, never a pinned one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unlost.facts.words import SnapshotKind
from unlost.snapshot.facts import Snapshot, Surroundings
from unlost.snapshot.thinning import DAY, HOUR, WEEK, by_worth, outlived

NOW = 1_700_000_000.0
NOWHERE = Surroundings(head=None, branch=None, refs={}, stashes=(), worktrees=(), operation=None)


def snapshot(sequence: int, *, age: float, kind: SnapshotKind = "autosave") -> Snapshot:
    return Snapshot(
        id=f"{sequence:040x}",
        tree="0" * 40,
        base="0" * 40,
        private=None,
        workspace="w-1",
        sequence=sequence,
        kind=kind,
        label="",
        at=NOW - age,
        files=1,
        incomplete=(),
        surroundings=NOWHERE,
    )


def every(step: float, start: float, end: float) -> list[Snapshot]:
    """Autosaves at ages from `end` down to `start`, in order of their taking."""
    ages = [end - index * step for index in range(int((end - start) / step))]
    return [snapshot(number, age=age) for number, age in enumerate(ages, start=1)]


def kept_of(snapshots: list[Snapshot], *, keep: float = 30 * DAY) -> list[Snapshot]:
    gone = {each.id for each in outlived(snapshots, now=NOW, keep=keep)}
    return [each for each in snapshots if each.id not in gone]


def test_autosaves_thin_out() -> None:
    """An hour keeps all autosaves, a day one in ten minutes, a week one an hour, and older ones go."""
    kept = kept_of(every(60.0, 0.0, 8 * DAY))
    ages = [NOW - each.at for each in kept]
    assert sum(age <= HOUR for age in ages) == 60
    assert abs(sum(HOUR < age <= DAY for age in ages) - 23 * 6) <= 1
    assert abs(sum(DAY < age <= WEEK for age in ages) - 6 * 24) <= 1
    assert max(ages) <= WEEK


def test_boundaries_are_not_thinned() -> None:
    """Boundaries and kept snapshots live as long as the setting says, however close they are."""
    close = [
        snapshot(1, age=31 * DAY, kind="boundary"),
        snapshot(2, age=10 * DAY, kind="boundary"),
        snapshot(3, age=10 * DAY - 1, kind="kept"),
        snapshot(4, age=10 * DAY - 2, kind="boundary"),
    ]
    assert [each.sequence for each in kept_of(close)] == [2, 3, 4]
    assert [each.sequence for each in kept_of(close, keep=DAY)] == [4]


def test_newest_and_pinned_stay() -> None:
    """However old, the newest snapshot stays, and so does every pinned one."""
    old = [snapshot(number, age=400 * DAY, kind="boundary") for number in (1, 2, 3)]
    gone = outlived(old, now=NOW, keep=DAY, pinned={old[0].id})
    assert gone == (old[1],)
    assert by_worth(old, pinned={old[0].id}) == (old[1],)


def test_worth() -> None:
    """When space is short autosaves go first, then kept ones, then boundaries; the older before the newer."""
    mixed = [
        snapshot(1, age=50, kind="boundary"),
        snapshot(2, age=40),
        snapshot(3, age=30, kind="kept"),
        snapshot(4, age=20),
        snapshot(5, age=10),
    ]
    assert [each.sequence for each in by_worth(mixed)] == [2, 4, 3, 1]


def test_a_clock_set_back_gives_up_nothing() -> None:
    """Snapshots that seem to be of the future count as just taken."""
    assert outlived([snapshot(1, age=-DAY), snapshot(2, age=0)], now=NOW, keep=DAY) == ()


kinds: st.SearchStrategy[SnapshotKind] = st.sampled_from(["autosave", "boundary", "kept"])


@given(st.lists(st.tuples(st.floats(0, 40 * DAY), kinds), max_size=60))
def test_thinning_settles(taken: list[tuple[float, SnapshotKind]]) -> None:
    """Thinning twice gives up nothing more, the newest always stays, and no stretch of a week is left without any."""
    ordered = sorted(taken, key=lambda each: each[0], reverse=True)
    snapshots = [snapshot(number, age=age, kind=kind) for number, (age, kind) in enumerate(ordered, start=1)]
    kept = kept_of(snapshots)
    assert kept_of(kept) == kept
    assert snapshots[-1:] == kept[-1:]
    hours = {int(each.at // HOUR) for each in kept}
    assert hours >= {int(each.at // HOUR) for each in snapshots if NOW - each.at < WEEK - HOUR}
