"""The one exit code of many units."""

from __future__ import annotations

import pytest

from unlost.app.resuming import worst


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ((), 0),
        ((0, 0), 0),
        ((0, 5, 3), 3),
        ((3, 4, 1, 70), 4),
        ((75, 0), 75),
        ((5, 75), 5),
        ((1, 3), 1),
        ((130, 0), 130),
    ],
)
def test_the_worst_exit_code_counts(codes: tuple[int, ...], said: int) -> None:
    """Work lost wins over everything, then bugs and failures, then what waits; 0 only when all went well."""
    assert worst(iter(codes)) == said
