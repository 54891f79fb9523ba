"""What an ACP client says before its prompt: which session, in which mode, with which model."""

from __future__ import annotations

from typing import Any, Final

from unlost.agents.acp_messages import mode_for, models_in, request
from unlost.agents.json_lines import table, text
from unlost.agents.protocol import AgentSettings, Errand, Said, Started
from unlost.agents.vendors import MCP_SERVER

REQUESTS: Final = range(5)
INITIALIZE, SESSION, MODE, PROMPT, MODEL = REQUESTS
"""The ids of our requests: each is made once, but that of a session when an earlier one cannot be loaded."""

_VERSION: Final = 1


class Session:
    """One errand's session, from the greeting to the prompt."""

    def __init__(self, settings: AgentSettings, errand: Errand) -> None:
        self.prompted = False
        self._settings = settings
        self._errand = errand
        self._identity: str | None = None
        self._can: dict[str, Any] = {}
        self._wishes: list[bytes] = []

    def greeting(self, *, serves_files: bool) -> bytes:
        """The first request: who we are, and what we do for the agent."""
        abilities = {"fs": {"readTextFile": serves_files, "writeTextFile": serves_files}, "terminal": False}
        client = {"name": "unlost", "version": "1"}
        greeting = {"protocolVersion": _VERSION, "clientCapabilities": abilities, "clientInfo": client}
        return request(INITIALIZE, "initialize", greeting)

    def open(self, can: dict[str, Any] | None = None) -> bytes:
        """Load the errand's earlier session when the agent can (`can`: its abilities), else open a new one."""
        self._can = self._can if can is None else can
        url = self._errand.mcp_url
        has_http = table(self._can, "mcpCapabilities").get("http") is True
        servers = [{"type": "http", "name": MCP_SERVER, "url": url, "headers": []}] if url and has_http else []
        place = {"cwd": self._errand.root, "mcpServers": servers}
        if self._errand.session and self._can.get("loadSession") is True:
            self._identity = self._errand.session
            return request(SESSION, "session/load", {**place, "sessionId": self._identity})
        return request(SESSION, "session/new", place)

    def may_begin_anew(self) -> bool:
        """Whether a new session may take the place of one that was to be loaded: some agents lose theirs."""
        may, self._identity = self._identity is not None and not self._errand.requires_session, None
        self._can = {**self._can, "loadSession": False}
        return may

    def opened(self, result: dict[str, Any]) -> tuple[Started | Said, ...]:
        """What is told of an open session, and of a model that it has not; empty when none was opened."""
        self._identity = text(result, "sessionId") or self._identity
        if self._identity is None:
            return ()
        session = {"sessionId": self._identity}
        mode = mode_for(self._settings.permissions, table(result, "modes"))
        if mode is not None:
            self._wishes.append(request(MODE, "session/set_mode", {**session, "modeId": mode}))
        models, wanted = models_in(result), self._settings.model
        if wanted and wanted in models.offered:
            self._wishes.append(request(MODEL, models.method, {**session, **models.choice(wanted)}))
            return (Started(session=self._identity, model=wanted),)
        started = Started(session=self._identity, model=models.current)
        if not wanted:
            return (started,)
        return (
            started,
            Said(text=f"the agent offers no model {wanted}; it goes on with {models.current or 'its own'}"),
        )

    def next(self) -> bytes:
        """What is still to be set before the prompt, then the prompt."""
        if self._wishes:
            return self._wishes.pop(0)
        self.prompted = True
        words = [{"type": "text", "text": self._errand.prompt.decode("utf-8", "replace")}]
        return request(PROMPT, "session/prompt", {"sessionId": self._identity, "prompt": words})
