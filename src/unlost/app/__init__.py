"""Composition: settings in, a Workspace or a Supervisor out."""
