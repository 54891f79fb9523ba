"""opencode as an agent: `opencode acp`, and its permissions by a variable of its own.

A permission that its client refuses ends its whole turn; one that its own rules deny is told to the model, which goes
on. So what the plan refuses is a rule, and what would discard work is one too: it takes no hook for one run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final

from unlost.agents.acp import Acp, Profile
from unlost.agents.protocol import AgentSettings, Errand
from unlost.agents.vendors import NETWORK, installed
from unlost.facts.records import replace

PACKAGE: Final = "opencode-ai"
TESTED: Final = "1.18.33"
"""The version that `make test-all` runs."""

_VARIABLES: Final = (
    *NETWORK,
    *("OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "OPENROUTER_*", "GEMINI_*", "GOOGLE_*", "GROQ_*", "MISTRAL_*", "XAI_*"),
    *("AWS_*", "AZURE_*", "CLOUDFLARE_*", "GITHUB_TOKEN", "npm_config_registry"),
)
_QUIET: Final = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_SHARE": "1",
}
# What the loop rules forbid in any case; other spellings are the guard's to find.
_DISCARDS: Final = (
    *("git checkout -- *", "git checkout * -- *", "git checkout .", "git restore *", "git reset --hard*"),
    *("git clean *", "git stash", "git stash push*", "git stash drop*", "git stash clear*", "git revert *"),
)


def _environment(settings: AgentSettings, errand: Errand) -> Mapping[str, str]:
    rules = permission_rules(settings, errand)
    return {**_QUIET, **({"OPENCODE_PERMISSION": json.dumps(rules)} if rules else {})}


# The tokens that it tells at the end of a turn are those of its last call.
_PROFILE: Final = Profile(variables=_VARIABLES, environment=_environment, tells_tokens=False)


def agent(settings: AgentSettings) -> Acp:
    """The adapter for `[agent] use = "opencode"`. Raises UsageError when the program is not installed."""
    program = installed("opencode", package=PACKAGE)
    return Acp(replace(settings, command=(program, "acp")), _PROFILE)


def permission_rules(settings: AgentSettings, errand: Errand) -> dict[str, Any]:
    """The table of permissions for one errand: the last rule that fits counts. Empty: the person's own settings."""
    if settings.permissions == "user":
        return {}
    guarded = dict.fromkeys(_DISCARDS, "deny") if settings.guard else {}
    if settings.permissions == "all":
        return {"*": "allow", "bash": {"*": "allow", **guarded}}
    outside = {"*": "deny", os.path.join(errand.outbox, "*"): "allow"}
    web = dict.fromkeys(("webfetch", "websearch"), "deny")
    return {"*": "allow", **web, "external_directory": outside, "bash": {"*": "allow", **guarded}}
