"""The composition that carries out plans: everything on the floors below, wired for one workspace."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from unlost.agents.protocol import AgentEvent
from unlost.app.attempts import usable
from unlost.app.hands import hands_for
from unlost.app.holding import keep_plan_folder, plan_folder_of, refuse_second_unit
from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.opening import find_work_tree
from unlost.app.preflight import refuse_unready
from unlost.app.questions import answer_question, kept_answer
from unlost.app.status_line import note_unit
from unlost.app.supervised_tree import SupervisedTree
from unlost.app.units import Unit, private_question, read_units
from unlost.app.watching import Workplace
from unlost.app.worktrees import Say, Worktree, worktree_for
from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.ports import Hands, Listener
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson, TryLater, UsageError
from unlost.host.clock import Clock, SystemClock
from unlost.host.environment import user_name
from unlost.host.ids import new_id
from unlost.host.redaction import Redactor
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.plan.digest import plan_digest
from unlost.plan.facts import AgentChoice, Plan
from unlost.settings import Settings
from unlost.unit.events import EVENTS, StopAsked
from unlost.unit.prompts import prompt_of
from unlost.unit.questions import Offer, as_of, is_party


class Silent:
    """A listener that keeps what it hears to itself."""

    def recorded(self, payload: Any) -> None:
        """Say nothing."""

    def heard(self, event: AgentEvent) -> None:
        """Say nothing."""

    def noted(self, text: str) -> None:
        """Say nothing."""


class Supervisor:
    """Carries out plans in one workspace, and answers for its units; close it when done.

    Every method that drives a unit holds the workspace; the agent below it never outlives the call.
    """

    def __init__(self, target: str, settings: Settings, ledger: Ledger, clock: Clock, listener: Listener) -> None:
        self.settings = settings
        self.ledger = ledger
        self.clock = clock
        self._listener = listener
        self._tree = SupervisedTree(target, settings, ledger, clock)

    @classmethod
    def open(cls, target: str, settings: Settings, *, listener: Listener | None = None) -> Self:
        """The supervisor of the workspace at a folder, root or id.

        Raises NotARepository, UsageError, LedgerUnavailable.
        """
        clock = SystemClock()
        ledger = open_ledger(settings.ledger, clock)
        try:
            return cls(target, settings, ledger, clock, listener or Silent())
        except BaseException:
            ledger.close()
            raise

    def close(self) -> None:
        """Let go of files and processes."""
        self._tree.close()
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def place(self) -> Workplace:
        """The registered workspace with everything open. Raises UsageError when it is not registered."""
        return self._tree.place

    @property
    def driven(self) -> str | None:
        """The workspace's folder in the state home, while a unit is driven there."""
        return self._tree.driven

    def run(
        self,
        plan: Plan,
        *,
        plan_folder: str,
        note: str | None = None,
        approve: str | None = None,
        fresh: bool = False,
        carry_out: bool = True,
    ) -> Unit:
        """Admit a plan and carry it out until it ends or waits; without `carry_out`, only admit it.

        `fresh`: every attempt begins a conversation of its own. With `approve`, a plan of another digest is refused.
        Raises NeedsPerson, UsageError, FileInvalid, TryLater: then nothing was started.
        """
        refuse_inside_attempt()
        if approve is not None and approve != plan_digest(plan):
            raise NeedsPerson(
                "the plan is not the one that was approved; nothing was started", hint="unlost plan check FILE"
            )
        if plan.workspace.mode == "worktree" and not self._tree.is_worktree:
            self.into_worktree(plan, None)
        self._tree.register()
        refuse_unready(self._tree.root, plan, plan_folder)
        with self.driving():
            refuse_second_unit(self.ledger, self.place.workspace, self.clock.now())
            self._tree.open_to_admit()
            hands = self.hands(plan_folder, plan.agent)
            unit = new_id("u")
            keep_plan_folder(self.place.folder, unit, plan_folder)
            writer = self._tree.become_writer()
            admission = Admission(
                unit=unit,
                plan=plan,
                note=note,
                requester=user_name(),
                workspace=self.place.workspace,
                place=self.settings.place,
                root_digest=self._tree.here.root_digest,
                epoch=writer.number,
                fence=writer.fence,
                fresh_attempts=fresh,
            )
            stream = admit(hands, admission)
            if carry_out:
                advance(stream, hands)
        return self.show(unit)

    def into_worktree(self, plan: Plan, name: str | None, say: Say = lambda _: None) -> Worktree:
        """Go on in a linked work tree of this repository: the one of this name, else a new one for the plan.

        Its setup has run when this returns. Raises UsageError, NeedsPerson, SetupFailed, GitFailed.
        """
        refuse_inside_attempt()
        made = worktree_for(
            self._tree.target,
            self.settings,
            self.ledger,
            self.clock,
            name=name,
            title=plan.title,
            setup=plan.workspace.setup,
            say=say,
        )
        self._tree.turn_to(made.root, find_work_tree(made.root, self.settings, self.clock, new=True))
        return made

    def resume(
        self, unit: str | None = None, *, restore: bool = False, raise_cost: float = 0.0, extend: float = 0.0
    ) -> Unit:
        """Carry a unit on after a wait or a crash; one that is over, or waits for an answer, comes back as it is."""
        refuse_inside_attempt()
        name = self.find(unit)
        with self.driving():
            stream = UnitStream(self.ledger, name)
            # What is over takes no new writer: its saved work would count as written to again.
            if not stream.state.over:
                writer = self._tree.become_writer()
                resumption = Resumption(
                    by=user_name(),
                    epoch=writer.number,
                    fence=writer.fence,
                    raise_cost=raise_cost,
                    extend=extend,
                    restore=restore,
                )
                resume(stream, self.hands_of(stream), resumption)
        return self.show(name)

    def stop(self, unit: str | None = None) -> Unit:
        """End a unit where it is: by its own supervisor when one drives it, else here and now."""
        refuse_inside_attempt()
        name = self.find(unit)
        stream = UnitStream(self.ledger, name)
        if not stream.state.over:
            asked = EVENTS.new(StopAsked(by=user_name()), key=f"stop asked r{stream.state.revision}")
            stream.record(asked)
            try:
                with self.driving():
                    advance(stream, self.hands_of(stream))
            except TryLater:
                self._wait_for_end(stream)
        return self.show(name)

    def answer(self, unit: str | None, text: str, *, question: str | None = None) -> Unit:
        """Give the first answer to the open question; `resume` goes on with it. Nothing is started.

        With `question` it counts for that one alone. Raises NeedsPerson, UsageError for an answer that does not count:
        then nothing was changed. The same answer again is harmless.
        """
        refuse_inside_attempt()
        name = self.find(unit)
        offer = Offer(by=user_name(), text=kept_answer(text, Redactor()), at=self.clock.now(), question=question)
        answer_question(self.ledger, name, offer, self.settings.operators)
        return self.show(name)

    def show(self, unit: str | None = None) -> Unit:
        """A unit as it is, with the text of its open question and every loss with all its places."""
        stream = UnitStream(self.ledger, self.find(unit))
        state = as_of(stream.state, self.clock.now())
        lost = None
        if self._tree.holds(state.workspace):
            # What a person said since (an answer, a stop) is in the line from now on.
            note_unit(self.place.folder, state.unit, None if state.over else state.phase)
            lost = self.place.watch.losses(stream.plan) if state.proof.is_loss else None
        return Unit(state, question=private_question(self.ledger, state, self.settings.operators), lost=lost)

    def units(self) -> tuple[Unit, ...]:
        """Every unit of this workspace, oldest first; damaged ones are left out (see `read_units`)."""
        listing = read_units(self.ledger, workspace=self.place.workspace, now=self.clock.now())
        return tuple(Unit(state) for state in listing.states)

    def prompt(self, unit: str | None, task: str, number: int) -> bytes:
        """The exact bytes that an attempt, or as task `research` or `review` a reader, was given (decision 7).

        Raises UsageError for one that never was, NeedsPerson when the reader is neither requester nor operator.
        """
        stream = UnitStream(self.ledger, self.find(unit))
        if not is_party(stream.state, user_name(), self.settings.operators):
            raise NeedsPerson(f"only {stream.state.requester} and operators may read the prompts of {stream.unit}")
        sequence = prompt_of(stream.state, task, number)
        if sequence is not None:
            return stream.body(sequence)
        raise UsageError(f"{stream.unit} has no attempt {number} of {task}", hint=f"unlost show {stream.unit}")

    def find(self, unit: str | None) -> str:
        """The id of the unit that is meant: a prefix, or the one that is open here.

        A named one may work in another work tree of this machine (a worktree of its own): everything then is about
        that one, wherever this was started.
        """
        return self._tree.find(unit)

    def driving(self) -> AbstractContextManager[None]:
        """Hold the workspace as its one supervisor. Raises TryLater naming who holds it."""
        return self._tree.driving()

    def hands(self, plan_folder: str, agent: AgentChoice) -> Hands:
        """What carries out the actions of one unit. Raises UsageError when its agent cannot be used."""
        usable(agent, plan_folder)
        return hands_for(self.place, self.settings, self.ledger, self.clock, self._listener, plan_folder)

    def hands_of(self, stream: UnitStream) -> Hands:
        """What carries out the actions of a unit under the plan that is in force."""
        folder = plan_folder_of(self.place.folder, stream.unit, self.place.root)
        return self.hands(folder, stream.plan.agent)

    def _wait_for_end(self, stream: UnitStream) -> None:
        """Wait until the supervisor that drives the unit has ended it; it has heard of the stop by then."""
        until = self.clock.monotonic() + _STOP_PATIENCE
        while not stream.state.over and self.clock.monotonic() < until:
            self.clock.wait(_STOP_LOOK)
            stream.read()


_STOP_PATIENCE = 120.0
_STOP_LOOK = 0.2
