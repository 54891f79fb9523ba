"""Drives a unit: fold, decide, do, again."""
