"""The order that a place is given, and its identity; read strictly, for the place trusts nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass

Mode = Literal["look", "prepare", "stage", "publish"]
_MODES: Final = ("look", "prepare", "stage", "publish")
_IDENTITY: Final = re.compile(r"[0-9a-f]{64}")
_OID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Refused(Exception):
    """The place does not do it: in which stage, and for which reason; files at the root are untouched."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(f"{stage} {reason}")
        self.stage = stage
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class Order:
    """What to do with one root. `operation` makes the identity another one each time.

    `known`: the identities recorded for this root at this place, with the inode of the folder each was recorded for.
    `earlier`: identities of interrupted restores into this root, whose leavings may go. `trees`: what to put there, the
    later ones over the earlier. `head`: the commit for the new `.git`, its branch as a full ref name (None: detached).
    `keep_parked`: the old root holds what no snapshot does, and stays beside the new one. `for_git`: the packs are for
    the place's git, which writes the root.
    """

    mode: Mode
    workspace: str
    snapshot: str
    place: str
    root: str
    operation: str
    identity: str
    epoch: int
    known: Mapping[str, int]
    earlier: tuple[str, ...] = ()
    replace_retired_root: bool = False
    allow_empty_root: bool = False
    keep_parked: bool = False
    trees: tuple[str, ...] = ()
    head: str | None = None
    branch: str | None = None
    object_format: str = "sha1"
    for_git: bool = False

    @property
    def parent(self) -> str:
        """The folder that the root is in."""
        return os.path.dirname(self.root)

    @property
    def name(self) -> bytes:
        """The root's own name."""
        return os.fsencode(os.path.basename(self.root))

    @property
    def staging(self) -> bytes:
        """The folder beside the root where the new one is made."""
        return staging_name(self.name, self.identity)

    @property
    def parked(self) -> bytes:
        """What the old root is called until it is removed (W.14)."""
        return parked_name(self.name, self.identity)


def identity_of(*, workspace: str, snapshot: str, place: str, root: str, operation: str) -> str:
    """The identity of a root: sha256 over workspace, snapshot, place, root and operation (contracts.md)."""
    facts = {
        "workspace": workspace,
        "snapshot": snapshot,
        "place": place,
        "root": path_json(os.fsencode(root)),
        "operation": operation,
    }
    return hashlib.sha256(canonical_json(facts)).hexdigest()


def staging_name(root: bytes, identity: str) -> bytes:
    """The name of the folder where a new root is made."""
    return root + b".staging-" + identity.encode("ascii")


def parked_name(root: bytes, identity: str) -> bytes:
    """The name of an old root that waits for its removal."""
    return root + b".retired-" + identity.encode("ascii")


def order_json(order: Order) -> bytes:
    """An order as it travels."""
    facts = {name: getattr(order, name) for name in Order.__annotations__}
    return canonical_json({**facts, "root": path_json(os.fsencode(order.root)), "known": dict(order.known)})


def read_order(data: bytes) -> Order:
    """The order in a text. Raises Refused for one that is not whole, or whose identity is not its own."""
    try:
        facts = json.loads(data)
        order = Order(**{**facts, **_converted(facts)})
        _check(order, facts)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Refused("read_order", "identity_mismatch") from error
    own = identity_of(
        workspace=order.workspace,
        snapshot=order.snapshot,
        place=order.place,
        root=order.root,
        operation=order.operation,
    )
    if own != order.identity:
        raise Refused("read_order", "identity_mismatch")
    if order.replace_retired_root and order.allow_empty_root:
        raise Refused("read_order", "conflicting_permissions")
    return order


def is_identity(text: object) -> bool:
    """Whether a value is 64 digits of hex."""
    return isinstance(text, str) and _IDENTITY.fullmatch(text) is not None


def is_oid(text: object) -> bool:
    """Whether a value is a whole object id."""
    return isinstance(text, str) and _OID.fullmatch(text) is not None


def _converted(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "root": os.fsdecode(path_from_json(facts["root"])),
        "known": dict(facts["known"]),
        "earlier": tuple(facts["earlier"]),
        "trees": tuple(facts["trees"]),
    }


def _check(order: Order, facts: Mapping[str, Any]) -> None:
    """Raise ValueError for what no order may say."""
    if facts.keys() != Order.__annotations__.keys():
        raise ValueError("an order has exactly the known keys")
    if order.mode not in _MODES or type(order.epoch) is not int:
        raise ValueError("not an order")
    if not os.path.isabs(order.root) or os.path.normpath(order.root) != order.root or order.root == "/":
        raise ValueError("a root is an absolute, plain path")
    if not all(is_identity(each) for each in (order.identity, *order.known, *order.earlier)):
        raise ValueError("an identity is 64 digits of hex")
    if not all(is_oid(each) for each in (*order.trees, *([] if order.head is None else [order.head]))):
        raise ValueError("an object id is expected")
