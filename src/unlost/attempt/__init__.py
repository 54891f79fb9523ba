"""One agent run: prepared, capped, ended, and never left behind as an orphan."""
