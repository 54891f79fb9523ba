"""Commits and publishing of a unit as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypedDict

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count
from unlost.facts.quoting import JsonName, clean, path_from_json, path_text
from unlost.publish.words import REFUSALS

_MOST: Final = 5
_SHORT: Final = 10


class MadeRow(TypedDict):
    """One commit."""

    commit: str
    branch: str | None
    tasks: Sequence[str]
    paths: int
    signed: bool
    gone: bool


class LeftOutRow(TypedDict):
    """One path that a commit does not hold."""

    path: JsonName
    reason: str


class CommitsPart(TypedDict):
    """`commits` in `unlost.unit/1`."""

    made: Sequence[MadeRow]
    left_out: Sequence[LeftOutRow]
    skipped_hooks: Sequence[str]
    refused: str | None


class PublishPart(TypedDict):
    """`publish` in `unlost.unit/1`."""

    remote: str | None
    branch: str
    commit: str | None
    request: str | None
    failure: str | None
    remote_rewound: Sequence[dict[str, str | None]]


def commit_lines(commits: CommitsPart, unit: str, palette: Palette) -> Iterator[str]:
    """`commit    1a2b3c4d5e on main · swap · 3 paths`, what is left out and why, and which hooks did not run."""
    for made in commits["made"]:
        dress = palette.faint if made["gone"] else palette.good
        yield f"{dress('commit')}    {' · '.join(_told(made))}"
    left_out = commits["left_out"]
    for row in left_out[:_MOST]:
        path = path_text(path_from_json(row["path"]))
        yield f"{palette.warning('commit')}    without {path}: {row['reason'].replace('_', ' ')}; it stands in the tree"
    if len(left_out) > _MOST:
        yield f"{palette.warning('commit')}    and without {len(left_out) - _MOST} more"
    if commits["skipped_hooks"]:
        yield f"{palette.faint('hooks')}     did not run: {', '.join(commits['skipped_hooks'])}"
    if commits["refused"]:
        yield f"{palette.warning('commit')}    not made: {refusal_text(commits['refused'])}"
        yield from _hint(commits["refused"], unit, palette)


def publish_lines(publish: PublishPart, unit: str, palette: Palette) -> Iterator[str]:
    """`published origin unlost/x-u-… at 1a2b3c4d5e`, the request's address, what kept it back, what others did."""
    where = clean(f"{publish['remote']} {publish['branch']}", one_line=True)
    if publish["commit"]:
        yield f"{palette.good('published')} {where} at {publish['commit'][:_SHORT]}"
    if publish["request"]:
        yield f"{palette.good('request')}   {clean(publish['request'], one_line=True)}"
    if publish["failure"]:
        yield f"{palette.warning('publish')}   {where}: {refusal_text(publish['failure'])}"
        yield from _hint(publish["failure"], unit, palette)
    for row in publish["remote_rewound"]:
        now = "gone" if row["to"] is None else f"at {row['to'][:_SHORT]}"
        was = (row["from"] or "")[:_SHORT]
        yield f"{palette.warning('rewound')}   {row['ref']} was pushed at {was} and is {now} now"


def refusal_text(word: str) -> str:
    """What a word of refusal means."""
    found = REFUSALS.get(word)
    return word.replace("_", " ") if found is None else found[0]


def _hint(word: str, unit: str, palette: Palette) -> Iterator[str]:
    found = REFUSALS.get(word)
    if found is not None:
        yield f"{palette.faint('hint:')}     {found[1].format(unit=unit)}"


def _told(made: MadeRow) -> Iterator[str]:
    branch = made["branch"]
    where = f"on {branch.removeprefix('refs/heads/')}" if branch else "in unlost's own store"
    yield f"{made['commit'][:_SHORT]} {where}"
    yield ", ".join(made["tasks"])
    yield count(made["paths"], "path")
    if made["signed"]:
        yield "signed"
    if made["gone"]:
        yield "taken from the branch since"
