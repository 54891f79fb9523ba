"""Verify a handoff of 300 fixes against a repository with 10,000 stash entries and 10,000 unreachable commits.

The bound is 3 s and 200 MB, for unlost and for the largest git process it starts. The repository is made once, by
`git fast-import`, in FOLDER; run it again to measure again: python -m benchmarks.verify_handoff FOLDER.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from unlost.git.repository import discover
from unlost.handoff.facts import ExactFix, Handoff
from unlost.handoff.forensics import Forensics
from unlost.handoff.tree import WorkTree
from unlost.handoff.verify import verify
from unlost.traces.inspection import Inspection

FILES = 300
ENTRIES = 10_000
PERSON = "A Person <person@example.org>"


def source(number: int, mark: str) -> bytes:
    """A file of some twenty lines; `mark` is the line that a fix changes."""
    lines = [f"def function_{number}_{line}():\n    return {line}\n" for line in range(10)]
    return "".join([*lines[:5], f"{mark}\n", *lines[5:]]).encode()


def commits() -> Iterator[bytes]:
    """The stream for `fast-import`: a base, a stash entry of each kind, and commits that nothing names."""
    yield b"commit refs/heads/main\nmark :1\ncommitter %b 1 +0000\ndata 4\nbase\n" % PERSON.encode()
    for number in range(FILES):
        yield b"M 100644 inline src/f%d.py\n" % number + data(source(number, f"value = {number}"))
    for entry in range(ENTRIES):
        number, at = entry % FILES, entry + 10
        text = data(source(number, f"value = 'try {entry}'"))
        yield b"commit refs/w/index\nmark :%d\ncommitter %b %d +0000\ndata 13\nindex on main\nfrom :1\n" % (
            3 * entry + 2, PERSON.encode(), at
        )  # fmt: skip
        yield b"commit refs/w/stash\nmark :%d\ncommitter %b %d +0000\ndata 11\nWIP on main\nfrom :1\nmerge :%d\n" % (
            3 * entry + 3, PERSON.encode(), at, 3 * entry + 2
        )  # fmt: skip
        yield b"M 100644 inline src/f%d.py\n" % number + text
        text = data(source(number, f"value = 'left {entry}'"))
        yield b"commit refs/w/left\nmark :%d\ncommitter %b %d +0000\ndata 4\nleft\nfrom :1\n" % (
            3 * entry + 4, PERSON.encode(), at
        )  # fmt: skip
        yield b"M 100644 inline src/f%d.py\n" % number + text
    yield b"reset refs/w/left\nfrom :1\n\nreset refs/w/stash\nfrom :1\n\nreset refs/w/index\nfrom :1\n\n"


def data(content: bytes) -> bytes:
    """Content in the form of fast-import."""
    return b"data %d\n%b\n" % (len(content), content)


def make(folder: Path) -> None:
    """The repository: marks give the ids, the stash's log is written as `git stash` would have."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    git = ["git", "-C", str(folder)]
    marks = folder / ".git" / "marks"
    with subprocess.Popen(
        [*git, "fast-import", "--quiet", "--force", f"--export-marks={marks}"], stdin=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.writelines(commits())
    ids = dict(line.split() for line in marks.read_text().splitlines())
    stashes = [ids[f":{3 * entry + 3}"] for entry in range(ENTRIES)]
    log = folder / ".git" / "logs" / "refs" / "stash"
    log.parent.mkdir(parents=True, exist_ok=True)
    befores = ["0" * 40, *stashes]
    log.write_text(
        "".join(
            f"{before} {after} {PERSON} {number + 10} +0000\tWIP on main: try {number}\n"
            for number, (before, after) in enumerate(zip(befores, stashes, strict=False))
        )
    )
    (folder / ".git" / "refs" / "stash").write_text(stashes[-1] + "\n")
    for name in ("index", "stash", "left"):
        subprocess.run([*git, "update-ref", "-d", f"refs/w/{name}"], check=True)
    subprocess.run([*git, "reset", "-q", "--hard"], check=True)


def handoff() -> Handoff:
    """300 fixes: a third held by a stash, a third by an unreachable commit, a third nowhere."""
    kinds = ("'try {}'", "'left {}'", "'never {}'")
    fixes = [
        ExactFix(
            file=b"src/f%d.py" % number,
            anchor=f"def function_{number}_4():",
            before=f"value = {number}\n",
            after=f"value = {kinds[number % 3].format(number)}\n",
        )
        for number in range(FILES)
    ]
    return Handoff(task="measure", exact_fixes=tuple(fixes))


def main() -> None:
    """Make the repository when it is missing; verify; print seconds, megabytes and the counts."""
    folder = Path(sys.argv[1])
    if not folder.exists():
        make(folder)
    started = time.perf_counter()
    with Inspection(discover(str(folder)), scratch=str(folder.parent)) as inspection:
        report = verify(handoff(), WorkTree(inspection), [Forensics(inspection)])
        calls = inspection.git.calls
    seconds = time.perf_counter() - started
    own, children = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    counts = {state: len(report.paths(state)) for state in ("stashed", "dangling", "lost")}
    print(f"{seconds:.2f} s, {own:.0f} MB, git at most {children:.0f} MB, {calls} git calls, {counts}")


if __name__ == "__main__":
    main()
