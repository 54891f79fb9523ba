"""What a search found, as scripts read it, and as files in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from unlost.facts.durations import instant_text
from unlost.facts.errors import UnlostError
from unlost.facts.quoting import path_json
from unlost.facts.records import dataclass
from unlost.facts.trees import LINK, Entry
from unlost.plain.find import Find, Place, Search, newest_of_each, stands
from unlost.plain.report import Document, command, typed
from unlost.snapshot.restore import restore
from unlost.snapshot.wanted import Placed, Wanted

SCHEMA: Final = "unlost.find/1"
_LARGEST: Final = 1 << 30
_SHORT: Final = 12


@dataclass(frozen=True, kw_only=True)
class Found:
    """The answer of `find`; `present` is what stands at the found paths now, `placed` what `--to` wrote."""

    search: Search
    present: Mapping[bytes, Entry]
    placed: Placed | None = None

    @property
    def exit_code(self) -> int:
        """0 when something was found, and written where that was asked; else 1."""
        failed = self.placed is not None and self.placed.failed
        return 0 if self.search.finds and not failed else UnlostError.exit_code

    def to_json(self) -> Document:
        """`unlost.find/1`."""
        return {"schema": SCHEMA, "found": [self._row(find) for find in self.search.finds]}

    def _row(self, find: Find) -> Document:
        return {
            "path": None if find.path is None else path_json(find.path),
            "place": find.place,
            "ref": find.ref,
            "at": None if find.at is None else instant_text(find.at),
            "bytes": find.size,
            "oid": find.entry.oid,
            "restore": restore_command(find, self.present),
        }


def restore_command(find: Find, present: Mapping[bytes, Entry]) -> str | None:
    """The command, typed at the root, that brings one find back; it never writes over what stands there.

    None for what stands there already, and where no command line can say it (`--to` writes it all the same).
    """
    if stands(find, present):
        return None
    if find.path is None:
        return f"git cat-file blob {find.entry.oid}"
    if find.place == "snapshot":
        return command("unlost", "restore", "--from", find.ref[:_SHORT], "--", find.path)
    name = find.path + (b".found" if find.path in present else b"")
    target = typed(b"./" + name if name.startswith(b"-") else name)
    if target is None or find.place == "worktree" or find.entry.mode == LINK:
        return None
    if find.place in ("vscode", "claude"):
        # A tilde in quotes would not be the home folder.
        source = typed(find.ref[2:]) if find.ref.startswith("~/") else None
        return None if source is None else f"cp -n ~/{source} {target}"
    return f"git cat-file blob {find.entry.oid} > {target}"


def write_finds(finds: Iterable[Find], places: Iterable[Place], *, folder: str, journals: str) -> Placed:
    """Write the newest find of each path into a folder, a content without a name as `blob-ID`.

    What stands there already and differs is left alone and comes back as failed. Raises RestoreFailed.
    """
    chosen = {_name_of(find): find.entry for find in newest_of_each(finds)}
    wishes = [Wanted(path=path, entry=entry) for path, entry in chosen.items()]
    return restore(_Contents(tuple(places)), wishes, root=folder, journals=journals)


class _Contents:
    """The bytes of what was found, from whichever place has them."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        self._places = places

    def content(self, oid: str) -> bytes:
        """The whole content. Raises UnlostError when it is nowhere any more."""
        for place in self._places:
            for found, data in place.contents([oid], _LARGEST):
                if found == oid:
                    return data
        raise UnlostError(f"the content {oid[:_SHORT]} is not there any more")


def _name_of(find: Find) -> bytes:
    return b"blob-" + find.entry.oid[:_SHORT].encode("ascii") if find.path is None else find.path
