"""The first minute: a loss, the stop and the recovery, in a repository of its own, by the real program."""
