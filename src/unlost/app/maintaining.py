"""Maintenance on this machine, as the engine asks for it: in the publishing git dir, and in throw-away checkouts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from unlost.app.apart import Apart
from unlost.app.attempts import LocalAttempts
from unlost.app.desk import Desks
from unlost.app.repaired import StoreTrees, keep_left, kept_left, left_in
from unlost.app.reviewing import TASK as REVIEW
from unlost.app.reviewing import sides_text
from unlost.engine.apart_ports import ApartOrder, Investigated, Listen, Stop
from unlost.engine.maintenance_ports import Repaired
from unlost.engine.ports import AttemptOrder
from unlost.facts.records import dataclass
from unlost.git.call import GitFailed
from unlost.git.repository import open_repository
from unlost.git.trees import difference
from unlost.host.clock import Clock
from unlost.plan.facts import AgentChoice
from unlost.publish.difference import MAXIMUM_CONTENT, Difference
from unlost.publish.rebase import Conflict, Rebased, rebase, resolved
from unlost.publish.store import PublishStore
from unlost.snapshot.checkout import checkout
from unlost.snapshot.touched import remove_checkout

TASK: Final = "maintenance"


@dataclass(frozen=True, kw_only=True)
class LocalMaintenance:
    """`engine.maintenance_ports.Maintenance` for one workspace; checkouts are made in a folder of its own."""

    root: str
    workspace_folder: str
    plan_folder: str
    clock: Clock
    desks: Desks | None = None

    def left_at(self, head: str, onto: str, *, known: str | None) -> str | None:
        """Where the work left the target's line (see `Maintenance.left_at`)."""
        with self._store() as store:
            if known is not None and store.is_ancestor(known, head):
                return known
            try:
                return store.git.run("merge-base", head, onto).strip().decode("ascii") or None
            except GitFailed:
                return None

    def contains(self, head: str, commit: str) -> bool:
        """Whether a commit comes before `head` (see `Maintenance.contains`)."""
        with self._store() as store:
            return store.is_ancestor(commit, head)

    def rebase(self, *, base: str, before: str, onto: str) -> Rebased | Conflict:
        """Carry the commits over (see `Maintenance.rebase`)."""
        with self._store() as store:
            return rebase(store, base=base, before=before, onto=onto)

    def resolve(self, *, base: str, before: str, conflict: Conflict, tree: str) -> str:
        """The commit of a settled conflict (see `Maintenance.resolve`)."""
        with self._store() as store:
            return resolved(store, base=base, before=before, conflict=conflict, tree=tree)

    def keep(self, unit: str, commit: str) -> None:
        """Pin a commit of a unit (see `Maintenance.keep`)."""
        with self._store() as store:
            store.keep(f"maintained/{unit}", commit)

    def difference(self, onto: str, tree: str) -> Difference:
        """What differs between the target's commit and a tree (see `Maintenance.difference`)."""
        with self._store() as store:
            changes = difference(store.objects, store.tree_of(onto), tree)
            sides = {change.path: (change.before, change.after) for change in changes}

            def content(oid: str) -> bytes | None:
                data = store.objects.read(oid).data
                return data if len(data) <= MAXIMUM_CONTENT else None

            return sides_text(sides, content)

    def repair(
        self,
        order: ApartOrder,
        paths: tuple[bytes, ...],
        listen: Listen,
        stop: Stop,
    ) -> Repaired:
        """Run an agent in a writable checkout of a merged tree (see `Maintenance.repair`)."""
        os.makedirs(self._checkouts, mode=0o700, exist_ok=True)
        name = _checkout_name(order.identity)
        attempt = AttemptOrder(
            identity=order.identity,
            unit=order.unit,
            task=TASK,
            number=order.number,
            prompt=order.prompt,
            agent=order.agent,
            caps=order.caps,
            step="repair",
        )
        with (
            self._store() as store,
            checkout(
                StoreTrees(store), order.tree, parent=self._checkouts, writable=True, new_id=lambda _: name
            ) as root,
        ):
            end = self._attempts(root).run(attempt, listen, stop)
            repaired = left_in(store, order.tree, root, paths, end)
            # The checkout goes in a moment; killed after that, what it held must still be known.
            keep_left(self._folder, order.identity, repaired)
            return repaired

    def settle_repair(self, identity: str, agent: AgentChoice, tree: str, paths: tuple[bytes, ...]) -> Repaired:
        """How a repair ended, and what it left (see `Maintenance.settle_repair`)."""
        root = os.path.join(self._checkouts, _checkout_name(identity))
        end = self._attempts(root).settle(identity, agent)
        repaired = kept_left(self._folder, identity, end)
        if os.path.isdir(root):
            with self._store() as store:
                repaired = left_in(store, tree, root, paths, end)
        remove_checkout(self._checkouts, _checkout_name(identity))
        return repaired

    def read(self, order: ApartOrder, listen: Listen, stop: Stop) -> Investigated:
        """Run one reviewer of a rebased tree (see `Maintenance.read`)."""
        with self._store() as store:
            return self._readers(store).run(order, listen, stop)

    def settle_reading(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        """How a reviewer ended (see `Maintenance.settle_reading`)."""
        with self._store() as store:
            return self._readers(store).settle(identity, agent, tree)

    @property
    def _folder(self) -> str:
        return os.path.join(self.workspace_folder, "maintenance")

    @property
    def _checkouts(self) -> str:
        return os.path.join(self._folder, "checkouts")

    def _attempts(self, root: str) -> LocalAttempts:
        return LocalAttempts(
            root=root,
            workspace_folder=self._folder,
            plan_folder=self.plan_folder,
            clock=self.clock,
            desks=self.desks,
        )

    def _readers(self, store: PublishStore) -> Apart:
        return Apart(
            trees=StoreTrees(store),
            folder=os.path.join(self.workspace_folder, "review"),
            plan_folder=self.plan_folder,
            clock=self.clock,
            step="review",
            task=REVIEW,
            desks=self.desks,
        )

    @contextmanager
    def _store(self) -> Iterator[PublishStore]:
        with PublishStore(self.workspace_folder, open_repository(self.root)) as store:
            yield store


def _checkout_name(identity: str) -> str:
    return f"checkout-{identity}"
