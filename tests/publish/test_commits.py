"""Commits of a unit's work in a real repository: what they hold, what they leave, when there is none."""

from __future__ import annotations

import os

from kit.repository import Repository
from publish.committing import Bench, changed, status

THREE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def show(repository: Repository, path: str, commit: str = "HEAD") -> str:
    """A file as a commit holds it."""
    return repository.git("show", f"{commit}:{path}")


def test_a_commit_holds_the_work_and_says_where_it_comes_from(bench: Bench) -> None:
    """The branch moves by one commit with the task's paths; author, trailers and reflog say whose it is."""
    repository = bench.repository
    first = repository.git("rev-parse", "HEAD")

    def work(made: Repository) -> None:
        made.write("main.rs", "fn main() {\n    parse();\n}\n")
        made.write("new.sh", "#!/bin/sh\n", executable=True)
        made.remove("docs/notes.md")

    before, after = bench.work(work)
    composed, delivered = bench.commit(bench.order((before, after)))

    assert (composed.refusal, delivered.refusal, composed.before) == (None, None, first)
    assert repository.git("rev-parse", "main") == composed.commit
    assert repository.git("log", "-1", "--format=%P %an %ae %cn %at") == (
        f"{first} A Person person@example.org A Person 1790000000"
    )
    assert changed(repository) == ["docs/notes.md", "main.rs", "new.sh"]
    assert status(repository) == ""
    assert repository.git("log", "-1", "--format=%(trailers)").splitlines()[:3] == [
        "Unlost-Unit: u-1",
        "Unlost-Task: swap",
        f"Unlost-Snapshot: {after.id}",
    ]
    assert repository.git("reflog", "-1", "--format=%gs") == "commit (unlost): Swap the call sites."
    repository.git("fsck", "--strict")
    assert not [name for name in os.listdir(repository.root / ".git") if "unlost" in name or name.endswith(".lock")]


def test_what_a_person_had_not_committed_stays_uncommitted(bench: Bench) -> None:
    """A person's own files from before the run, and their lines in the task's file, are in no commit of unlost's."""
    repository = bench.repository
    repository.write("lib.rs", THREE)
    repository.commit("three")
    repository.write("lib.rs", THREE.replace("two", "two, mine"))
    repository.write("mine.txt", "mine\n")
    repository.write("docs/notes.md", "# Notes, mine\n")

    before, after = bench.work(lambda made: made.write("lib.rs", THREE.replace("two", "two, mine") + "eight\n"))
    composed, _ = bench.commit(bench.order((before, after)))

    assert composed.left_out == ()
    assert changed(repository) == ["lib.rs"]
    assert show(repository, "lib.rs") == (THREE + "eight").rstrip("\n")
    assert repository.read("lib.rs").decode() == THREE.replace("two", "two, mine") + "eight\n"
    assert status(repository) == " M docs/notes.md\n M lib.rs\n?? mine.txt"


def test_lines_that_touch_a_persons_are_left_out_and_named(bench: Bench) -> None:
    """Where only a person can tell whose a line is, the path stays as it is in the tree and is told."""
    repository = bench.repository
    repository.write("docs/notes.md", "# Notes, mine\n")

    def work(made: Repository) -> None:
        made.write("docs/notes.md", "# Notes, mine and theirs\n")
        made.write("main.rs", "fn main() {}\n")

    composed, _ = bench.commit(bench.order(bench.work(work)))

    assert [(each.path, each.reason) for each in composed.left_out] == [(b"docs/notes.md", "overlaps")]
    assert changed(repository) == ["main.rs"]
    assert repository.read("docs/notes.md") == b"# Notes, mine and theirs\n"


def test_what_is_staged_stays_staged(bench: Bench) -> None:
    """A person's staged files, and staged lines of the task's own file, are staged afterwards as they were."""
    repository = bench.repository
    repository.write("lib.rs", THREE)
    repository.commit("three")
    repository.write("lib.rs", THREE.replace("two", "two, mine"))
    repository.write("staged.txt", "staged\n")
    repository.git("add", "lib.rs", "staged.txt")
    repository.write("unstaged.txt", "unstaged\n")

    before, after = bench.work(lambda made: made.write("lib.rs", made.read("lib.rs") + b"eight\n"))
    bench.commit(bench.order((before, after)))

    assert changed(repository) == ["lib.rs"]
    assert status(repository) == "M  lib.rs\nA  staged.txt\n?? unstaged.txt"
    assert repository.git("diff", "--cached", "--", "lib.rs").count("two, mine") == 1
    assert "eight" not in repository.git("diff", "--cached", "--", "lib.rs").replace(" eight", "")


def test_an_index_that_is_behind_is_brought_along(bench: Bench) -> None:
    """What the agent itself staged or added with intent is simply committed; status is clean."""
    repository = bench.repository

    def work(made: Repository) -> None:
        made.write("main.rs", "fn main() {}\n")
        made.write("added.rs", "// added\n")
        made.write("meant.rs", "// meant\n")
        made.git("add", "main.rs", "added.rs")
        made.git("add", "-N", "meant.rs")

    composed, delivered = bench.commit(bench.order(bench.work(work)))

    assert (composed.left_out, delivered.refusal) == ((), None)
    assert status(repository) == ""


def test_an_edit_of_equal_size_is_still_seen(bench: Bench) -> None:
    """The new index trusts no entry that the old one did not: a same-size edit in the same second shows."""
    repository = bench.repository
    repository.write("lib.rs", "pub fn legacy_purse() {}\n")
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    bench.commit(bench.order((before, after)))

    assert status(repository) == " M lib.rs"


def test_several_tasks_in_one_commit(bench: Bench) -> None:
    """Stretches are put onto each other in their order; what came between them is nobody's of the unit."""
    repository = bench.repository
    one = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    repository.write("between.txt", "a person's\n")
    two = bench.work(lambda made: made.write("main.rs", "fn main() { run() }\n"))
    bench.commit(bench.order(one, two))

    assert changed(repository) == ["main.rs"]
    assert show(repository, "main.rs") == "fn main() { run() }"
    assert status(repository) == "?? between.txt"


def test_scratch_and_ignored_files_are_not_committed(bench: Bench) -> None:
    """Untracked scratch is passed over; a captured ignored file is named."""
    repository = bench.repository
    repository.write(".gitignore", "precious.dat\n")
    repository.commit("ignore")
    bench.captures.limits = type(bench.captures.limits)(include_ignored=("precious.dat",))

    def work(made: Repository) -> None:
        made.write("run.log", "noise\n")
        made.write("precious.dat", "x\n")
        made.write("main.rs", "fn main() {}\n")

    composed, _ = bench.commit(bench.order(bench.work(work)))

    assert changed(repository) == ["main.rs"]
    assert [each.reason for each in composed.left_out] == ["ignored"]


def test_line_ends_are_stored_as_git_stores_them(bench: Bench) -> None:
    """A work tree with CRLF commits LF where the attributes say so; filters of the person's own are left to them."""
    repository = bench.repository
    repository.write(".gitattributes", "*.txt text eol=crlf\n*.bin filter=vault\n")
    repository.write("a.txt", "one\r\ntwo\r\n")
    repository.commit("text")
    repository.git("config", "filter.vault.clean", "false")

    def work(made: Repository) -> None:
        made.write("a.txt", "one\r\ntwo\r\nthree\r\n")
        made.write("a.bin", "secret\n")

    composed, _ = bench.commit(bench.order(bench.work(work)))

    assert repository.git("cat-file", "blob", "HEAD:a.txt") == "one\ntwo\nthree"
    assert [(each.path, each.reason) for each in composed.left_out] == [(b"a.bin", "converted")]
    assert status(repository).splitlines() == ["?? a.bin"]


def test_nothing_to_commit_makes_no_commit(bench: Bench) -> None:
    """What the agent committed itself is HEAD already: the commit is HEAD, nothing is written."""

    def work(made: Repository) -> None:
        made.write("main.rs", "fn main() {}\n")
        made.commit("by the agent")

    before, after = bench.work(work)
    head = bench.repository.git("rev-parse", "HEAD")
    composed, _ = bench.commit(bench.order((before, after)))

    assert (composed.commit, composed.before, composed.refusal) == (head, head, None)
