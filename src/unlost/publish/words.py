"""What a refusal or a failure means to a person, and what they can do about it; `{unit}` is the unit's id."""

from __future__ import annotations

from typing import Final

_RESUME: Final = "unlost resume {unit}"
_TRUSTING: Final = "unlost publish {unit} --trust-remote"

REFUSALS: Final[dict[str, tuple[str, str]]] = {
    "no_repository": ("there is no git repository here any more", "git init, or put the repository back"),
    "unborn": ("nothing is committed here yet", f"make a first commit, then {_RESUME}"),
    "detached": ("HEAD is detached, so a commit would be on no branch", f"git switch BRANCH, then {_RESUME}"),
    "other_branch": ("HEAD is on another branch than the unit began on", f"git switch back, then {_RESUME}"),
    "operation": ("a merge, rebase or the like is in progress", f"finish or abort it, then {_RESUME}"),
    "conflicted": ("the index holds unmerged paths", f"git add what is settled, then {_RESUME}"),
    "index_locked": (
        "another git works here, or one that was killed left .git/index.lock",
        f"when no git runs, remove that file, then {_RESUME}",
    ),
    "head_moved": ("HEAD moved while the commit was made", _RESUME),
    "no_identity": ("git does not know who you are", f"git config user.name and user.email, then {_RESUME}"),
    "signing_failed": ("commit.gpgSign is on, and the commit could not be signed", f"unlock the key, then {_RESUME}"),
    "hook_failed": ("a commit hook declined", f"settle what it said, then {_RESUME}"),
    "hook_timed_out": ("a commit hook took too long and was ended", _RESUME),
    "hooks_changed": (
        "the commit hooks are not those of the unit's admission, so none was run",
        f"put them back, or amend the plan without [commit] hooks, then {_RESUME}",
    ),
    "failed": ("git could not make the commit", _RESUME),
    "auth": ("the remote refuses these credentials", f"git push by hand shows what is missing, then {_RESUME}"),
    "unreachable": ("the remote cannot be reached", _RESUME),
    "rejected": ("a hook or a rule of the remote declined", f"settle what it said, then {_RESUME}"),
    "not_fast_forward": (
        "the branch at the remote holds what this unit did not push there; it was left alone",
        f"look at it, move it aside, or amend [publish] branch, then {_RESUME}",
    ),
    "remote_changed": (
        "this machine does not know the address that the remote had when the unit was admitted",
        f"see that `git remote -v` is right, then {_TRUSTING}",
    ),
    "no_remote": ("the repository had no remote of the plan's name", f"git remote add NAME URL, then {_TRUSTING}"),
    "nothing": ("the unit has nothing to publish", "unlost show {unit}"),
    "unknown": ("nobody could find out what became of the push; it is not repeated blindly", _RESUME),
}
