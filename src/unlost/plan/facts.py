"""What a plan says, after parsing: every key of the file with its default (contracts.md, With a plan).

Durations are seconds. Patterns are texts as `facts/patterns.py` reads them. Each table of the file is
one class; `docs/reference/plan.md` is held to these classes by a test.
"""

from __future__ import annotations

from typing import Final, Literal

from unlost.facts.records import dataclass, field

AgentName = Literal["claude", "codex", "opencode", "gemini", "acp", "command", "scripted"]
Reviewer = Literal["claude", "codex", "opencode", "gemini", "acp", "command", "scripted", "person"]
Step = Literal["research", "code", "review", "publish"]
CheckCategory = Literal["regression", "candidate", "setup"]
AgentHome = Literal["user", "own"]
Permissions = Literal["edit", "all", "user"]
Sandbox = Literal["none", "bwrap"]
RestoreChoice = Literal["ask", "always", "never"]
LossChoice = Literal["block", "restore"]
WorkspaceMode = Literal["here", "worktree"]
CommitMode = Literal["never", "each_task", "at_end"]
Argv = tuple[str, ...]

MAXIMUM_BYTES: Final = 256 * 1024
MAXIMUM_TASKS: Final = 256
MAXIMUM_CHECKS: Final = 16
WHOLE_TREE: Final = ("**",)

_MINUTE: Final = 60.0
_HOUR: Final = 3600.0
_DAY: Final = 86400.0


@dataclass(frozen=True, kw_only=True)
class AgentChoice:
    """`[agent]`: which agent works on the tasks, and what it is given.

    `command` is for `acp` and `command`, `script` for `scripted`; `env` names variables that are passed through.
    """

    use: AgentName = "claude"
    model: str | None = None
    command: Argv = ()
    script: str | None = None
    env: tuple[str, ...] = ()
    home: AgentHome = "user"
    permissions: Permissions = "edit"
    sandbox: Sandbox = "none"
    guard_hook: bool = True


@dataclass(frozen=True, kw_only=True)
class Scope:
    """`[scope]`: which paths the unit may change (N.27), and which untracked files are scratch."""

    paths: tuple[str, ...] = WHOLE_TREE
    scratch: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Budget:
    """`[budget]`: what the unit may spend.

    `cost_usd` None and `tokens` 0 mean no cap; `attempts` is a task's, `turns` and `idle` are an attempt's;
    `grace` is the time for a handoff at a cap.
    """

    deadline: float = 4 * _HOUR
    cost_usd: float | None = None
    tokens: int = 0
    attempts: int = 3
    turns: int = 200
    idle: float = 10 * _MINUTE
    grace: float = 30.0


@dataclass(frozen=True, kw_only=True)
class Limits:
    """`[limits]`: what happens when a provider limits the rate."""

    auto_resume: bool = True
    max_wait: float = 6 * _HOUR


@dataclass(frozen=True, kw_only=True)
class Workflow:
    """`[workflow]`: the steps of the unit, in the one order they can have."""

    steps: tuple[Step, ...] = ("code",)


@dataclass(frozen=True, kw_only=True)
class ResearchRules:
    """`[research]`: caps of the research step; `share` of the lease, `answer_timeout` None is `"never"`."""

    turns: int = 40
    share: float = 0.2
    answer_timeout: float | None = 7 * _DAY


@dataclass(frozen=True, kw_only=True)
class ResumeRules:
    """`[resume]`: whether recoverable work is put back before a further attempt."""

    restore: RestoreChoice = "ask"


@dataclass(frozen=True, kw_only=True)
class GuardRules:
    """`[guard]`: what a loss does to the unit."""

    on_loss: LossChoice = "block"


@dataclass(frozen=True, kw_only=True)
class WorkspaceRules:
    """`[workspace]`: where the unit works; `setup` runs once in a new worktree."""

    mode: WorkspaceMode = "here"
    setup: tuple[Argv, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CommitRules:
    """`[commit]`: whether unlost commits finished work, and whether the repository's hooks run then."""

    mode: CommitMode = "never"
    hooks: bool = False


@dataclass(frozen=True, kw_only=True)
class ReviewRules:
    """`[review]`: who reviews (an agent, or `person`: the unit waits for one), and how many repairs follow at most."""

    use: Reviewer = "claude"
    rounds: int = 2


@dataclass(frozen=True, kw_only=True)
class PublishRules:
    """`[publish]`: where the finished work is pushed; an empty branch is named by unlost."""

    remote: str = "origin"
    branch: str = ""


@dataclass(frozen=True, kw_only=True)
class Check:
    """`[[check]]`, or one command of a task's `check`: a command that exits 0 when what it proves is true (N.R7)."""

    name: str
    run: Argv
    timeout: float = 20 * _MINUTE
    category: CheckCategory = "regression"
    definitions: tuple[str, ...] = ()
    protected: bool = False
    expected_delta: bool = False
    writes: bool = False


@dataclass(frozen=True, kw_only=True)
class Task:
    """`[[task]]`: one ordered piece of the plan.

    `acceptance` is text for agent and reviewer and proves nothing. `paths` is what the task may rewrite,
    move or delete of earlier work, `reverts` what it puts back on purpose. The commands of the key
    `check` are `checks`, named `<id>/1`, `<id>/2`, …
    """

    id: str
    text: str
    acceptance: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One whole plan. `checks` are those of `[[check]]`, which run when every task is done."""

    title: str
    goal: str
    tasks: tuple[Task, ...]
    checks: tuple[Check, ...] = ()
    agent: AgentChoice = field(default_factory=AgentChoice)
    scope: Scope = field(default_factory=Scope)
    budget: Budget = field(default_factory=Budget)
    limits: Limits = field(default_factory=Limits)
    workflow: Workflow = field(default_factory=Workflow)
    research: ResearchRules = field(default_factory=ResearchRules)
    resume: ResumeRules = field(default_factory=ResumeRules)
    guard: GuardRules = field(default_factory=GuardRules)
    workspace: WorkspaceRules = field(default_factory=WorkspaceRules)
    commit: CommitRules = field(default_factory=CommitRules)
    review: ReviewRules = field(default_factory=ReviewRules)
    publish: PublishRules = field(default_factory=PublishRules)

    def task(self, task_id: str) -> Task:
        """The task of this id; raises KeyError when the plan has none."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)
