"""Words and values that every room shares: standard library only, no effects."""
