"""What others get to see: commits, branches, pushes and requests, each tied to the unit that made it."""
