#!/bin/sh
# Installs the agents that `make test-all` runs against the scripted model into a folder of their own (about 2.1 GB).
# Exact versions: docs/agents.md says what works with which. Without node or the registry it says so and their tests
# are skipped with that reason; a suite must not fail for what is not there.
set -eu
folder=${1:?usage: install_agents.sh FOLDER}
packages="@anthropic-ai/claude-code@2.1.197 @openai/codex@0.171.0 \
@agentclientprotocol/claude-agent-acp@0.49.0 @agentclientprotocol/codex-acp@2.6.0 \
opencode-ai@1.18.33 @google/gemini-cli@0.61.0"
[ "$(cat "$folder/installed" 2>/dev/null)" != "$packages" ] || exit 0
if ! command -v npm >/dev/null 2>&1 || ! command -v node >/dev/null 2>&1; then
    echo "node and npm are missing: the tests with real agents will be skipped" >&2
    exit 0
fi
mkdir -p "$folder"
# shellcheck disable=SC2086  # a list of packages
if npm install --silent --no-fund --no-audit --prefix "$folder" $packages; then
    printf '%s' "$packages" >"$folder/installed"
else
    echo "the npm registry gave no agents: the tests with real agents will be skipped" >&2
fi
