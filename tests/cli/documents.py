"""Documents of contracts.md for the rendering tests: a clean one of each kind, to be changed by each test."""

from __future__ import annotations

from unlost.cli.render.documents import CheckDocument, Lost, MarkDocument, RestoreDocument

SNAPSHOT = "2f9c1a7b3d" + "0" * 30


def lost(path: str, state: str = "reverted") -> Lost:
    """One loss that was last seen at boundary 3."""
    return {
        "path": path,
        "state": state,
        "untracked": False,
        "owner": "person",
        "last_seen": {"boundary": 3, "snapshot": SNAPSHOT},
        "found_in": ["snapshot"],
        "refs": {},
        "newer": [],
        "evidence": [],
        "restore": f"unlost restore {path}",
    }


def clean_check() -> CheckDocument:
    """A check that found nothing."""
    return {
        "root": "/work",
        "since": {"boundary": 3, "snapshot": SNAPSHOT},
        "verdict": "ok",
        "workspace_state": "present",
        "lost": [],
        "warnings": [],
        "moved": [],
        "elsewhere": [],
        "reformatted": [],
        "passing": [],
        "extended": [],
        "standing": 4,
        "unproved": [],
        "lost_commits": [],
        "lost_stashes": [],
        "incomplete": [],
    }


def clean_mark() -> MarkDocument:
    """A mark of 812 files and 5 claims."""
    return {
        "boundary": 3,
        "snapshot": SNAPSHOT,
        "files": 812,
        "claims": 5,
        "lost": 0,
        "open_losses": 0,
        "incomplete": [],
        "ms": 41,
    }


def restored(*paths: str) -> RestoreDocument:
    """A restore of these paths."""
    return {
        "restored": list(paths),
        "merged": [],
        "already": [],
        "failed": [],
        "undo": "unlost undo",
        "verified": True,
    }
