"""Hardened git on git dirs of our own, parsers of its output, and a repository's facts read as data."""
