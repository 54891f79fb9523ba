"""Stores that places share, over one Protocol (`workspace.ports.Store`)."""
