"""Speaking with the program on a place: send it, send the packs, give orders, read answers."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Final

from unlost.facts.quoting import clean
from unlost.facts.records import dataclass
from unlost.host.folders import Folder
from unlost.host.reading import write_atomically
from unlost.host.writing import remove_tree
from unlost.workspace.bundle import Bundle
from unlost.workspace.facts import Location, Operation
from unlost.workspace.ports import Progress, Transport, Unreachable
from unlost.workspace.program import restore_program
from unlost.workspace.proof import recorded_roots
from unlost.workspace.script.orders import Mode, Order, order_json, staging_name

_TIMEOUT: Final = 3600.0
_TOLD: Final = 300


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the program said, and its exit code; `facts["outcome"]` is always there."""

    exit: int
    facts: dict[str, Any]

    @property
    def outcome(self) -> str:
        """What became of the order."""
        return str(self.facts["outcome"])


def order_on_record(
    mode: Mode, workspace: str, here: Location, operation: Operation, operations: Sequence[Operation]
) -> Order:
    """What the place is told of a recorded operation on one root; `operations` are all that are on record."""
    return Order(
        mode=mode,
        workspace=workspace,
        snapshot=operation.snapshot or "",
        place=here.place,
        root=here.root,
        operation=operation.id,
        identity=operation.identity or "",
        epoch=operation.epoch,
        known=recorded_roots(operations, place=here.place, root_digest=here.root_digest),
    )


class PlaceProgram:
    """The program on one place; it is sent on first use. Raises Unreachable, TransferFailed."""

    def __init__(self, transport: Transport, *, scratch: str, progress: Progress) -> None:
        self._transport = transport
        self._scratch = scratch
        self._progress = progress
        self._sent: set[str] = set()

    def obey(self, order: Order) -> Answer:
        """Give an order and wait for what becomes of it."""
        program = self._program(order)
        argv = (self._transport.python, "-I", "-S", program)
        done = self._transport.run(argv, stdin=order_json(order), timeout=_TIMEOUT)
        try:
            facts = json.loads(done.stdout)
            if isinstance(facts, dict) and isinstance(facts.get("outcome"), str):
                return Answer(exit=done.exit_code, facts=facts)
        except ValueError:
            pass
        told = clean(done.stderr[-_TOLD:].decode("utf-8", "replace").strip(), one_line=True)
        raise Unreachable(f"the program on the place ended with {done.exit_code} and no answer: {told}")

    def send(self, order: Order, bundle: Bundle) -> None:
        """Bring the packs into the staging folder; of a transfer that was cut only the rest travels."""
        target = os.path.join(_staging(order), os.path.basename(bundle.file))
        self._transport.send(bundle.file, target, self._progress)

    def _program(self, order: Order) -> str:
        """Where the program is on the place: in the staging folder, with which it goes; named by its digest."""
        program = restore_program()
        name = f"unlost-{program.digest[:16]}.zip"
        target = os.path.join(_staging(order), name)
        if target not in self._sent:
            local = os.path.join(self._scratch, name)
            write_atomically(local, program.data)
            self._transport.send(local, target, self._progress)
            self._sent.add(target)
        return target


def _staging(order: Order) -> str:
    return os.path.join(order.parent, os.fsdecode(staging_name(order.name, order.identity)))


def remove_scratch(folder: str) -> None:
    """Remove a folder of ours with what was sent from it."""
    parent, name = os.path.split(folder)
    with Folder.open(parent) as holder:
        remove_tree(holder, os.fsencode(name))
