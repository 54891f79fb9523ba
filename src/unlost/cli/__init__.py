"""Commands, rendering and exit codes."""
