"""Plans that other tools keep, read as plans of unlost: one module a format, found by what a file holds."""
