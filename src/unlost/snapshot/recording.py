"""Write what a survey found: trees, commits, refs, then the cache. Nothing is recorded before its objects are whole."""

from __future__ import annotations

import os
from collections.abc import Mapping

from unlost.facts.records import dataclass, replace
from unlost.facts.trees import NESTED, Entry
from unlost.facts.words import SnapshotKind
from unlost.git.objects import ObjectWriter
from unlost.git.refs import create_ref, list_refs, move_ref, read_ref
from unlost.git.trees import FOLDER, find, find_file, grow, walk
from unlost.host.crash import crash_point
from unlost.snapshot.facts import Snapshot, Surroundings
from unlost.snapshot.records import Record, commit_data, record_from_json, record_json, snapshot_of
from unlost.snapshot.session import Session
from unlost.snapshot.state import Conversion, Last, State, Taken
from unlost.snapshot.surroundings import surroundings_json
from unlost.snapshot.survey import Survey, changes_between


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """Why a snapshot is taken. With `content_only`, equal files are the same snapshot, wherever HEAD went."""

    kind: SnapshotKind
    label: str
    durable: bool
    content_only: bool = False


class Recorder:
    """Turns a survey into a snapshot, or finds that the newest one says it already."""

    def __init__(self, session: Session, state: State, survey: Survey, writer: ObjectWriter) -> None:
        self._session = session
        self._state = state
        self._survey = survey
        self._writer = writer

    def record(
        self, purpose: Purpose, surroundings: Surroundings, proved: Mapping[bytes, Conversion], *, head_moved: bool
    ) -> Snapshot:
        """Record, or return the newest snapshot when nothing differs from it."""
        state = self._state
        changes = changes_between(state.delta, self._survey.delta, self._session.trees, state.baseline_tree)
        if changes:
            self._set_tree(changes)
        self._set_conversions(changes, proved, everything=head_moved)
        self._set_private()
        if self._survey.delta != state.delta:
            state.delta, state.dirty = self._survey.delta, True
        record, base = self._describe(purpose, surroundings)
        if state.last is not None and self._says_already(record, state.last, purpose):
            rebased = self._writer.write(b"commit", base) if purpose.content_only and head_moved else None
            self._writer.finish()
            if rebased is not None:
                self._name_base(rebased)
            before = snapshot_of(state.last.commit, state.tree, record_from_json(state.last.message), surroundings)
            return replace(before, base=state.base)
        return self._publish(record, base, purpose, surroundings)

    def _set_tree(self, changes: Mapping[bytes, Entry | None]) -> None:
        """Grow the last tree by the changes and keep count of its files."""
        state, trees = self._state, self._session.trees
        tree = grow(trees, self._keep_tree, state.tree, changes)
        if any(self._moves_a_folder(path, entry) for path, entry in changes.items()):
            # A whole folder came or went with a nested repository: counted by looking.
            state.files = sum(1 for _ in walk(trees, tree))
        else:
            state.files += sum(1 for entry in changes.values() if entry is not None)
            state.files -= sum(1 for path in changes if find_file(trees, state.tree, path) is not None)
        state.tree, state.dirty = tree, True

    def _moves_a_folder(self, path: bytes, entry: Entry | None) -> bool:
        """Whether a change is of more than one file: a folder that came back, or one that a repository now covers."""
        if entry is None or entry.mode != NESTED:
            return entry is not None and entry.mode == FOLDER
        before = find(self._session.trees, self._state.tree, path)
        return before is not None and before.mode == FOLDER

    def _set_conversions(
        self, changes: Mapping[bytes, Entry | None], proved: Mapping[bytes, Conversion], *, everything: bool
    ) -> None:
        """Bring `base` up to date: HEAD's tree with the raw bytes of every proved conversion that stands."""
        state, trees = self._state, self._session.trees
        state.conversions.update(proved)
        asked = state.conversions if everything else [p for p in {*changes, *proved} if p in state.conversions]
        converted = dict(state.converted)
        for path in asked:
            head, mode, oid = state.conversions[path]
            present = find_file(trees, state.tree, path)
            known = find_file(trees, state.head_tree, path)
            if present == Entry(mode, oid) and known is not None and known.oid == head:
                converted[path] = present
            else:
                converted.pop(path, None)
        if everything:
            state.base = grow(trees, self._keep_tree, state.head_tree, converted) if converted else state.head_tree
        elif converted != state.converted:
            back = {path: find_file(trees, state.head_tree, path) for path in state.converted.keys() - converted.keys()}
            state.base = grow(trees, self._keep_tree, state.base, back | converted)
        state.dirty = state.dirty or everything or bool(proved) or converted != state.converted
        state.converted = converted

    def _set_private(self) -> None:
        """The tree of precious ignored files, made anew when one of them changed."""
        state, private = self._state, self._survey.private
        if private == state.private:
            return
        if _entries(private) != _entries(state.private):
            empty = self._session.format.empty_tree
            state.private_tree = (
                grow(self._session.trees, self._keep_tree, empty, _entries(private)) if private else None
            )
        state.private, state.dirty = private, True

    def _describe(self, purpose: Purpose, surroundings: Surroundings) -> tuple[Record, bytes]:
        """The record of the tree as it is, and the content of its base commit."""
        state, place = self._state, self._session.place
        base = commit_data(state.base, surroundings_json(surroundings))
        survey = self._survey
        return Record(
            workspace=place.layout.workspace,
            sequence=0,
            kind=purpose.kind,
            label=purpose.label,
            at=place.clock.now(),
            files=state.files,
            base=state.base,
            private=state.private_tree,
            surroundings=self._session.format.name_of(b"commit", base),
            incomplete=tuple(survey.incomplete[path] for path in sorted(survey.incomplete)),
        ), base

    def _says_already(self, record: Record, last: Last, purpose: Purpose) -> bool:
        """Whether the newest snapshot holds all this; a boundary of another name is a snapshot of its own."""
        if self._state.tree != last.tree:
            return False
        before = record_from_json(last.message)
        if purpose.content_only:
            return before.private == record.private
        alike = replace(record, sequence=before.sequence, at=before.at)
        if purpose.kind == "autosave":
            alike = replace(alike, kind=before.kind, label=before.label)
        return alike == before

    def _publish(self, record: Record, base: bytes, purpose: Purpose, surroundings: Surroundings) -> Snapshot:
        """Write the commits, make them whole, create their refs."""
        state, layout, writer = self._state, self._session.layout, self._writer
        sequence = self._next_sequence()
        record = replace(record, sequence=sequence)
        message = record_json(record)
        commit = writer.write(b"commit", commit_data(state.tree, message, int(record.at)))
        refs = {f"{layout.bases()}/{sequence}": writer.write(b"commit", base)}
        if state.private_tree is not None:
            private = writer.write(b"commit", commit_data(state.private_tree, b"precious ignored files"))
            refs[f"{layout.privates()}/{sequence}"] = private
        crash_point("capture.before_objects")
        writer.finish()
        crash_point("capture.before_refs")
        for name, oid in refs.items():
            create_ref(layout.store, name, oid, durable=purpose.durable)
        # Last, for it is what makes the snapshot exist.
        crash_point("capture.before_snapshot")
        create_ref(layout.store, f"{layout.snapshots()}/{sequence}", commit, durable=purpose.durable)
        crash_point("capture.before_state")
        state.sequence, state.last, state.dirty = sequence, Last(commit, state.tree, message), True
        return snapshot_of(commit, state.tree, record, surroundings)

    def _name_base(self, oid: str) -> None:
        """Keep the base that the newest snapshot has since HEAD moved, though nothing else is new."""
        layout = self._session.layout
        before = read_ref(layout.store, layout.rebased())
        if before != oid:
            move_ref(self._session.store, layout.rebased(), oid, expected=before)

    def _next_sequence(self) -> int:
        """The number after the newest; a capture that was killed may have left refs beyond what the cache knows."""
        layout = self._session.layout
        following = self._state.sequence + 1
        prefixes = (layout.snapshots(), layout.bases(), layout.privates())
        if any(os.path.lexists(os.path.join(layout.store, f"{prefix}/{following}")) for prefix in prefixes):
            return newest_sequence(self._session) + 1
        return following

    def _keep_tree(self, data: bytes) -> str:
        oid = self._writer.write_tree(data)
        self._session.trees.keep(oid, data)
        return oid


def newest_sequence(session: Session) -> int:
    """The highest sequence number that any ref of the workspace has; 0 when there is none."""
    layout = session.layout
    prefixes = (layout.snapshots(), layout.bases(), layout.privates())
    names = (name.rpartition("/")[2] for prefix in prefixes for name in list_refs(layout.store, prefix))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def _entries(taken: Mapping[bytes, Taken]) -> dict[bytes, Entry]:
    return {path: each.entry for path, each in taken.items()}
