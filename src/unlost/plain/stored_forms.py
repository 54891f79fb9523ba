"""The ids under which git may hold a content: as it is, with its line ends turned to LF, or as an LFS pointer."""

from __future__ import annotations

import hashlib
import os

from unlost.facts.trees import Entry
from unlost.git.configuration import read_settings
from unlost.git.formats import format_of
from unlost.git.repository import Repository
from unlost.guard.sight import TEXT_LIMIT, TreeReader

_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n"


def may_use_lfs(repository: Repository) -> bool:
    """Whether git-lfs ever kept a content of this repository: it does so in a folder of its own."""
    if os.path.isdir(os.path.join(repository.common_dir, "lfs")):
        return True
    return any(name.startswith("lfs.") for name in read_settings(os.path.join(repository.common_dir, "config")))


def stored_forms(reader: TreeReader, entry: Entry, *, lfs: bool) -> frozenset[str]:
    """Blob ids that stand for this content in git; of a large one only its own.

    A snapshot holds raw bytes, history holds what git's conversions made of them; `lfs`: whether LFS may be one.
    """
    data = reader.content(entry.oid, TEXT_LIMIT)
    if data is None:
        return frozenset({entry.oid})
    name_of = format_of(entry.oid).name_of
    forms = {entry.oid}
    if lfs:
        pointer = _POINTER.format(digest=hashlib.sha256(data).hexdigest(), size=len(data))
        forms.add(name_of(b"blob", pointer.encode("ascii")))
    if b"\r\n" in data:
        forms.add(name_of(b"blob", data.replace(b"\r\n", b"\n")))
    return frozenset(forms)
