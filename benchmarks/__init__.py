"""What unlost costs, measured on this machine beside what git costs here: `make bench`.

Ratios count, not milliseconds: every case takes turns with `git status --porcelain=v2 -uall` on the same tree in
the same run, and medians are printed. Standard library only.
"""
