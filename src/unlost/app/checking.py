"""Checks on this machine, as the engine asks for them: in the work tree, and with the base's definitions beside it."""

from __future__ import annotations

import os

from unlost.checks.facts import CheckResult
from unlost.checks.judge import base_copies, changed_definitions, definitions_digest, judge_check
from unlost.checks.run import run_check, stop_leftovers
from unlost.engine.ports import CheckOutcome
from unlost.facts.records import dataclass
from unlost.facts.trees import Change
from unlost.host.environment import passed_environment
from unlost.plan.facts import Check
from unlost.snapshot.archive import Archive
from unlost.snapshot.checkout import checkout


@dataclass(frozen=True, kw_only=True)
class LocalChecks:
    """Runs checks in the work tree of an archive; throw-away checkouts are made in `folder`, which is unlost's own."""

    archive: Archive
    folder: str

    def run(self, check: Check, identity: str, *, base: str, tree: str) -> CheckOutcome:
        """Run one check (see `Checks.run`); what its runs come to is judged by `checks/` (N.R7)."""
        stop_leftovers(identity)
        changes = self.archive.changes(base, tree) if check.definitions else ()
        changed = changed_definitions(check, changes)
        result = run_check(check, root=self.archive.root, env=passed_environment(), mark=identity)
        protected = None
        if check.protected and result.passed:
            protected = self._protected(check, identity, tree, changes) if changed else result
        # Whether a person accepted these definitions is asked by whoever decides; here they only get their name.
        known = (definitions_digest(changed),)
        judgement = judge_check(check, result, protected=protected, accepted=known, changed=changed)
        shown = protected if result.passed and protected is not None and not judgement.passed else result
        return CheckOutcome(
            passed=judgement.passed,
            exit_code=shown.exit_code,
            timed_out=shown.timed_out,
            seconds=result.seconds,
            output=shown.output,
            definitions=definitions_digest(changed) if changed else None,
            redefined=tuple(change.path for change in changed),
        )

    def _protected(self, check: Check, identity: str, tree: str, changes: tuple[Change, ...]) -> CheckResult:
        """The run over the same tree with the base's copies of the definitions, in a checkout of its own."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        instead = base_copies(check, changes)
        with checkout(self.archive, tree, parent=self.folder, instead=instead, writable=True) as root:
            return run_check(check, root=root, env=passed_environment(), mark=identity)
