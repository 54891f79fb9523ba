"""One admitted plan being carried out: its events, their fold, and what to do next."""
