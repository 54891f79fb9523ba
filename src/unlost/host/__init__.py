"""The doors to the machine: processes, files, clock, ids, environment, crash points."""
