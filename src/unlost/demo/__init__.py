"""The first minute: a loss and its recovery in a repository of the demo's own."""
