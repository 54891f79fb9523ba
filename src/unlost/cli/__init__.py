"""The command line: reads arguments, calls one use case, renders its answer, ends with its exit code."""
