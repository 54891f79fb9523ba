"""Git as the person runs it, on a git dir of ours: their settings, credentials and ssh, nothing of the workspace's.

System and global settings are read by git itself, so `insteadOf`, credential helpers, proxies and ssh commands work
as the person set them up. What the repository's own configuration says is not there to be read.
"""

from __future__ import annotations

from typing import Final

from unlost.git.call import git_program
from unlost.host.environment import current_environment
from unlost.host.process import Outcome, Request, run

_KEPT: Final = (
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_PROXY_COMMAND"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"),
)
_SETTINGS: Final = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"),
    *("push.followTags=false", "push.recurseSubmodules=no", "fetch.recurseSubmodules=no", "fetch.fsckObjects=true"),
    *("protocol.ext.allow=never", "transfer.bundleURI=false", "color.ui=false"),
)
_OUTPUT_LIMIT: Final = 1 << 20


def run_user_git(git_dir: str, *arguments: str, timeout: float) -> Outcome:
    """Run git over a network or a folder; it never asks anybody, and what it says is English."""
    environment = {
        key: value for key, value in current_environment().items() if not key.startswith("GIT_") or key in _KEPT
    }
    environment |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_PROTOCOL_FROM_USER": "0",
    }
    settings = tuple(part for setting in _SETTINGS for part in ("-c", setting))
    return run(
        Request(
            argv=(git_program(), "-C", "/", f"--git-dir={git_dir}", "--no-pager", *settings, *arguments),
            env=environment,
            timeout=timeout,
            output_limit=_OUTPUT_LIMIT,
        )
    )
