"""What runs of checks are worth (N.R7): pure, over results and changed paths alone."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable

from unlost.checks.facts import CheckJudgement, CheckResult, FailureReason
from unlost.facts.patterns import matches_any
from unlost.facts.quoting import canonical_json, path_literal
from unlost.facts.trees import Change, Entry
from unlost.plan.facts import Check


def changed_definitions(check: Check, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Those of the changes since the base that touch the files which define the check, in their order."""
    return tuple(change for change in changes if matches_any(check.definitions, change.path))


def base_copies(check: Check, changes: Iterable[Change]) -> dict[bytes, Entry | None]:
    """What a protected run puts back into its throw-away checkout: {path: the base's entry, None to remove it}."""
    return {change.path: change.before for change in changed_definitions(check, changes)}


def definitions_digest(changed: Iterable[Change]) -> str:
    """Names exactly these contents of changed definitions: what a person accepts is this, and no later edit."""
    rows = sorted((path_literal(change.path), list(change.after or ())) for change in changed)
    return hashlib.sha256(canonical_json(rows)).hexdigest()


def judge_check(
    check: Check,
    result: CheckResult,
    *,
    protected: CheckResult | None = None,
    changed: tuple[Change, ...] = (),
    accepted: Collection[str] = (),
) -> CheckJudgement:
    """What a check comes to.

    `result` is its run in the tree; `protected` its run in a checkout with the base's definitions, for a
    protected check. `changed` are its definitions that changed since the base, `accepted` the digests of
    changed definitions that a person accepted. A failure is a failure, whatever was accepted: a person
    accepts that the question changed, never that the answer is wrong.
    """
    if not result.passed:
        return CheckJudgement(name=check.name, word="failed", reason=_why(result))
    if check.protected and not _holds_protected(check, protected):
        return CheckJudgement(name=check.name, word="failed", reason="protected")
    digest = definitions_digest(changed) if changed else None
    if digest is not None and digest not in accepted:
        paths = tuple(change.path for change in changed)
        return CheckJudgement(name=check.name, word="definition_changed", changed=paths, definitions=digest)
    return CheckJudgement(name=check.name, word="passed")


def undeclared_writes(check: Check, changes: Iterable[Change]) -> tuple[bytes, ...]:
    """The paths that a check changed without `writes = true`; they are told, and credited to the check."""
    return () if check.writes else tuple(change.path for change in changes)


def _holds_protected(check: Check, protected: CheckResult | None) -> bool:
    """Never run against the base's definitions proves nothing; a run that hung is not the delta that was expected."""
    if protected is None or not protected.started or protected.timed_out:
        return False
    return protected.passed or check.expected_delta


def _why(result: CheckResult) -> FailureReason:
    if not result.started:
        return "not_started"
    return "timed_out" if result.timed_out else "exit_code"
