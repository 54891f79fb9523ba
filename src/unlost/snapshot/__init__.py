"""Whole work trees as git commits in unlost's own store: capture, read, restore, retention."""
