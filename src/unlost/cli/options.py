"""How values of options are read."""

from __future__ import annotations

import click

from unlost.facts.durations import parse_duration


def duration(_ctx: click.Context, parameter: click.Parameter, value: str | None) -> float:
    """Seconds of a text such as `90s`, `20m` or `1h30m`; 0 when the option was not given."""
    if value is None:
        return 0.0
    try:
        return parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error), param=parameter) from error
