"""What `unlost hooks` answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from unlost.app.hook_files import HookFile

_TRUST: Final = "codex asks you to trust a new hook: open codex and type /hooks\n"


def hook_document(action: str, files: Sequence[HookFile]) -> dict[str, Any]:
    """`unlost.hooks/1`; a file is named by agent and scope, since absolute paths stay on this machine."""
    return {
        "schema": "unlost.hooks/1",
        "action": action,
        "hooks": [{"agent": file.agent, "scope": file.scope, "installed": file.stands} for file in files],
    }


def installed_text(file: HookFile, written: bytes) -> str:
    """The file, what is in it now, and how to take it out again."""
    trust = _TRUST if file.agent == "codex" else ""
    return (
        f"{file.path} is now:\n{written.decode('utf-8', 'replace')}{trust}"
        f"to take it out again: unlost hooks uninstall {file.agent} --{file.scope}"
    )


def uninstalled_text(file: HookFile, *, was_there: bool) -> str:
    """What became of the file."""
    return f"{file.path} is without the hook" if was_there else f"{file.path} has no hook of unlost"


def status_text(files: Sequence[HookFile]) -> str:
    """One line a file."""
    width = max((len(f"{file.agent} {file.scope}") for file in files), default=0)
    words = {True: "installed", False: "-"}
    return "\n".join(f"{f'{file.agent} {file.scope}':{width}}  {words[file.stands]:9}  {file.path}" for file in files)
