"""Claims, their verdicts, and restoring by merge."""
