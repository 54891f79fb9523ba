"""The append-only record of events: streams with unique keys and a hash chain each."""
