"""One module a command, opened by the table in `cli/app.py`; each holds one click command named `command`."""
