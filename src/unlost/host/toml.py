"""TOML as plain values; apart from `settings`, because most people have no file and should not pay for its parser."""

from __future__ import annotations

import tomllib

from unlost.facts.errors import FileInvalid, Problem


def read_toml(data: bytes, name: str) -> dict[str, object]:
    """The tables of a file called `name`. Raises FileInvalid."""
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileInvalid(f"{name} does not parse: {error}", problems=(Problem(line=None, what=str(error)),)) from error
