"""The watcher: told at once of what matters, silent about what does not, with a fallback."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from unlost.host import watching
from unlost.host.watching import InotifyWatch, PollingWatch, open_watch

SKIP = frozenset({b".git", b"node_modules"})
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[InotifyWatch]:
    """A watch over a small tree."""
    for folder in ("src/deep", ".git", "node_modules"):
        (tmp_path / folder).mkdir(parents=True)
    made = InotifyWatch(str(tmp_path), SKIP)
    yield made
    made.close()


@linux_only
def test_a_write_below_is_noticed(watch: InotifyWatch, tmp_path: Path) -> None:
    """A file written in a folder below the root ends the wait with True."""
    (tmp_path / "src" / "deep" / "a.py").write_text("x")

    assert watch.wait(5.0)


@linux_only
def test_a_new_folder_is_watched_too(watch: InotifyWatch, tmp_path: Path) -> None:
    """A change in a folder that appeared after the start is noticed."""
    (tmp_path / "fresh").mkdir()
    assert watch.wait(5.0)

    (tmp_path / "fresh" / "b.py").write_text("x")

    assert watch.wait(5.0)


@linux_only
def test_skipped_folders_are_silent(watch: InotifyWatch, tmp_path: Path) -> None:
    """What happens in `.git` and in rebuildable folders does not count as a change."""
    (tmp_path / ".git" / "index").write_text("x")
    (tmp_path / "node_modules" / "x.js").write_text("x")

    assert not watch.wait(0.0)


@linux_only
def test_a_linked_folder_is_not_entered(watch: InotifyWatch, tmp_path: Path) -> None:
    """A link to a folder outside is not followed."""
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (tmp_path / "link").symlink_to(outside)
    assert watch.wait(5.0)

    (outside / "file").write_text("x")

    assert not watch.wait(0.0)


@linux_only
def test_no_watches_left_falls_back_to_polling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that grants no more watches gives a polling watch, not an error."""

    def refuse(self: InotifyWatch, top: bytes) -> None:
        raise OSError(28, "no space left: the limit of watches is reached")

    monkeypatch.setattr(watching.InotifyWatch, "_add", refuse)

    assert isinstance(open_watch(str(tmp_path), skip=SKIP), PollingWatch)


@pytest.mark.parametrize("kind", ["inotify", "polling"])
def test_a_wait_can_be_ended_by_another_thread(kind: str, tmp_path: Path) -> None:
    """A woken watch ends its wait, and every later one, at once and without a change."""
    if kind == "inotify" and not sys.platform.startswith("linux"):
        pytest.skip("inotify is Linux's")
    watch = InotifyWatch(str(tmp_path), SKIP) if kind == "inotify" else PollingWatch(interval=3600.0)
    timer = threading.Timer(0.05, watch.wake)
    timer.start()

    assert not watch.wait(3600.0)
    assert not watch.wait(3600.0)

    timer.join()
    watch.close()


def test_polling_says_look_now_and_then() -> None:
    """The fallback reports a possible change when its interval is over, and not before."""
    often = PollingWatch(interval=0.0)
    seldom = PollingWatch(interval=3600.0)

    assert often.wait(1.0)
    assert not seldom.wait(0.0)
