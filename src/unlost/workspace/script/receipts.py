"""Receipts in a root: which identity of which workspace stands here. Evidence only beside what the ledger recorded."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from typing import Any, Final

from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass
from unlost.host.folders import Folder
from unlost.host.writing import remove_name, sync_file, write_new_file
from unlost.workspace.script.orders import Order, is_identity

READY: Final = b"workspace-ready.json"
RESTORED: Final = b"workspace-restored.json"
FOLDER: Final = b".unlost"
SCHEMA: Final = "unlost.receipt/1"
LARGEST: Final = 16 << 10
_KEYS: Final = frozenset({"schema", "workspace", "snapshot", "place", "operation", "identity", "epoch"})


class NoReceipt(Exception):
    """The root carries no receipt, or one that no unlost wrote: its owner is unknown."""


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What a root says of itself."""

    workspace: str
    snapshot: str
    place: str
    operation: str
    identity: str
    epoch: int


def read_receipts(root: Folder) -> tuple[Receipt, ...]:
    """The receipts of a root, at least one, the newest epoch last.

    Raises NoReceipt when there is none, and when any of them is not a regular file of its own, is too large, has keys
    twice, unknown or missing ones, or an identity that is not 64 hex digits (W.12, W.13).
    """
    try:
        with root.inner(FOLDER) as folder:
            there = [name for name in (READY, RESTORED) if folder.status(name) is not None]
            found = [_receipt(_content(folder, name)) for name in there]
    except (OSError, ValueError, TypeError) as error:
        raise NoReceipt(str(error)) from error
    if not found:
        raise NoReceipt("there is none")
    return tuple(sorted(found, key=lambda receipt: receipt.epoch))


def write_receipt(root: Folder, name: bytes, order: Order, *, durable: bool = True) -> None:
    """Put a receipt into a root, whole, in a folder that git ignores; not `durable` where all of the root will be."""
    data = {
        "schema": SCHEMA,
        "workspace": order.workspace,
        "snapshot": order.snapshot,
        "place": order.place,
        "operation": order.operation,
        "identity": order.identity,
        "epoch": order.epoch,
    }
    with root.inner(FOLDER, create=True) as folder:
        _put(folder, b".gitignore", b"*\n", durable=durable)
        _put(folder, name, canonical_json(data) + b"\n", durable=durable)
        if durable:
            folder.sync()
    if durable:
        root.sync()


def _put(folder: Folder, name: bytes, data: bytes, *, durable: bool) -> None:
    temporary = name + b".new"
    remove_name(folder, temporary)
    write_new_file(folder, temporary, data, mode=0o644)
    if durable:
        sync_file(folder, temporary)
    os.rename(temporary, name, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)


def _content(folder: Folder, name: bytes) -> bytes:
    descriptor = folder.open_file(name)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_size > LARGEST:
            raise ValueError("not a small regular file of its own")
        return os.read(descriptor, LARGEST + 1)
    finally:
        os.close(descriptor)


def _receipt(data: bytes) -> Receipt:
    with contextlib.suppress(RecursionError):
        facts = json.loads(data, object_pairs_hook=_unique)
        if isinstance(facts, dict) and facts.keys() == _KEYS and facts.pop("schema") == SCHEMA:
            receipt = Receipt(**facts)
            texts = (receipt.workspace, receipt.snapshot, receipt.place, receipt.operation)
            are_texts = all(isinstance(text, str) for text in texts)
            if are_texts and type(receipt.epoch) is int and is_identity(receipt.identity):
                return receipt
    raise ValueError("not a receipt")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands there twice")
    return dict(pairs)
