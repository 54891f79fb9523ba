"""Open a pull request with `gh`, where that program is there and the remote is one that it knows."""

from __future__ import annotations

import re
from typing import Final

from unlost.facts.records import dataclass
from unlost.host.environment import current_environment
from unlost.host.process import NotStarted, Request, run
from unlost.host.programs import program_on_path

_TIMEOUT: Final = 60.0
_OUTPUT_LIMIT: Final = 64 * 1024
_REPOSITORY: Final = re.compile(
    r"(?:https?://(?:[^@/]+@)?|ssh://(?:[^@/]+@)?|(?:[^@/]+@))([A-Za-z0-9.-]+)(?::\d+)?[:/]([^/\s]+/[^/\s]+?)(?:\.git)?/?"
)
_OPENED: Final = re.compile(r"https://\S+/pull/\d+")


@dataclass(frozen=True, kw_only=True)
class Opened:
    """What `gh` said; `address` is the request's, None when none was opened."""

    address: str | None
    told: str


def hosted_repository(address: str) -> str | None:
    """`HOST/OWNER/NAME` of a remote's address; None for a folder or a form that no host of repositories has."""
    found = _REPOSITORY.fullmatch(address)
    return None if found is None else f"{found[1]}/{found[2]}"


def open_request(address: str, *, branch: str, target: str | None, title: str, file: str) -> Opened | None:
    """Open a request from one branch to another (None: the default one); None when there is no `gh`, or no host.

    It is never needed: whatever it says, the branch is published. One that is open already is told by its address.
    """
    program, repository = program_on_path("gh"), hosted_repository(address)
    if program is None or repository is None:
        return None
    kept = {key: value for key, value in current_environment().items() if not key.startswith("GIT_")}
    try:
        outcome = run(
            Request(
                argv=(
                    *(program, "pr", "create", "--repo", repository, "--head", branch),
                    *(("--base", target) if target is not None else ()),
                    *("--title", title, "--body-file", file),
                ),
                env={**kept, "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1"},
                cwd="/",
                timeout=_TIMEOUT,
                output_limit=_OUTPUT_LIMIT,
            )
        )
    except NotStarted as error:
        return Opened(address=None, told=error.message)
    text = (outcome.stdout + b"\n" + outcome.stderr).decode("utf-8", "replace")
    found = _OPENED.search(text)
    return Opened(address=None if found is None else found[0], told="" if outcome.ok else text.strip())
