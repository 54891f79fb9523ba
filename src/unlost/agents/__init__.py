"""What turns a coding agent into one stream of typed events."""
