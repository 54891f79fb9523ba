"""Commands that prove a task, run and judged."""
