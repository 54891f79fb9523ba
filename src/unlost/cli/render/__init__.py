"""Answers as text for people: pure functions from facts to lines, readable without colour."""
