"""Which workspace is this: found by its root, known again when it moved, told apart when it was replaced."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from kit.repository import Repository

from unlost.git.repository import discover
from unlost.host.ids import new_id
from unlost.snapshot.identity import adopt_moved, find, forget, register, sharing_store, state_of
from unlost.snapshot.registry import Identity, RegistryDamaged, registered_workspaces, store_folder
from unlost.snapshot.whereabouts import workspace_folder


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "state home")


def register_here(home: str, root: Path) -> Identity:
    return register(home, discover(str(root)), HandClock(), new_id)


def test_a_workspace_is_found_again(home: str, repository: Repository) -> None:
    """Registering twice gives one workspace, found by its id, a beginning of it, its root, and a link to that."""
    first = register_here(home, repository.root)
    assert first.came_by == "new"
    assert first.workspace.startswith("w-")
    assert register_here(home, repository.root) == first
    os.symlink(repository.root, repository.root.parent / "link")
    for target in (first.workspace, first.workspace[:6], str(repository.root), str(repository.root.parent / "link")):
        assert find(home, target) == first
    assert find(home, "w-none") is None
    assert find(home, str(repository.root / "docs")) is None
    assert state_of(first) == "present"


@pytest.mark.parametrize("damage", ["gone", "garbage"])
def test_a_root_is_found_without_its_index(home: str, repository: Repository, damage: str) -> None:
    """A root whose index file is gone or damaged is still the workspace whose row names it."""
    first = register_here(home, repository.root)
    for index in (Path(home) / "roots").iterdir():
        if damage == "gone":
            index.unlink()
        else:
            index.write_bytes(b"garbage")

    assert find(home, str(repository.root)) == first
    assert register_here(home, repository.root).workspace == first.workspace


def test_a_beginning_without_a_digit_names_no_workspace(home: str, repository: Repository) -> None:
    """`w-` alone names nothing, although only one workspace is there: `forget w-` must not drop it."""
    register_here(home, repository.root)

    assert find(home, "w-") is None


def test_nothing_is_written_into_the_repository(home: str, repository: Repository) -> None:
    """Registering leaves no trace in the repository."""
    before = repository.outside_objects()
    register_here(home, repository.root)
    assert repository.outside_objects() == before
    assert repository.git("status", "--porcelain") == ""


def test_states_of_a_root(home: str, repository: Repository) -> None:
    """A root is present, not a repository without `.git`, replaced with another one's, missing when it is gone."""
    identity = register_here(home, repository.root)
    repository.write("a", "1")
    repository.commit("second")
    assert state_of(identity) == "present"
    aside = repository.root.parent / "git-aside"
    (repository.root / ".git").rename(aside)
    assert state_of(identity) == "not_a_repository"
    repository.git("init", "-q")
    assert state_of(identity) == "replaced"
    shutil.rmtree(repository.root)
    assert state_of(identity) == "missing"
    assert find(home, str(repository.root)) == identity


def test_a_git_dir_whose_history_is_gone_is_replaced(home: str, repository: Repository) -> None:
    """The same folder that no longer knows its last HEAD is another repository."""
    identity = register_here(home, repository.root)
    shutil.rmtree(repository.root / ".git/objects")
    (repository.root / ".git/objects").mkdir()
    assert state_of(identity) == "replaced"


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_moved_root_is_adopted(home: str, repository: Repository, *, packed: bool) -> None:
    """A work tree that was moved keeps its workspace, and the answer says from where it moved."""
    if packed:
        repository.git("gc", "-q")
    identity = register_here(home, repository.root)
    elsewhere = repository.root.parent / "elsewhere"
    repository.root.rename(elsewhere)
    assert state_of(identity) == "missing"
    assert find(home, str(elsewhere)) is None
    adopted = adopt_moved(home, discover(str(elsewhere)), HandClock())
    assert adopted is not None
    assert (adopted.workspace, adopted.moved_from) == (identity.workspace, str(repository.root))
    assert store_folder(home, adopted) == store_folder(home, identity)
    assert state_of(adopted) == "moved"
    assert find(home, str(repository.root)) is None
    again = register_here(home, elsewhere)
    assert (again.came_by, again.workspace, state_of(again)) == ("known", identity.workspace, "present")


def test_a_newcomer_where_a_moved_repository_was_has_a_store_of_its_own(home: str, repository: Repository) -> None:
    """The store goes with the repository that moved; another one at the old place does not share it."""
    first = register_here(home, repository.root)
    elsewhere = repository.root.parent / "elsewhere"
    repository.root.rename(elsewhere)
    adopted = adopt_moved(home, discover(str(elsewhere)), HandClock())
    assert adopted is not None
    other = Repository.create(repository.root)
    second = register_here(home, other.root)
    assert second.came_by == "new"
    assert len({store_folder(home, each) for each in (first, adopted)}) == 1
    assert store_folder(home, second) != store_folder(home, first)


def test_a_stranger_is_not_adopted(home: str, repository: Repository, tmp_path: Path) -> None:
    """A repository that was never here is nobody's, and looking does not register it."""
    register_here(home, repository.root)
    other = Repository.create(tmp_path / "other")
    assert adopt_moved(home, discover(str(other.root)), HandClock()) is None
    assert len(registered_workspaces(home)) == 1


def test_a_copy_is_a_workspace_of_its_own(home: str, repository: Repository) -> None:
    """When both exist, the copy is new."""
    first = register_here(home, repository.root)
    copy = repository.root.parent / "copy"
    shutil.copytree(repository.root, copy, symlinks=True)
    second = register_here(home, copy)
    assert second.came_by == "new"
    assert second.workspace != first.workspace
    assert find(home, str(repository.root)) == first


def test_a_new_clone_keeps_the_workspace(home: str, repository: Repository) -> None:
    """The same history in another git dir at the same root is the same workspace: its losses are not buried."""
    first = register_here(home, repository.root)
    aside = repository.root.parent / "aside"
    repository.root.rename(aside)
    Repository(aside).git("clone", "-q", str(aside), str(repository.root))
    assert state_of(first) == "replaced"
    second = register_here(home, repository.root)
    assert (second.came_by, second.workspace) == ("renewed", first.workspace)
    assert state_of(second) == "present"


def test_another_repository_at_the_root_is_another_workspace(home: str, repository: Repository) -> None:
    """A repository without that history is new, and the old workspace is still found by its id."""
    first = register_here(home, repository.root)
    repository.root.rename(repository.root.parent / "aside")
    other = Repository.create(repository.root)
    other.write("x", "x")
    other.commit("another history")
    second = register_here(home, other.root)
    assert second.came_by == "replaced"
    assert second.workspace != first.workspace
    assert store_folder(home, second) != store_folder(home, first)
    assert find(home, str(repository.root)) == second
    assert find(home, first.workspace) == first
    assert state_of(first) == "replaced"


def test_linked_worktrees_are_workspaces_of_their_own(home: str, repository: Repository) -> None:
    """A linked work tree has its own id and shares the common git dir."""
    main = register_here(home, repository.root)
    linked_root = repository.root.parent / "linked"
    repository.git("worktree", "add", "-q", str(linked_root))
    linked = register_here(home, linked_root)
    assert linked.workspace != main.workspace
    assert linked.common_dir == main.common_dir
    assert linked.git_dir != main.git_dir
    assert {each.workspace for each in sharing_store(home, main.store)} == {main.workspace, linked.workspace}
    assert store_folder(home, linked) == store_folder(home, main)


def test_forgetting(home: str, repository: Repository) -> None:
    """A forgotten workspace is found no more; the same root then starts anew, with another id."""
    identity = register_here(home, repository.root)
    forget(home, identity)
    assert find(home, identity.workspace) is None
    assert find(home, str(repository.root)) is None
    assert not Path(workspace_folder(home, identity.workspace)).exists()
    assert register_here(home, repository.root).workspace != identity.workspace


def test_damage_to_one_row_stays_there(home: str, repository: Repository, tmp_path: Path) -> None:
    """A row that cannot be read is an error for its own workspace, and no hindrance for another."""
    identity = register_here(home, repository.root)
    (Path(workspace_folder(home, identity.workspace)) / "identity.json").write_bytes(b"{torn")
    with pytest.raises(RegistryDamaged) as failure:
        find(home, str(repository.root))
    assert failure.value.hint is not None
    assert register_here(home, Repository.create(tmp_path / "other").root).came_by == "new"


def test_ambiguous_beginnings_find_nothing(home: str, repository: Repository, tmp_path: Path) -> None:
    """A beginning that two ids share names neither."""
    numbers = itertools.count(1)
    for root in (repository.root, Repository.create(tmp_path / "other").root):
        register(home, discover(str(root)), HandClock(), lambda kind: f"{kind}-00{next(numbers)}")
    assert find(home, "w-00") is None
    assert find(home, "w-001") is not None


def test_a_root_whose_name_is_no_text(home: str, tmp_path: Path) -> None:
    """A root with bytes that are not UTF-8 is found again like any other."""
    made = Repository.create(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    identity = register_here(home, made.root)
    assert identity.head is None
    assert find(home, str(made.root)) == identity
