"""Run a check and leave nothing of it running."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.checks.facts import CheckResult
from unlost.host.process import NotStarted, Request, run
from unlost.host.shim.facts import MARK
from unlost.host.shim.sweep import sweep
from unlost.plan.facts import Check

OUTPUT_LIMIT: Final = 64 * 1024
_NOT_FOUND: Final = 127
_GRACE: Final = 1.0


def run_check(
    check: Check, *, root: str, env: Mapping[str, str], mark: str, output_limit: int = OUTPUT_LIMIT
) -> CheckResult:
    """Run a check in the folder `root` until it ends or its timeout has passed.

    `env` is the whole environment but for the mark. `mark` names this one run, in the variable that
    attempts are named in: so unlost refuses to what the check runs what it refuses to an agent, such as
    `accept`. Whatever bears the mark is stopped before this returns, daemons that left the process group
    too. `output_limit` is in bytes. A program that cannot be started is a failed check, not an error.
    """
    request = Request(
        argv=check.run,
        env={**env, MARK: mark},
        cwd=root,
        timeout=check.timeout,
        output_limit=output_limit,
        merge=True,
    )
    try:
        outcome = run(request)
    except NotStarted as error:
        return CheckResult(
            name=check.name,
            exit_code=_NOT_FOUND,
            timed_out=False,
            seconds=0.0,
            output=error.message.encode(),
            started=False,
        )
    finally:
        stop_leftovers(mark)
    return CheckResult(
        name=check.name,
        exit_code=outcome.exit_code,
        timed_out=outcome.timed_out,
        seconds=outcome.seconds,
        output=outcome.stdout,
    )


def stop_leftovers(mark: str) -> int:
    """Stop what a run of a check left behind, also one whose supervisor was killed; how many processes that were."""
    return len(sweep(mark, grace=_GRACE).struck)
