"""Commits of a unit's work in a real repository: what they hold, what they leave, when there is none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from kit.repository import Repository
from publish.committing import Bench

THREE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def status(repository: Repository) -> str:
    """What `git status` says, of untracked files too."""
    return repository.git("status", "--porcelain=v1", "-uall")


def show(repository: Repository, path: str, commit: str = "HEAD") -> str:
    """A file as a commit holds it."""
    return repository.git("show", f"{commit}:{path}")


def changed(repository: Repository, commit: str = "HEAD") -> list[str]:
    """The paths that a commit changed."""
    return repository.git("show", "--pretty=", "--name-only", "--no-renames", commit).splitlines()


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


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("detached", "detached"),
        ("unborn", "unborn"),
        ("other", "other_branch"),
        ("merge", "operation"),
        ("locked", "index_locked"),
        ("anonymous", "no_identity"),
        ("gone", "no_repository"),
    ],
)
def test_states_in_which_there_is_no_commit(
    bench: Bench, state: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A detached HEAD, an unborn or another branch, a merge, another git, no name: refused by name, nothing changed."""
    repository = bench.repository
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    match state:
        case "detached":
            repository.git("checkout", "-q", "--detach")
        case "unborn":
            repository.git("update-ref", "-d", "refs/heads/main")
        case "other":
            repository.git("checkout", "-q", "-b", "other")
        case "merge":
            (repository.root / ".git" / "MERGE_HEAD").write_text(repository.git("rev-parse", "HEAD") + "\n")
        case "locked":
            monkeypatch.setattr("unlost.publish.commits._PATIENCE", 0.0)
            (repository.root / ".git" / "index.lock").write_bytes(b"")
        case "anonymous":
            for name in ("AUTHOR", "COMMITTER"):
                monkeypatch.delenv(f"GIT_{name}_EMAIL")
        case _:
            (repository.root / ".git").rename(repository.root.parent / "away")
    index = repository.root / ".git" / "index"
    kept = index.read_bytes() if index.exists() else b""
    composed, delivered = bench.commit(bench.order((before, after)))

    assert (composed.refusal or delivered.refusal) == word
    assert repository.read("main.rs") == b"fn main() {}\n"
    assert (index.read_bytes() if index.exists() else b"") == kept


def test_unmerged_paths_refuse(bench: Bench) -> None:
    """A conflict in the index, whatever left it there, is for a person to settle first."""
    repository = bench.repository
    oid = repository.git("rev-parse", "HEAD:main.rs")
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    rows = "".join(f"100644 {oid} {stage}\tlib.rs\n" for stage in (1, 2, 3))
    subprocess.run(["git", "update-index", "--index-info"], cwd=repository.root, input=rows, text=True, check=True)
    composed, _ = bench.commit(bench.order((before, after)))

    assert composed.refusal == "conflicted"


def test_a_head_that_moves_between_is_seen(bench: Bench) -> None:
    """The branch moves only from the commit that was expected; the person's own commit stands."""
    repository = bench.repository
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    order = bench.order((before, after))
    commits = bench.commits()
    composed = commits.compose(order)
    repository.git("commit", "-q", "--allow-empty", "-m", "a person's")
    head = repository.git("rev-parse", "HEAD")

    assert commits.deliver(order, composed).refusal == "head_moved"
    assert repository.git("rev-parse", "HEAD") == head
    assert bench.commit(order)[1].refusal is None
    assert repository.git("rev-parse", "HEAD~1") == head


def test_the_persons_own_settings_say_who_commits(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name and address come from the person's files, `includeIf gitdir` among them, as their git reads them."""
    for role in ("AUTHOR", "COMMITTER"):
        for what in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{what}")
    home = Path(os.environ["HOME"])
    home.joinpath("work").write_text("[user]\n\temail = work@example.org\n")
    home.joinpath(".gitconfig").write_text(
        f'[user]\n\tname = Someone\n\temail = home@example.org\n[includeIf "gitdir:{bench.repository.root}/"]\n'
        "\tpath = work\n"
    )
    bench.commit(bench.order(bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))))

    assert bench.repository.git("log", "-1", "--format=%an <%ae>") == "Someone <work@example.org>"


def test_no_program_of_the_repository_runs(bench: Bench, tmp_path: Path) -> None:
    """Hooks, fsmonitor, filters, pagers and aliases that the repository names are not started by a commit."""
    repository = bench.repository
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >>"{mark}"\n')
    program.chmod(0o755)
    hooks = repository.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        (hooks / name).symlink_to(program)
    for key in ("core.fsmonitor", "core.pager", "gpg.program", "diff.external", "core.editor"):
        repository.git("config", key, str(program))
    mark.unlink(missing_ok=True)
    before = bench.captures.capture("boundary", "before")
    repository.write("main.rs", "fn main() {}\n")
    after = bench.captures.capture("boundary", "after")
    composed, delivered = bench.commit(bench.order((before, after)))

    assert delivered.refusal is None
    assert composed.skipped_hooks == ("pre-commit", "commit-msg", "post-commit")
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["split", "worktree", "sha256", "packed", "sparse"])
def test_shapes_of_repositories(tmp_path: Path, kind: str) -> None:
    """A split or sparse index, a linked work tree, SHA-256 and packed refs are all committed to."""
    arguments = ("--object-format=sha256",) if kind == "sha256" else ()
    repository = Repository.create(tmp_path / "r", *arguments)
    repository.write("a.txt", "one\n")
    repository.write("b.txt", "two\n")
    repository.commit("first")
    branch = "main"
    match kind:
        case "split":
            repository.git("update-index", "--split-index")
        case "worktree":
            repository.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
            repository, branch = Repository(root=tmp_path / "linked"), "linked"
        case "packed":
            repository.git("pack-refs", "--all")
            repository.git("gc", "-q")
        case "sparse":
            repository.write("deep/far/c.txt", "three\n")
            repository.commit("deep")
            repository.git("sparse-checkout", "set", "--cone", "--sparse-index")
    bench = Bench.of(repository)

    def work(made: Repository) -> None:
        made.write("a.txt", "one and more\n")
        made.remove("b.txt")

    pair = bench.work(work)
    composed, delivered = bench.commit(bench.order(pair, branch=f"refs/heads/{branch}"))
    bench.close()

    assert (composed.refusal, delivered.refusal) == (None, None)
    assert repository.git("rev-parse", branch) == composed.commit
    assert changed(repository) == ["a.txt", "b.txt"]
    assert status(repository) == ""
    repository.git("fsck", "--strict")


def test_many_files_come_in_as_one_pack(bench: Bench) -> None:
    """A commit of hundreds of files leaves the repository whole and clean."""

    def work(made: Repository) -> None:
        for number in range(300):
            made.write(f"many/{number}.txt", f"{number}\n")

    pair = bench.work(work)
    bench.commit(bench.order(pair))

    assert len(changed(bench.repository)) == 300
    assert status(bench.repository) == ""
    bench.repository.git("fsck", "--strict")


def test_a_file_system_without_exec_bits_changes_no_mode(bench: Bench) -> None:
    """With `core.fileMode` off the committed bit stays, and a new file is an ordinary one, as with git itself."""
    repository = bench.repository
    repository.git("config", "core.fileMode", "false")
    for path in ("main.rs", "lib.rs"):
        (repository.root / path).chmod(0o755)

    def work(made: Repository) -> None:
        made.write("main.rs", "fn main() {}\n")
        (made.root / "main.rs").chmod(0o755)
        made.write("new.rs", "// new\n", executable=True)

    bench.commit(bench.order(bench.work(work)))

    assert repository.git("ls-tree", "HEAD", "main.rs", "new.rs").count("100644") == 2
    assert status(repository) == ""


def test_the_persons_signature_is_followed(bench: Bench, tmp_path: Path) -> None:
    """`commit.gpgSign` with a key that signs: the commit is signed; with one that does not, there is no commit."""
    repository = bench.repository
    key = tmp_path / "key"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True, stdin=subprocess.DEVNULL
    )
    home = Path(os.environ["HOME"])
    home.joinpath(".gitconfig").write_text(
        f"[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = {key}\n"
    )
    pair = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    key.rename(tmp_path / "away")
    refused, _ = bench.commit(bench.order(pair))
    (tmp_path / "away").rename(key)
    composed, delivered = bench.commit(bench.order(pair))

    assert refused.refusal == "signing_failed"
    assert (composed.signed, delivered.refusal) == (True, None)
    assert "-----BEGIN SSH SIGNATURE-----" in repository.git("cat-file", "commit", "HEAD")
    assert repository.git("log", "-1", "--format=%an") == "A Person"
