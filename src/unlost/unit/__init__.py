"""One admitted plan being carried out: its lease, its state as a fold, its next step."""
