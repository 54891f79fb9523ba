"""The report of `check`: losses first, each with the command that brings it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count, listed, short_id
from unlost.cli.render.names import shown
from unlost.facts.quoting import clean

if TYPE_CHECKING:
    from unlost.cli.render.documents import CheckDocument, Lost, LostCommit, Place

_MOST_LOSSES: Final = 40
_MOST_LINES: Final = 20
_WIDTH: Final = 9
STATES: Final = {
    "missing": "the work tree is gone",
    "replaced": "another repository stands at the root",
    "moved": "the work tree has moved here",
    "not_a_repository": "the root is no git repository any more",
}
"""What a workspace state other than `present` means."""


def check_text(document: CheckDocument, palette: Palette) -> str:
    """The whole report as text; its last line is the sum."""
    lines = [palette.warning(f"{document['root']}: {STATES[state]}") for state in _told_state(document)]
    lines += listed([loss_text(lost, palette) for lost in document["lost"]], _MOST_LOSSES)
    lines += [_lost_commit("commit", lost, palette) for lost in document["lost_commits"]]
    lines += [_lost_commit("stash", lost, palette) for lost in document["lost_stashes"]]
    lines += listed(list(_warnings(document, palette)), _MOST_LINES)
    lines += listed(list(_explained(document, palette)), _MOST_LINES)
    return "\n".join([*lines, _sum(document, palette)])


def next_steps(document: CheckDocument) -> str | None:
    """What to type when something is lost; None when nothing is. Nothing is promised that cannot be brought back."""
    lost, objects = document["lost"], [*document["lost_commits"], *document["lost_stashes"]]
    if not lost and not objects:
        return None
    kept = [each for each in lost if each.get("restore")]
    if not kept:
        return "`unlost accept --all` closes what cannot be brought back; a command named above brings its own back"
    what = "all of it" if len(kept) == len(lost) and not objects else count(len(kept), "path")
    return f"`unlost restore --lost` brings {what} back; `unlost accept PATH` says that it was meant so"


def loss_text(lost: Lost, palette: Palette) -> str:
    """One loss: path, state, where it was last seen, where else its content is, and what brings it back."""
    indent = " " * (_WIDTH + 1)
    lines = [_loss_line(lost, palette)]
    refs = lost.get("refs", {})
    elsewhere = [refs.get(place, place) for place in lost.get("found_in", ()) if place != "snapshot"]
    if elsewhere:
        lines.append(f"{indent}also in: {', '.join(elsewhere)}")
    newer = lost.get("newer", ())
    if newer:
        lines.append(f"{indent}{count(len(newer), 'newer line')} there now; --merge keeps them")
    lines += [indent + palette.faint(clean(evidence, one_line=True)) for evidence in lost.get("evidence", ())]
    if "restore" in lost:
        lines.append(indent + (lost["restore"] or "its content was never captured"))
    return "\n".join(lines)


def place_text(place: Place | None) -> str:
    """`boundary 3`, or `snapshot 2f9c1a7b3d` for one that is no boundary."""
    if place is None:
        return "no boundary"
    return f"snapshot {short_id(place['snapshot'])}" if place["boundary"] is None else f"boundary {place['boundary']}"


def _told_state(document: CheckDocument) -> Iterator[str]:
    if document["workspace_state"] in STATES:
        yield document["workspace_state"]


def _loss_line(lost: Lost, palette: Palette) -> str:
    kind = "untracked, " if lost.get("untracked") else ""
    place = lost["last_seen"]
    snapshot = f", snapshot {short_id(place['snapshot'])}" if place and place["boundary"] is not None else ""
    seen = palette.faint(f"({kind}last seen at {place_text(place)}{snapshot})")
    word = palette.loss("lost".ljust(_WIDTH))
    return f"{word} {palette.strong(shown(lost['path']))}  {lost['state'].replace('_', ' ')}  {seen}"


def _lost_commit(what: str, lost: LostCommit, palette: Palette) -> str:
    subject = clean(lost["subject"], one_line=True)
    line = f"{palette.loss('lost'.ljust(_WIDTH))} {what} {short_id(lost['commit'])}  {subject}".rstrip()
    return f"{line}\n{' ' * (_WIDTH + 1)}{lost['restore'] or 'its objects are gone from the repository'}"


def _warnings(document: CheckDocument, palette: Palette) -> Iterator[str]:
    head = palette.warning("warning".ljust(_WIDTH))
    for warned in document["warnings"]:
        commit = f"  by commit {short_id(warned['commit'])}" if warned["commit"] else ""
        yield f"{head} {shown(warned['path'])}  {warned['state'].replace('_', ' ')}{commit}"
    for unread in document["unproved"]:
        yield f"{head} {shown(unread['path'])}  not proved: {unread['reason'].replace('_', ' ')}"
    for unread in document["incomplete"]:
        yield f"{head} {shown(unread['path'])}  not in the boundary: {unread['reason'].replace('_', ' ')}"


def _explained(document: CheckDocument, palette: Palette) -> Iterator[str]:
    for moved in document["moved"]:
        edited = ", edited" if moved["edited"] else ""
        yield f"{'moved'.ljust(_WIDTH)} {shown(moved['from'])} → {shown(moved['to'])}{edited}"
    for found in document["elsewhere"]:
        yield f"{'elsewhere'.ljust(_WIDTH)} {shown(found['path'])}  {palette.faint('at the tip of ' + found['ref'])}"
    for passed in document["passing"]:
        lines, seen = count(passed["lines"], "line"), passed["last_seen"]["snapshot"]
        way = f"{lines}, gone since; unlost restore --from {short_id(seen)}"
        yield f"{'passing'.ljust(_WIDTH)} {shown(passed['path'])}  {palette.faint(way)}"
    for path in document["reformatted"]:
        yield f"{'reformat'.ljust(_WIDTH)} {shown(path)}  {palette.faint('same but for white space and quotes')}"


def _sum(document: CheckDocument, palette: Palette) -> str:
    lost = len(document["lost"]) + len(document["lost_commits"]) + len(document["lost_stashes"])
    stand = count(document["standing"] + len(document["extended"]), "claim stands", "claims stand")
    since = f"since {place_text(document['since'])}"
    if lost:
        return f"{palette.loss(count(lost, 'loss', 'losses'))} · {stand} · {since}"
    if document["verdict"] == "incomplete":
        unproved = count(len(document["unproved"]), "claim")
        return f"{palette.warning(f'{unproved} could not be proved')} · {stand} · {since}"
    return f"{palette.good('nothing lost')} · {stand} · {since}"
