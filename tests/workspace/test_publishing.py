"""What the program on a place does with a root: receipts, refusals, the swap, and putting back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unlost.facts.quoting import canonical_json
from unlost.host.folders import Folder
from unlost.workspace.script import publishing
from unlost.workspace.script.git_writing import git_here
from unlost.workspace.script.orders import Order, Refused, identity_of, order_json, read_order
from unlost.workspace.script.publishing import RollbackFailed, inspect, prepare, publish
from unlost.workspace.script.receipts import READY, RESTORED, write_receipt


def order_for(root: Path, operation: str = "o-new", epoch: int = 3, **more: Any) -> Order:
    """An order for a root, with its own identity."""
    facts: dict[str, Any] = {
        "workspace": "w-1",
        "snapshot": "5" * 40,
        "place": "A",
        "root": str(root),
        "operation": operation,
    }
    return Order(
        mode="publish", identity=identity_of(**facts), epoch=epoch, known=more.pop("known", {}), **facts, **more
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An old root with a preparation receipt, and a new one staged beside it."""
    made = tmp_path / "work"
    made.mkdir()
    (made / "old.txt").write_text("old")
    with Folder.open(str(made)) as folder:
        write_receipt(folder, READY, order_for(made, "o-old", 1))
    return made


def staged(root: Path, **more: Any) -> Order:
    """An order that may replace the old root, whose new root is staged."""
    known = {order_for(root, "o-old", 1).identity: root.stat().st_ino} if root.exists() else {}
    order = order_for(root, known=more.pop("known", known), **{"replace_retired_root": True, **more})
    tree = root.parent / os.fsdecode(order.staging) / "tree"
    tree.mkdir(parents=True)
    (tree / "new.txt").write_text("new")
    with Folder.open(str(tree)) as folder:
        write_receipt(folder, RESTORED, order)
    return order


def beside(root: Path) -> list[str]:
    """The names beside the root."""
    return sorted(each.name for each in root.parent.iterdir() if each != root)


def receipt(root: Path) -> Path:
    """The old root's receipt."""
    return root / ".unlost" / "workspace-ready.json"


def refuses(root: Path, order: Order, *, reason: str = "occupied_root", stage: str = "inspect_root") -> None:
    """The order is refused, and the root's files stay as they were."""
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    with pytest.raises(Refused) as caught:
        publish(order)
    assert (caught.value.stage, caught.value.reason) == (stage, reason)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_retired_root_gives_way(root: Path) -> None:
    """W.14, W.17: the new root has the name, and neither the staging folder nor the parked root stays."""
    answer = publish(staged(root))

    assert (answer["outcome"], answer["replaced"], answer["parked"]) == ("restored", True, None)
    assert (root / "new.txt").read_text() == "new"
    assert not (root / "old.txt").exists()
    assert beside(root) == []


def test_without_permission_the_root_stays(root: Path) -> None:
    """W.11: an occupied root without permission is refused, though its receipt is in order."""
    refuses(root, staged(root, replace_retired_root=False))


def test_both_permissions_at_once_are_refused(root: Path) -> None:
    """W.16: replacing a retired root and filling an empty one contradict each other."""
    order = replace(staged(root), allow_empty_root=True)

    with pytest.raises(Refused) as caught:
        read_order(order_json(order))

    assert caught.value.reason == "conflicting_permissions"


def test_an_order_of_another_identity_is_refused(root: Path) -> None:
    """An identity that is not made of the order's own facts is no order."""
    order = replace(staged(root), snapshot="6" * 40)

    with pytest.raises(Refused) as caught:
        read_order(order_json(order))

    assert (caught.value.stage, caught.value.reason) == ("read_order", "identity_mismatch")


@pytest.mark.parametrize("bad", ["/", "work", "/a/../b", "/a//b", ""])
def test_a_root_must_be_a_plain_absolute_path(bad: str) -> None:
    """`/`, a relative path, one with `..` or an empty one is no root."""
    facts: dict[str, Any] = {"workspace": "w-1", "snapshot": "", "place": "A", "root": bad, "operation": "o-1"}
    order = Order(mode="look", identity=identity_of(**facts), epoch=1, known={}, **facts)

    with pytest.raises(Refused):
        read_order(order_json(order))


def _changed(**facts: Any) -> Callable[[Path], None]:
    def spoil(root: Path) -> None:
        known = json.loads(receipt(root).read_text())
        receipt(root).write_bytes(canonical_json({**known, **facts}))

    return spoil


def _text(text: str) -> Callable[[Path], None]:
    def spoil(root: Path) -> None:
        receipt(root).write_text(text)

    return spoil


def _twice(root: Path) -> None:
    text = receipt(root).read_text().strip()
    receipt(root).write_text(text[:-1] + ',"epoch":1}')


def _large(root: Path) -> None:
    receipt(root).write_text(receipt(root).read_text() + " " * 20_000)


def _linked(root: Path) -> None:
    receipt(root).rename(root.parent / "receipt.json")
    os.symlink(root.parent / "receipt.json", receipt(root))


def _hard_linked(root: Path) -> None:
    os.link(receipt(root), root / "second-name.json")


def _linked_folder(root: Path) -> None:
    (root / ".unlost").rename(root / "elsewhere")
    os.symlink("elsewhere", root / ".unlost")


def _pipe(root: Path) -> None:
    receipt(root).unlink()
    os.mkfifo(receipt(root))


def _second_one_forged(root: Path) -> None:
    (root / ".unlost" / "workspace-restored.json").write_text("{}")


def _copied_root(root: Path) -> None:
    root.rename(root.parent / "away")
    root.mkdir()
    (root / "stranger.txt").write_text("a stranger's")
    (root / ".unlost").mkdir()
    receipt(root).write_bytes((root.parent / "away" / ".unlost" / "workspace-ready.json").read_bytes())


SPOILED: dict[str, Callable[[Path], None]] = {
    "forged": _changed(identity="a" * 64),
    "short identity": _changed(identity="a" * 63),
    "upper case": _changed(identity="A" * 64),
    "another workspace": _changed(workspace="w-2"),
    "another place": _changed(place="B"),
    "epoch as text": _changed(epoch="1"),
    "epoch as boolean": _changed(epoch=True),
    "unknown key": _changed(more=1),
    "another schema": _changed(schema="unlost.receipt/2"),
    "keys twice": _twice,
    "oversized": _large,
    "no JSON": _text("{"),
    "deeply nested": _text("[" * 8000),
    "symlink": _linked,
    "hard link": _hard_linked,
    "symlinked folder": _linked_folder,
    "pipe": _pipe,
    "missing": lambda root: receipt(root).unlink(),
    "a second one that is forged": _second_one_forged,
    "copied into another folder": _copied_root,
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())
def test_only_a_recorded_receipt_of_this_very_folder_opens_the_root(root: Path, spoil: Callable[[Path], None]) -> None:
    """W.12, W.13: with permission, yet without a well-formed recorded receipt of its own, the root stays untouched."""
    order = staged(root)
    spoil(root)
    if spoil is _pipe:
        with pytest.raises(Refused, match="occupied_root"):
            publish(order)
        return
    refuses(root, order)


def test_a_root_that_is_a_link_is_a_stranger(root: Path) -> None:
    """W.13: a link at the root's name is an unknown occupant, wherever it leads."""
    order = staged(root)
    root.rename(root.parent / "moved")
    os.symlink("moved", root)

    with pytest.raises(Refused, match="occupied_root"):
        publish(order)
    assert (root.parent / "moved" / "old.txt").read_text() == "old"


def test_a_later_writers_root_is_stale_for_an_older_one(root: Path) -> None:
    """Decision 11: an order of an older epoch never replaces the root of a later writer."""
    order = staged(root)
    with Folder.open(str(root)) as folder:
        write_receipt(folder, READY, order_for(root, "o-later", 4))

    refuses(root, order, reason="stale_epoch")


def test_a_root_that_is_filled_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """A folder that appears after the first look is refused by the second one, under the lock."""
    root = tmp_path / "work"
    order = staged(root)
    root.mkdir()
    (root / "theirs.txt").write_text("theirs")

    refuses(root, order)


@pytest.fixture
def without_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that cannot swap two names."""
    monkeypatch.setattr(publishing, "exchange", lambda *_: False)


@pytest.mark.usefixtures("without_exchange")
def test_without_a_swap_the_old_root_is_parked_first(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W.14: park as `<root>.retired-<identity>`, publish by rename, remove the parked copy."""
    order, seen = staged(root), []
    monkeypatch.setattr(publishing, "crash_point", lambda name: seen.append((name, beside(root))))

    assert publish(order)["outcome"] == "restored"

    parked = dict(seen)["restore_root.parked"]
    assert f"work.retired-{order.identity}" in parked
    assert (root / "new.txt").exists()
    assert beside(root) == []


@pytest.mark.usefixtures("without_exchange")
def test_a_failed_publication_is_rolled_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W.15: when the rename of the new root fails, the old one gets its name back."""
    order = staged(root)
    fail_once(monkeypatch, {2})

    with pytest.raises(OSError, match="injected"):
        publish(order)

    assert (root / "old.txt").read_text() == "old"
    assert not any(".retired-" in name for name in beside(root))


@pytest.mark.usefixtures("without_exchange")
def test_a_failed_roll_back_keeps_the_parked_root_and_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W.15: when putting back fails as well, the old root stays whole under its parked name, which is told."""
    order = staged(root)
    fail_once(monkeypatch, {2, 3})

    with pytest.raises(RollbackFailed) as caught:
        publish(order)

    assert caught.value.parked == f"work.retired-{order.identity}"
    assert (root.parent / caught.value.parked / "old.txt").read_text() == "old"
    monkeypatch.undo()
    assert publish(order)["outcome"] == "restored", "the next attempt puts it back and finishes"
    assert beside(root) == []


@pytest.mark.usefixtures("without_exchange")
def test_a_kill_while_parked_is_put_back_by_the_next_look(root: Path) -> None:
    """W.10: parked and nothing published: the next attempt never reports a fresh root; it puts the old one back."""
    order = staged(root)
    root.rename(root.parent / os.fsdecode(order.parked))

    assert inspect(order) == {"outcome": "free", "occupant": "own", "git": git_here() is not None}

    assert (root / "old.txt").read_text() == "old"


def fail_once(monkeypatch: pytest.MonkeyPatch, calls: set[int]) -> None:
    """Let the n-th moves of a folder fail."""
    real, count = publishing.move_folder_new, [0]

    def move(*arguments: Any) -> None:
        count[0] += 1
        if count[0] in calls:
            raise OSError(5, "injected")
        real(*arguments)

    monkeypatch.setattr(publishing, "move_folder_new", move)


def test_an_interrupted_attempts_leavings_go(root: Path) -> None:
    """W.10: published with the parked copy still there: the same order adopts the root and removes the copy."""
    order = staged(root)
    publish(order)
    parked = root.parent / os.fsdecode(order.parked)
    parked.mkdir()
    (parked / "old.txt").write_text("old")

    assert publish(order)["outcome"] == "adopted"
    assert (root / "new.txt").exists()
    assert beside(root) == []


def test_what_no_snapshot_holds_stays_beside(root: Path) -> None:
    """A retired root with paths that its snapshot does not hold, or a repository within, is parked and not removed."""
    kept = publish(staged(root, keep_parked=True))["parked"]

    assert (root.parent / kept / "old.txt").read_text() == "old"

    other = root.parent / "other"
    other.mkdir()
    with Folder.open(str(other)) as folder:
        write_receipt(folder, READY, order_for(other, "o-old", 1))
    (other / "vendor/lib/.git").mkdir(parents=True)
    kept = publish(staged(other))["parked"]
    assert (root.parent / kept / "vendor/lib/.git").is_dir()


def test_preparing_again_changes_nothing(root: Path) -> None:
    """W.A2: a preparation whose reply was lost is adopted; a root with an unrecorded receipt is not prepared over."""
    fresh = root.parent / "fresh"
    fresh.mkdir()
    order = order_for(fresh, "o-ready", 2)

    assert prepare(order)["outcome"] == "prepared"
    before = receipt(fresh).stat().st_mtime_ns
    (fresh / "edit.txt").write_text("unsaved")
    assert prepare(order)["outcome"] == "adopted"
    assert receipt(fresh).stat().st_mtime_ns == before
    assert (fresh / ".unlost" / ".gitignore").read_text() == "*\n"
    with pytest.raises(Refused, match="occupied_root"):
        prepare(order_for(root, "o-other", 2))
