"""The only code that touches a desktop: observe, decide, gate, act, verify; for one subtask after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from core.actions import Action, Ask, Done, Extract, HoldKey, Key, Look, ReadField, ReplayEntry, Type, Wait
from core.errors import InvalidCall, TakenOver
from core.runs.deciding import Decision, Observation, Outcome, Proposal, Result, Subtask
from core.runs.input_control import HANDED_BACK, InputControl, is_hold
from core.runs.journal import Journal, Turn
from core.runs.run import Check, Ended, RunOutcome
from core.workflows.workflow import names_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.runs.acting import Acting
    from core.runs.budget import Budget
    from core.runs.outcomes import Verification
    from core.runs.ports import Conversation, Desktop, Eyes
    from core.screens import Box, Picture


@dataclass
class Repetition:
    """Counts how often in a row the same action was chosen while the screen looked the same.

    Args:
        changes: where two pictures differ.

    """

    changes: Callable[[Picture, Picture], Sequence[Box]]
    _last: tuple[Action, Picture] | None = None
    _times: int = 0

    def count(self, action: Action, picture: Picture) -> int:
        """How often it has now been chosen in a row, 1 for the first time."""
        last = self._last
        is_same = last is not None and last[0] == action and not self.changes(last[1], picture)
        self._times = self._times + 1 if is_same else 1
        self._last = (action, picture)
        return self._times


_REPEATS_REPORTED_AT: Final = 3
"""So many times the same action on the same screen; the next time ends the run."""
SKIPPED: Final = "Not executed: an earlier action of this turn failed."


@dataclass
class RunState:
    """The state that subtasks of one run share."""

    task_memory: str = ""
    extracts: dict[str, str] = field(default_factory=dict[str, str])
    targets: dict[int, str] = field(default_factory=dict[int, str])
    """See ``core.runs.run.Run``."""


class Finished(NamedTuple):
    """How a subtask came to its end."""

    iterations: int
    result: str
    succeeded: bool
    check: Check | None


@dataclass(frozen=True)
class Loop:
    """One run's loop.

    Args:
        desktop: the display that the run acts on.
        conversation: the decider's session.
        eyes: reads pictures of the desktop.
        acting: gates an action, does it and says what became of it.
        verification: looks whether an expected outcome is there.
        journal: records the run and publishes its events.
        budget: the run's limits.
        input_control: tracks whether the run, the user or a remote person has mouse and keyboard.

    """

    desktop: Desktop
    conversation: Conversation
    eyes: Eyes
    acting: Acting
    verification: Verification
    journal: Journal
    budget: Budget
    input_control: InputControl

    def run(self, subtask: Subtask, carried: RunState) -> Finished:
        """Carry out one subtask.

        Raises:
            Ended: it cannot go on: refused, out of budget, going in circles, asking.
            VaiderError: the desktop is lost, the provider failed, the run was cancelled or taken over.

        """
        sentence = f"{subtask.index + 1}/{subtask.total} {self.acting.secrets.mask(subtask.text)}"
        self.desktop.announce(sentence)
        self.conversation.begin(subtask)
        state = _State(carried, Repetition(self.eyes.changes))
        limit, iteration = self.budget.limits.iterations, 0
        while iteration - state.uncounted_iterations < limit:
            try:
                finished = self._iterate(subtask, iteration, state)
            except TakenOver as takeover:
                self.input_control.wait_for_handback(takeover)
                state.uncounted_iterations += is_hold(takeover)
                state.notice, state.seen, finished = HANDED_BACK, None, None
                self.desktop.announce(sentence)
            if finished is not None:
                return finished
            iteration += 1
        raise Ended(RunOutcome.FAILED, f"Subtask {subtask.index + 1} exceeded max iterations ({limit}).")

    def _iterate(self, subtask: Subtask, iteration: int, state: _State) -> Finished | None:
        self.input_control.watch()
        self.budget.check()
        picture = state.seen or self.desktop.look()
        if iteration == 0:
            self.verification.begin(picture)
        self.journal.screenshot(subtask.index, iteration, picture)
        decision = self._decide(subtask, iteration, picture, state)
        goes_on = decision.step is not None and decision.step == state.step
        state.uncounted_iterations += decision.replayed or goes_on or _only_reads(decision)
        state.step = decision.step
        if decision.step is not None and decision.target:
            state.carried.targets.setdefault(decision.step, decision.target)
        if decision.task_memory and decision.task_memory.strip():
            state.carried.task_memory = decision.task_memory
        self.journal.folder.memory(state.carried.task_memory, state.carried.extracts)
        turn = Turn(subtask.index, iteration, decision.observation, state.carried.task_memory, decision.step)
        state.results, state.notice = (), ""
        return self._carry_out(turn, subtask, decision, picture, state)

    def _decide(self, subtask: Subtask, iteration: int, picture: Picture, state: _State) -> Decision:
        repair = ""
        for _ in range(self.budget.limits.call_attempts):
            self.budget.check()
            observation = Observation(
                picture=picture,
                windows=tuple(self.desktop.windows()),
                results=state.results,
                task_memory=state.carried.task_memory,
                extracts=dict(state.carried.extracts),
                notice=state.notice,
                repair=repair,
            )
            try:
                decision = self.conversation.decide(observation, self._await_decision)
            except InvalidCall as wrong:
                repair = wrong.message
                self.budget.pay({"calls": 1})
                self.journal.failed(Turn(subtask.index, iteration, "", state.carried.task_memory), None, repair)
                continue
            self.budget.pay(decision.usage)
            if decision.proposals:
                return decision
            repair = "No action was named."
        attempts = self.budget.limits.call_attempts
        raise Ended(
            RunOutcome.FAILED, f"The model gave no usable answer in {attempts} attempts; the last fault: {repair}"
        )

    def _carry_out(
        self, turn: Turn, subtask: Subtask, decision: Decision, picture: Picture, state: _State
    ) -> Finished | None:
        results: list[Result] = []
        try:
            for at, proposal in enumerate(decision.proposals):
                state.seen = None
                self.journal.predicted(turn, proposal)
                if results and results[-1].outcome in {Outcome.FAILED, Outcome.REFUSED}:
                    results.append(Result(proposal, Outcome.FAILED, SKIPPED))
                    continue
                if isinstance(proposal.move, Done):
                    finished = self._finish(turn, subtask, proposal, state)
                    if isinstance(finished, Finished):
                        return finished
                    results.append(finished)
                    continue
                rest = proposal.rest and not _is_typed(decision.proposals[at + 1 : at + 2])
                result, picture = self._do(turn, proposal, picture, state, rest=rest)
                results.append(result)
                if result.outcome is not Outcome.REFUSED and not isinstance(proposal.move, Ask | Extract | ReplayEntry):
                    state.seen = picture
        except TakenOver:
            missing = decision.proposals[len(results) :]
            results += [Result(proposal, Outcome.FAILED, "The user took over.") for proposal in missing]
            raise
        finally:
            state.results = tuple(results)
        return None

    def _do(
        self, turn: Turn, proposal: Proposal, picture: Picture, state: _State, *, rest: bool
    ) -> tuple[Result, Picture]:
        move = proposal.move
        if isinstance(move, Ask):
            raise Ended(RunOutcome.ASKED, move.question)
        if isinstance(move, Extract):
            if names_secret(move.value, self.acting.secrets):
                # A placeholder typed later would be replaced by the secret, so a screen could ask for it by name.
                raise Ended(RunOutcome.REFUSED, f"{move.variable_name} holds the place of a sensitive parameter.")
            self.budget.act()
            state.carried.extracts[move.variable_name] = move.value
            self.journal.extracted(turn, move)
            return Result(proposal, Outcome.CONFIRMED, f"{move.variable_name} is kept."), picture
        if isinstance(move, ReplayEntry):
            return Result(proposal, Outcome.FAILED, "Nothing of that name is cached here. Proceed manually."), picture
        if isinstance(move, ReadField):
            return self.acting.read(turn, proposal, move, picture)
        if isinstance(move, Done):
            raise TypeError("a claim to be done is no action")
        if not isinstance(move, Wait | Look):
            times = state.repetition.count(move, picture)
            if times > _REPEATS_REPORTED_AT:
                raise Ended(
                    RunOutcome.FAILED, f"The same action was tried {times} times on the same screen, to no effect."
                )
            if times == _REPEATS_REPORTED_AT:
                state.notice = (
                    f"You have done the same action on the same screen {times} times, and it has no effect: "
                    "do something else, or say that it cannot be done."
                )
        return self.acting.act(turn, proposal, move, picture, rest=rest)

    def _finish(self, turn: Turn, subtask: Subtask, proposal: Proposal, state: _State) -> Finished | Result:
        """Verify a claim on the screen. The first unverified claim goes back to the decider, a second one stands."""
        move = proposal.move
        if not isinstance(move, Done):
            raise TypeError("only a claim to be done finishes a subtask")
        check = self.verification.of(subtask.expected_outcome, self.input_control.watch) if move.succeeded else None
        if check is not None and check.verdict == "fail" and not state.was_doubted:
            state.was_doubted = True
            evidence = f"The expected outcome is not seen: {check.evidence}"
            self.journal.failed(turn, None, evidence)
            return Result(proposal, Outcome.FAILED, evidence)
        self.journal.done(turn, move.result, check, succeeded=move.succeeded)
        return Finished(turn.iteration + 1, move.result, move.succeeded, check)

    def judge(self, criteria: str) -> Check | None:
        """Whether the success criterion is visible now. Raises as ``run`` does."""
        while True:
            try:
                return self.verification.of(criteria, self.input_control.watch, confirms=True)
            except TakenOver as takeover:
                if not is_hold(takeover):
                    raise
                self.input_control.wait_for_handback(takeover)

    def _await_decision(self) -> None:
        self.input_control.watch()
        self.budget.check_minutes()


@dataclass
class _State:
    """The state that iterations of one subtask share."""

    carried: RunState
    repetition: Repetition
    results: tuple[Result, ...] = ()
    notice: str = ""
    seen: Picture | None = None
    """How the screen looked right after the last action; ``None`` when anything else was done since."""
    was_doubted: bool = False
    uncounted_iterations: int = 0
    """Iterations that do not count against the limit: they continued a reference step, read a field, replayed a cached
    action, or a person held the run."""
    step: int | None = None
    """The reference step of the last decision, if it is known."""


def _only_reads(decision: Decision) -> bool:
    return all(isinstance(proposal.move, ReadField) for proposal in decision.proposals)


def _is_typed(proposals: Sequence[Proposal]) -> bool:
    """Whether the next action uses the keyboard: unlike a click, it does not need the screen to be at rest."""
    return bool(proposals) and isinstance(proposals[0].move, Type | Key | HoldKey)
