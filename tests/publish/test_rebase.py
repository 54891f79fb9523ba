"""Carrying a unit's commits over to a moved target, in a git dir of unlost's own, with real git."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.repository import Repository

from unlost.git.repository import open_repository
from unlost.publish.rebase import Conflict, Rebased, rebase, resolved
from unlost.publish.store import PublishStore


@pytest.fixture
def store(repository: Repository, tmp_path: Path) -> Iterator[PublishStore]:
    (tmp_path / "workspace").mkdir()
    with PublishStore(str(tmp_path / "workspace"), open_repository(str(repository.root))) as opened:
        yield opened


def work(repository: Repository, *commits: dict[str, str]) -> tuple[str, str]:
    """A branch `work` off main with these commits; the base and its tip."""
    base = repository.git("rev-parse", "main")
    repository.git("switch", "-q", "-c", "work")
    for number, files in enumerate(commits, 1):
        for path, text in files.items():
            repository.write(path, text)
        repository.commit(f"work {number}")
    tip = repository.git("rev-parse", "HEAD")
    repository.git("switch", "-q", "main")
    return base, tip


def moved(repository: Repository, files: dict[str, str]) -> str:
    """One more commit on main."""
    for path, text in files.items():
        repository.write(path, text)
    return repository.commit("main moved")


def shown(store: PublishStore, commit: str, path: str) -> str:
    return store.git.run("show", f"{commit}:{path}").decode()


def test_commits_are_carried_over_one_by_one(repository: Repository, store: PublishStore) -> None:
    """R.58: a clean rebase keeps each commit's message, author and times, and holds both sides' work."""
    base, tip = work(repository, {"a.txt": "a\n"}, {"main.rs": "fn main() {\n    parse();\n}\n"})
    onto = moved(repository, {"lib.rs": "pub fn other() {}\n"})
    before = repository.outside_objects()

    done = rebase(store, base=base, before=tip, onto=onto)

    assert isinstance(done, Rebased)
    assert done.carried == 2
    assert store.parents_of(store.parents_of(done.commit)[0]) == (onto,)
    told = store.git.run("log", "--format=%s|%an|%ad", f"{onto}..{done.commit}", "--").decode().splitlines()
    assert [line.split("|")[0] for line in told] == ["work 2", "work 1"]
    assert told[0].split("|")[1:] == store.git.run("log", "-1", "--format=%an|%ad", tip, "--").decode().strip().split(
        "|"
    )
    assert shown(store, done.commit, "lib.rs") == "pub fn other() {}\n"
    assert "parse();" in shown(store, done.commit, "main.rs")
    assert repository.outside_objects() == before


def test_the_same_order_gives_the_same_commit(repository: Repository, store: PublishStore) -> None:
    """Decision 12: asked again after a crash, a rebase comes to the very same commit."""
    base, tip = work(repository, {"a.txt": "a\n"})
    onto = moved(repository, {"b.txt": "b\n"})

    assert rebase(store, base=base, before=tip, onto=onto) == rebase(store, base=base, before=tip, onto=onto)


def test_what_the_target_holds_already_is_not_carried_over(repository: Repository, store: PublishStore) -> None:
    """A commit that came to the target another way leaves no empty commit behind."""
    base, tip = work(repository, {"a.txt": "a\n"}, {"c.txt": "c\n"})
    onto = moved(repository, {"a.txt": "a\n"})

    done = rebase(store, base=base, before=tip, onto=onto)

    assert isinstance(done, Rebased)
    assert store.parents_of(done.commit) == (onto,)


def test_a_conflict_is_named_and_nothing_is_committed(repository: Repository, store: PublishStore) -> None:
    """R.59: both sides changed one line: the paths are named and the merged tree has marks there, and there alone."""
    base, tip = work(repository, {"a.txt": "a\n"}, {"main.rs": "fn main() {\n    mine();\n}\n", "b.txt": "b\n"})
    onto = moved(repository, {"main.rs": "fn main() {\n    theirs();\n}\n"})

    found = rebase(store, base=base, before=tip, onto=onto)

    assert isinstance(found, Conflict)
    assert (found.paths, found.carried) == ((b"main.rs",), 1)
    text = store.git.run("cat-file", "blob", f"{found.tree}:main.rs").decode()
    assert "<<<<<<<" in text
    assert "mine();" in text
    assert "theirs();" in text
    assert store.git.run("cat-file", "blob", f"{found.tree}:b.txt") == b"b\n"


def test_a_settled_conflict_is_one_commit_on_what_was_carried_over(repository: Repository, store: PublishStore) -> None:
    """R.59: the settled tree becomes a commit with every message that was left, over those that were clean."""
    base, tip = work(repository, {"a.txt": "a\n"}, {"main.rs": "mine\n"}, {"c.txt": "c\n"})
    onto = moved(repository, {"main.rs": "theirs\n"})
    found = rebase(store, base=base, before=tip, onto=onto)
    assert isinstance(found, Conflict)

    commit = resolved(store, base=base, before=tip, conflict=found, tree=found.tree)

    assert store.parents_of(commit) == (found.onto,)
    assert store.parents_of(found.onto) == (onto,)
    assert store.message_of(commit) == "work 2\n\nwork 3\n"


def test_a_target_that_was_rewritten_is_rebased_onto_with_the_old_base(
    repository: Repository, store: PublishStore
) -> None:
    """R.58: commits that left the target do not come back with the unit's own."""
    gone = moved(repository, {"gone.txt": "gone\n"})
    _, tip = work(repository, {"a.txt": "a\n"})
    repository.git("reset", "-q", "--hard", "HEAD~1")
    onto = moved(repository, {"new.txt": "new\n"})

    done = rebase(store, base=gone, before=tip, onto=onto)

    assert isinstance(done, Rebased)
    names = store.git.run("ls-tree", "--name-only", done.commit).decode().split()
    assert "gone.txt" not in names
    assert {"a.txt", "new.txt"} <= set(names)


@pytest.mark.parametrize("attribute", ["merge=planted", "merge=union", "-merge", "binary"])
def test_no_driver_and_no_attribute_of_the_repository_counts(
    repository: Repository, store: PublishStore, attribute: str, tmp_path: Path
) -> None:
    """N.R3: a merge driver that the repository names runs under plain git, and not here; text is merged as text."""
    witness = tmp_path / "witness"
    repository.git("config", "merge.planted.driver", f"touch {witness}; false")
    repository.write(".gitattributes", f"*.txt {attribute}\n")
    repository.write("t.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    repository.commit("attributes")
    base, tip = work(repository, {"t.txt": "one\n2\n3\n4\n5\n6\n7\n8\n9\n"})
    onto = moved(repository, {"t.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"})

    done = rebase(store, base=base, before=tip, onto=onto)

    assert isinstance(done, Rebased)
    assert shown(store, done.commit, "t.txt") == "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"
    assert not witness.exists()
    if attribute == "merge=planted":
        repository.git("merge", "-q", "work", check=False)
        assert witness.exists()


def test_a_signature_is_not_carried_over(repository: Repository, store: PublishStore) -> None:
    """A signature of other content would be a false one: it is left behind, the rest of the header stays."""
    base, tip = work(repository, {"a.txt": "a\n"})
    onto = moved(repository, {"b.txt": "b\n"})
    header, _, message = store.raw(tip).partition(b"\n\n")
    writer = store.writer()
    signed = writer.write(b"commit", header + b"\ngpgsig -----BEGIN\n more\n -----END\nencoding UTF-8\n\n" + message)
    writer.finish()

    done = rebase(store, base=base, before=signed, onto=onto)

    assert isinstance(done, Rebased)
    assert b"gpgsig" not in store.raw(done.commit)
    assert b" more" not in store.raw(done.commit)
    assert b"encoding UTF-8" in store.raw(done.commit)


def test_sha256_repositories_are_rebased_too(tmp_path: Path) -> None:
    """R.58: the same in a repository of sha256 objects."""
    repository = Repository.create(tmp_path / "sha256", "--object-format=sha256")
    repository.write("a", "a\n")
    repository.commit("first")
    base, tip = work(repository, {"b": "b\n"})
    onto = moved(repository, {"c": "c\n"})
    (tmp_path / "workspace").mkdir()
    with PublishStore(str(tmp_path / "workspace"), open_repository(str(repository.root))) as store:
        done = rebase(store, base=base, before=tip, onto=onto)

        assert isinstance(done, Rebased)
        assert len(done.commit) == 64
