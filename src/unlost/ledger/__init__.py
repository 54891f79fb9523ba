"""Append-only record of events: one stream per unit and per workspace; all state is a fold over it."""
