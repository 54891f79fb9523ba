"""Ways to reach a place: run a program there and move files, over one Protocol (`workspace.ports.Transport`)."""
