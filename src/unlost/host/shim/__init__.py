"""The shim: a small process of ours that owns one attempt and leaves nothing of it running.

Started as `python -I -S …/shim/__main__.py`, it needs the standard library alone and knows nothing else of unlost. It
is single-threaded on purpose: `PR_SET_PDEATHSIG` counts the parent's *thread*, and it forks.
"""
