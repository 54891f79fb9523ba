"""unlost without a plan: mark, check, accept, restore, and the wrapper around a command."""
