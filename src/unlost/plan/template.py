"""The text that `unlost plan new` writes: a plan to fill in, which parses and passes `plan check` as it is."""

from __future__ import annotations

from typing import Final

PLAN_TEMPLATE: Final = '''\
# A plan for unlost. Every key that is commented out stands at its default.
title = "What this plan achieves, in one line"
goal = """
What you ask for, in your own words. It is the authority: where a task and the goal differ, the goal wins.
"""

[agent]
use = "claude"              # or "codex"; with "acp" and "command" any program: command = ["my-agent"]
# model = "opus"            # default: the agent's own choice
# permissions = "edit"      # edit | all | user: what it may do unasked
# env = ["MY_AGENT_KEY"]    # variables that are handed through

[scope]
paths = ["**"]              # what the agent may change; for example ["src/**", "tests/**"]

[budget]
deadline = "4h"
attempts = 3                # for each task
turns = 200                 # for each attempt
idle = "10m"

[[task]]
id = "first-step"
text = "The first thing to do."
acceptance = ["How one sees that it is done."]
# paths = ["src/old.py"]    # earlier work that this task may rewrite, move or delete
# reverts = []              # what it puts back on purpose
# check = [["pytest", "-q", "tests/test_first.py"]]

[[task]]
id = "second-step"
text = "The next thing, on top of the first."

# Checks run when every task is done; at most 16, those of the tasks included.
# [[check]]
# name = "tests"
# run = ["pytest", "-q"]
# timeout = "20m"
'''
