"""From the bytes of a plan file to a `Plan`; every problem is named at once, each with its line.

The classes here are the tables of the file: which keys they know and which values those take. Defaults
stand in `plan/facts.py` alone; a key that is left out stays unset here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from unlost.facts.errors import FileInvalid, Problem
from unlost.facts.records import dataclass, field, replace
from unlost.plan import facts, values
from unlost.plan.build import build_plan
from unlost.plan.complaints import complaint
from unlost.plan.draft import Draft, KeyPath, in_order, line_of
from unlost.plan.formats import OWN, read_draft
from unlost.plan.rules import broken_rules
from unlost.plan.source import decode


@dataclass(frozen=True, kw_only=True)
class PlanFile:
    """A plan file after reading: the plan, or the problems that keep it from being one; `lines` places its keys.

    `format` is what it was written as; of another tool's list, `left_out` counts the entries that are no tasks.
    """

    plan: facts.Plan | None
    problems: tuple[Problem, ...]
    lines: Mapping[KeyPath, int]
    format: str = OWN
    left_out: Mapping[str, int] = field(default_factory=dict)


def parse_plan(data: bytes, *, name: str) -> facts.Plan:
    """The plan of a file called `name`, whichever format it is in (`plan.formats`). Raises FileInvalid."""
    return plan_of(read_plan(data, name=name), name=name)


def read_plan(data: bytes, *, name: str) -> PlanFile:
    """The plan, or all that is wrong with it; never raises for what the file holds."""
    text, problems = decode(data)
    if problems:
        return PlanFile(plan=None, problems=in_order(problems), lines={})
    drafted = read_draft(text, name=name)
    return replace(judge_draft(drafted.draft), format=drafted.format, left_out=drafted.left_out)


def plan_of(file: PlanFile, *, name: str) -> facts.Plan:
    """The plan of a file that was read; raises FileInvalid with every problem when it has some."""
    if file.plan is None:
        count = "1 problem" if len(file.problems) == 1 else f"{len(file.problems)} problems"
        raise FileInvalid(f"{name} has {count}; nothing was started", problems=file.problems)
    return file.plan


def judge_draft(draft: Draft) -> PlanFile:
    """The plan that a draft describes, or every problem that the rules of single keys and of several find."""
    if draft.values is None:
        return PlanFile(plan=None, problems=in_order(draft.problems), lines=draft.lines)
    problems = list(draft.problems)
    problems += [
        Problem(line=line_of(draft.lines, broken.path), what=broken.what) for broken in broken_rules(draft.values)
    ]
    plan = None
    try:
        table = _Plan.model_validate(draft.values)
        plan = build_plan(table.model_dump(exclude_unset=True)) if not problems else None
    except ValidationError as error:
        problems.extend(_problems(error, draft))
    return PlanFile(plan=plan, problems=in_order(problems), lines=draft.lines)


def _problems(error: ValidationError, draft: Draft) -> Iterator[Problem]:
    for found in error.errors(include_url=False):
        path: KeyPath = found["loc"]
        known = _known_keys(path)
        what = complaint(found["type"], path, found["input"], found.get("ctx", {}), known)
        yield Problem(line=line_of(draft.lines, path), what=what)


def _known_keys(path: KeyPath) -> tuple[str, ...]:
    """The keys of the table that the last key of the path stands in."""
    kind = _Plan if len(path) < 2 else _KINDS.get(path[0], _Plan)
    return tuple(kind.model_fields)


# Validated by pydantic only when it is given, so that a key left out is told from one that was written.
_LEFT_OUT: Final[Any] = None
_LONGEST_LINE: Final = 200
_LONGEST_LIST: Final = 256

# TOML has lists where facts have tuples: the list itself is taken leniently, its items are not.
_LIST: Final = Field(strict=False, max_length=_LONGEST_LIST)
_Prose = Annotated[str, AfterValidator(values.prose)]
_Line = Annotated[str, Field(max_length=_LONGEST_LINE), AfterValidator(values.one_line)]
_Name = Annotated[str, AfterValidator(values.name)]
_Argument = Annotated[str, AfterValidator(values.argument)]
_Argv = Annotated[tuple[_Argument, ...], _LIST, AfterValidator(values.argv)]
_Pattern = Annotated[str, AfterValidator(values.pattern)]
_Patterns = Annotated[tuple[_Pattern, ...], _LIST]
_Variable = Annotated[str, AfterValidator(values.variable)]
_Seconds = Annotated[float, BeforeValidator(values.seconds)]
_Count = Annotated[int, Field(ge=1, le=1_000_000)]


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Agent(_Table):
    use: facts.AgentName = _LEFT_OUT
    model: _Line = _LEFT_OUT
    command: _Argv = _LEFT_OUT
    script: _Line = _LEFT_OUT
    env: Annotated[tuple[_Variable, ...], _LIST] = _LEFT_OUT
    home: facts.AgentHome = _LEFT_OUT
    permissions: facts.Permissions = _LEFT_OUT
    sandbox: facts.Sandbox = _LEFT_OUT
    guard_hook: bool = _LEFT_OUT


class _Scope(_Table):
    paths: _Patterns = _LEFT_OUT
    scratch: _Patterns = _LEFT_OUT


class _Budget(_Table):
    deadline: _Seconds = _LEFT_OUT
    cost_usd: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] = _LEFT_OUT
    tokens: Annotated[int, Field(ge=0, le=10**12)] = _LEFT_OUT
    attempts: Annotated[int, Field(ge=1, le=100)] = _LEFT_OUT
    turns: _Count = _LEFT_OUT
    idle: _Seconds = _LEFT_OUT
    grace: _Seconds = _LEFT_OUT


class _Limits(_Table):
    auto_resume: bool = _LEFT_OUT
    max_wait: _Seconds = _LEFT_OUT


class _Workflow(_Table):
    steps: Annotated[tuple[facts.Step, ...], _LIST] = _LEFT_OUT


class _Research(_Table):
    turns: _Count = _LEFT_OUT
    share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = _LEFT_OUT
    answer_timeout: Annotated[float | None, BeforeValidator(values.seconds_or_never)] = _LEFT_OUT


class _Resume(_Table):
    restore: facts.RestoreChoice = _LEFT_OUT


class _Guard(_Table):
    on_loss: facts.LossChoice = _LEFT_OUT


class _Workspace(_Table):
    mode: facts.WorkspaceMode = _LEFT_OUT
    setup: Annotated[tuple[_Argv, ...], _LIST] = _LEFT_OUT


class _Commit(_Table):
    mode: facts.CommitMode = _LEFT_OUT
    hooks: bool = _LEFT_OUT


class _Review(_Table):
    use: facts.Reviewer = _LEFT_OUT
    rounds: Annotated[int, Field(ge=0, le=20)] = _LEFT_OUT


class _Publish(_Table):
    remote: _Name = _LEFT_OUT
    branch: Annotated[str, Field(max_length=_LONGEST_LINE), AfterValidator(values.branch)] = _LEFT_OUT


class _Task(_Table):
    id: _Name
    text: _Prose
    acceptance: Annotated[tuple[_Prose, ...], _LIST] = _LEFT_OUT
    paths: _Patterns = _LEFT_OUT
    reverts: _Patterns = _LEFT_OUT
    check: Annotated[tuple[_Argv, ...], _LIST] = _LEFT_OUT


class _Check(_Table):
    name: _Name
    run: _Argv
    timeout: _Seconds = _LEFT_OUT
    category: facts.CheckCategory = _LEFT_OUT
    definitions: _Patterns = _LEFT_OUT
    protected: bool = _LEFT_OUT
    expected_delta: bool = _LEFT_OUT
    writes: bool = _LEFT_OUT


class _Plan(_Table):
    title: _Line = _LEFT_OUT
    goal: _Prose = _LEFT_OUT
    agent: _Agent = _LEFT_OUT
    scope: _Scope = _LEFT_OUT
    budget: _Budget = _LEFT_OUT
    limits: _Limits = _LEFT_OUT
    workflow: _Workflow = _LEFT_OUT
    research: _Research = _LEFT_OUT
    resume: _Resume = _LEFT_OUT
    guard: _Guard = _LEFT_OUT
    workspace: _Workspace = _LEFT_OUT
    commit: _Commit = _LEFT_OUT
    review: _Review = _LEFT_OUT
    publish: _Publish = _LEFT_OUT
    task: Annotated[tuple[_Task, ...], Field(strict=False, max_length=facts.MAXIMUM_TASKS)] = _LEFT_OUT
    check: Annotated[tuple[_Check, ...], _LIST] = _LEFT_OUT


_KINDS: Final[Mapping[str | int, type[_Table]]] = {
    "agent": _Agent,
    "scope": _Scope,
    "budget": _Budget,
    "limits": _Limits,
    "workflow": _Workflow,
    "research": _Research,
    "resume": _Resume,
    "guard": _Guard,
    "workspace": _Workspace,
    "commit": _Commit,
    "review": _Review,
    "publish": _Publish,
    "task": _Task,
    "check": _Check,
}
