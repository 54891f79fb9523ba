"""What the demo works on: a small repository, a plan of three tasks, and an agent that follows a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FILES: Final[Mapping[str, str]] = {
    "main.rs": 'fn main() {\n    legacy_parse("input.txt");\n}\n',
    "lib.rs": 'pub fn legacy_parse(name: &str) {\n    println!("{name}");\n}\n',
    "notes.md": "# Notes\n",
}
"""The files of the repository's one commit."""

LOST_FILE: Final = "main.rs"
"""The file whose uncommitted work the third task throws away."""

PLAN_FILE: Final = "plan.toml"
SCRIPT_FILE: Final = "agent.toml"

PLAN: Final = f"""\
title = "Drop the legacy parser"
goal = "Call parse_all everywhere, give it to the library, and write down why."

[agent]
use = "scripted"
script = "{SCRIPT_FILE}"

[[task]]
id = "swap-call-sites"
text = "Call parse_all in main.rs."

[[task]]
id = "add-parse-all"
text = "Add parse_all to lib.rs."

[[task]]
id = "write-notes"
text = "Say in notes.md why the parser changed."
"""

SCRIPT: Final = """\
[[step]]
do = "say"
text = "calling parse_all in main.rs"
only = { task = "swap-call-sites" }

[[step]]
do = "edit"
path = "main.rs"
before = "legacy_parse"
after = "parse_all"
only = { task = "swap-call-sites" }

[[step]]
do = "edit"
path = "lib.rs"
before = "pub fn legacy_parse"
after = "pub fn parse_all"
only = { task = "add-parse-all" }

[[step]]
do = "say"
text = "main.rs does not compile; starting over with a clean file"
only = { task = "write-notes", attempt = 1 }

[[step]]
do = "git"
args = ["checkout", "--", "main.rs"]
only = { task = "write-notes", attempt = 1 }

[[step]]
do = "write"
path = "notes.md"
text = "# Notes\\n\\nparse_all reads every format; legacy_parse read one.\\n"
only = { task = "write-notes" }
"""
"""What the agent does in each task. In the third it does what stuck agents do: it throws a file away."""
