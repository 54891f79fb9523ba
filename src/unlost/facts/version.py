"""The version of unlost: what `--version`, bug reports and `doctor` print."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
"""The same text as in `pyproject.toml`; a test holds them together. A constant, because the
package metadata costs 20 ms to read."""
