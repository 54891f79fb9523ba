"""`unlost.toml` at a repository's root, and which of its versions counts."""

from __future__ import annotations

import pytest
from app.supervising import Bench, plan_of
from kit.repository import Repository

from unlost.app.plain import Workspace
from unlost.app.store_keeping import StoreKeeper
from unlost.facts.errors import FileInvalid
from unlost.host.clock import SystemClock
from unlost.settings import read_settings

EVERYTHING = '[snapshot]\nscratch = ["*"]\n'
NOTHING = "[snapshot]\nscratch = []\n"
BROKEN = "[agent]\nuse = 'mine'\n"


def mark(repository: Repository, *, hears: list[str] | None = None) -> list[bytes]:
    """Take a boundary; the paths that are claimed then."""
    said = [] if hears is None else hears
    with Workspace.open(str(repository.root), read_settings(), say=said.append) as workspace:
        workspace.mark()
        return sorted(workspace.place.boundaries.claims().by_path)


def lost(repository: Repository) -> list[str]:
    """The paths that `check` calls lost."""
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        return [str(loss["path"]) for loss in workspace.check().to_json()["lost"]]


def test_the_file_on_disk_counts_before_there_is_a_boundary(repository: Repository) -> None:
    """At first registration the tree's own file is read: a draft that it calls scratch makes no claim."""
    repository.write("unlost.toml", '[snapshot]\nscratch = ["drafts/"]\n')
    repository.commit("rules")
    repository.write("drafts/one.md", "a draft\n")
    repository.write("kept.md", "kept\n")

    assert mark(repository) == [b"kept.md"]


def test_afterwards_the_newest_boundary_counts(repository: Repository) -> None:
    """An edited file takes effect once a boundary holds it, not before."""
    repository.write("kept.md", "kept\n")
    mark(repository)
    repository.write("unlost.toml", EVERYTHING)
    repository.write("more.md", "more\n")
    before = mark(repository)
    repository.write("late.md", "late\n")

    assert b"more.md" in before
    assert b"late.md" not in mark(repository)


@pytest.mark.parametrize(
    ("rules", "change", "name"),
    [
        (NOTHING, "    printf '[snapshot]\\nscratch = [\"*\"]\\n' >unlost.toml", "out.txt"),
        (NOTHING, "    rm unlost.toml", "out.log"),
    ],
)
def test_an_agent_cannot_make_scratch_of_work(bench: Bench, rules: str, change: str, name: str) -> None:
    """While a unit is open its admission boundary decides: a file that an agent widens or deletes hides no loss."""
    bench.repository.write("unlost.toml", rules)
    bench.repository.commit("rules")
    head = '[scope]\npaths = ["out.*", "unlost.toml"]\n'
    work = bench.work({"make": f"    echo work >{name}", "hide": f"{change}\n    rm {name}"}, head=head)
    blocked = bench.run(work)
    still = bench.resume()

    assert (blocked.phase, still.phase, blocked.exit_code) == ("blocked", "blocked", 4)
    assert name in [loss["path"] for loss in still.document["lost"]]
    assert name in lost(bench.repository)


def test_a_plan_is_admitted_under_the_rules_in_its_tree(bench: Bench) -> None:
    """A person edits the file and runs a plan: that very file is in the admission boundary, and counts at once."""
    mark(bench.repository)
    bench.repository.write("unlost.toml", '[snapshot]\nscratch = ["out.txt"]\n')
    head = '[scope]\npaths = ["out.*", "lib.rs"]\n'
    work = bench.work(
        {"make": "    echo work >out.txt; echo x >>lib.rs", "drop": "    rm out.txt; echo y >>lib.rs"}, head=head
    )

    assert bench.run(work).outcome == "done"


def test_a_file_that_cannot_be_used_is_refused_where_it_counts(bench: Bench) -> None:
    """Only `[snapshot]` may stand in it: nothing is marked and no agent is started; every fault is named."""
    bench.repository.write("unlost.toml", BROKEN)
    work = bench.work({"make": "    echo work >out.txt"})
    with bench.supervisor() as supervisor, pytest.raises(FileInvalid, match="agent"):
        supervisor.run(plan_of(work), plan_folder=str(work.plan.parent))
    with pytest.raises(FileInvalid, match=r"unlost\.toml"):
        mark(bench.repository)

    assert work.attempts() == []
    bench.repository.write("unlost.toml", NOTHING)
    assert mark(bench.repository) == [b"unlost.toml"]


def test_a_boundary_with_a_bad_file_is_passed_over(repository: Repository) -> None:
    """A bad file in a boundary locks nobody out: it is told, and the user's own settings count."""
    mark(repository)
    repository.write("unlost.toml", BROKEN)
    mark(repository)
    said: list[str] = []

    assert mark(repository, hears=said) == [b"unlost.toml"]
    assert [line for line in said if "unlost.toml of boundary 1 is passed over" in line]


def test_a_link_is_no_rule(repository: Repository) -> None:
    """A symlink of that name is never followed."""
    outside = repository.root.parent / "rules.toml"
    outside.write_text(EVERYTHING)
    (repository.root / "unlost.toml").symlink_to(outside)

    repository.write("kept.md", "kept\n")

    assert mark(repository) == [b"kept.md", b"unlost.toml"]
    assert mark(repository) == [b"kept.md", b"unlost.toml"]


def test_it_says_what_is_captured(repository: Repository) -> None:
    """The other keys count too: a file over the repository's own `max_file` is listed, not captured."""
    repository.write("unlost.toml", '[snapshot]\nmax_file = "1KiB"\nautosave = "off"\n')
    repository.write("large.bin", "x" * 2_000)
    mark(repository)
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        latest = workspace.place.boundaries.archive.latest()

        assert latest is not None
        assert [each.path for each in latest.incomplete] == [b"large.bin"]
        assert workspace.place.rules.autosave is None


def test_a_store_keeps_the_most_that_its_workspaces_ask_for(repository: Repository) -> None:
    """`keep` counts for the store that all work trees of the repository share: what one of them needs stays."""
    repository.write("unlost.toml", '[snapshot]\nkeep = "90d"\n')
    mark(repository)
    with Workspace.open(str(repository.root), read_settings()) as workspace:
        store = workspace.place.boundaries.archive.layout.store_folder
        keeper = StoreKeeper(store, read_settings(), workspace.ledger, SystemClock())
        budget = keeper.budget()
        keeper.close()

    assert (budget.keep, budget.max_store) == (90 * 86400.0, read_settings().snapshot.max_store)
