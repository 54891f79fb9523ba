"""One order on standard input, one answer in JSON on standard output; exit 1 when it was not done."""

from __future__ import annotations

import errno
import gc
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.workspace.script.orders import Order, Refused, read_order
from unlost.workspace.script.publishing import RollbackFailed, inspect, prepare, publish
from unlost.workspace.script.staging import stage

_LARGEST: Final = 16 << 20
_MODES: Final[Mapping[str, Callable[[Order], dict[str, Any]]]] = {
    "look": inspect,
    "prepare": prepare,
    "stage": stage,
    "publish": publish,
}
_FAILED_STAGE: Final = {
    "look": "inspect_root",
    "prepare": "write_receipt",
    "stage": "stage_root",
    "publish": "publish_root",
}


def main() -> int:
    """Do what the order says."""
    # One order, then the end: there is no garbage worth looking for among a hundred thousand paths.
    gc.disable()
    mode = "read_order"
    try:
        order = read_order(sys.stdin.buffer.read(_LARGEST))
        mode = order.mode
        answer = _MODES[mode](order)
    except Refused as refused:
        return _told({"outcome": "refused", "stage": refused.stage, "reason": refused.reason})
    except RollbackFailed as failed:
        return _told({"outcome": "failed", "stage": "roll_back", "reason": "parked", "parked": failed.parked})
    except OSError as error:
        reason = errno.errorcode.get(error.errno or 0, "unknown").lower()
        return _told({"outcome": "failed", "stage": _FAILED_STAGE.get(mode, mode), "reason": reason})
    return _told(answer)


def _told(answer: Mapping[str, Any]) -> int:
    sys.stdout.write(json.dumps(answer, sort_keys=True) + "\n")
    if "stage" in answer:
        sys.stderr.write(f"stage={answer['stage']} reason={answer['reason']}\n")
    return 1 if answer["outcome"] in ("refused", "failed") else 0
