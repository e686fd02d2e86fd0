"""The local decider at work: one subtask after the other, step by step; or a task, line by line of its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.models.local.accessible_grounding import name_at
from adapters.models.local.situation import Disturbed, Impossible, Situation, Unsure, decision
from adapters.models.local.steps import carry_out
from core.actions import Ask, Click, Done, ReadField
from core.runs.outcomes import check
from core.tasks.heartbeat import Heartbeat
from core.tasks.plan import NO_PLAN, blocked_question, looks_like, plan_of
from core.workflows.workflow import PlannedSubtask, fill_subtask, places

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from core.accessibility import Accessibility
    from core.runs.deciding import Briefing, Decision, Observation, Subtask
    from core.runs.ports import Eyes
    from core.steps import Step

_TRIES: Final = 3
"""So often a step is begun again when the user came in between."""
_NOT_UNDERSTOOD: Final = "it is not understood without a model"


class LocalConversation:
    """Implements ``core.runs.ports.Conversation``.

    Args:
        briefing: what holds for the run.
        eyes: who reads the pictures.
        accessibility: what the display's programs tell of themselves; ``None`` for pixels alone.
        patience: how many seconds are waited for what should be there.

    """

    def __init__(
        self, briefing: Briefing, eyes: Eyes, accessibility: Accessibility | None = None, *, patience: float
    ) -> None:
        self._situation = Situation(briefing, eyes, accessibility, patience=patience)
        self._plan = plan_of(Heartbeat(briefing.document)) if briefing.document else None
        self._extracts: Mapping[str, str] = {}
        self._script: Generator[Decision, None, None] | None = None
        self._only_reads = False

    def begin(self, subtask: Subtask) -> None:
        """See the port."""
        self._script = self._subtask(subtask)

    def decide(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        """See the port. One reading of the picture is all that takes time."""
        raise_if_cancelled()
        if self._script is None:
            raise RuntimeError("no subtask was begun")
        self._situation.update(observation, raise_if_cancelled)
        self._extracts = observation.extracts
        decided = next(self._script)
        self._only_reads = all(isinstance(each.move, ReadField) for each in decided.proposals)
        return decided

    def read_ahead(self) -> None:
        """Read the screen while a field's selection is read: afterwards it looks the same, but for a caret."""
        if self._only_reads:
            self._only_reads = False
            self._situation.read_ahead()

    def _subtask(self, subtask: Subtask) -> Generator[Decision, None, None]:
        """Never ends: what is decided last stays so."""
        try:
            count = yield from self._steps(subtask) if self._plan is None else self._lines(self._plan, _begin(subtask))
        except Impossible as failure:
            while True:
                yield decision([Done(result=str(failure), succeeded=False)], str(failure))
        except Unsure as question:
            while True:
                yield decision([Ask(question=str(question))], str(question))
        done = Done(result=" ".join((_describe_completion(count), *self._doubts())))
        yield decision([done], done.result)
        # The loop did not see the expected outcome: it may still come.
        yield from self._situation.wait_for(lambda: self._is_met(subtask), seconds=self._situation.patience)
        while True:
            yield decision([done], done.result)

    def _steps(self, subtask: Subtask) -> Generator[Decision, None, int]:
        if not subtask.steps:
            raise Unsure(f"How is this done? It has no steps that could be followed without a model: {subtask.text}")
        begin = _begin(subtask)
        self._situation.targets = [step.target.primary for step in subtask.steps]
        for at, step in enumerate(subtask.steps[begin:], begin):
            yield from self._marked(self._step(step), at)
        return len(subtask.steps) - begin

    def _lines(self, plan: tuple[Step, ...], begin: int) -> Generator[Decision, None, int]:
        """A task's plan from a line on. Whatever stops it is asked about the line that it stopped at."""
        if not plan:
            raise Unsure(NO_PLAN)
        self._situation.targets = [line.target.primary for line in plan]
        for line in plan[begin:]:
            if not line.is_known:
                raise Unsure(line.asked or blocked_question(line.i + 1, line.text, line.doubt or _NOT_UNDERSTOOD))
            step = self._filled(line)
            unknown = places(step.action_value or "") - self._situation.briefing.parameters.keys()
            if unknown and not step.is_literal:
                names = ", ".join(f"{{{name}}}" for name in sorted(unknown))
                raise Unsure(blocked_question(line.i + 1, line.text, f"no value is known for {names}"))
            try:
                yield from self._marked(self._step(step), line.i)
            except (Impossible, Unsure) as obstacle:
                raise Unsure(_question(line, obstacle)) from None
        return len(plan) - begin

    def _filled(self, step: Step) -> Step:
        """With what earlier lines have noted."""
        part = PlannedSubtask(subtask_i=0, text="", steps=(step,))
        return fill_subtask(part, self._extracts).steps[0]

    def _step(self, step: Step) -> Generator[Decision, None, None]:
        for _ in range(_TRIES):
            try:
                yield from carry_out(self._situation, step)
            except Disturbed:
                continue
            return
        raise Impossible(f'"{step.intent}" was given up: the user was at work on the same screen.')

    def _marked(self, decisions: Generator[Decision, None, None], step: int) -> Generator[Decision, None, None]:
        """The decisions, each marked as that step's, with the name that a program tells of what is clicked."""
        for each in decisions:
            places = [one.move.at for one in each.proposals if isinstance(one.move, Click) and one.move.at is not None]
            target = name_at(places[0], self._situation.view) if places else ""
            yield each.model_copy(update={"step": step, "target": target})

    def _doubts(self) -> list[str]:
        """What of this subtask is not certain."""
        doubts, self._situation.doubts = self._situation.doubts, []
        return ["In doubt:", *doubts] if doubts else []

    def _is_met(self, subtask: Subtask) -> bool | None:
        found = check(subtask.expected_outcome, self._situation.view.lines)
        return True if found.verdict == "pass" else None


def _question(line: Step, obstacle: Impossible | Unsure) -> str:
    """What is asked about a line of the plan that could not be carried out, with what it may be now."""
    is_asked = isinstance(obstacle, Unsure)
    reason = (obstacle.reason if is_asked else str(obstacle)).removeprefix(f'To "{line.intent}", ')
    if is_asked and obstacle.instead:
        reason = looks_like(reason, [line.text.replace(line.target.primary, obstacle.instead)])
    return blocked_question(line.i + 1, line.text, reason)


def _describe_completion(count: int) -> str:
    return f"Its {count} steps were done." if count > 1 else "Its step was done."


def _begin(subtask: Subtask) -> int:
    """The first step, or line of the plan, that is not done yet."""
    if subtask.resumed is None:
        return 0
    if subtask.resumed.steps is None:
        raise Unsure(f"How does this go on? It is not known which of its steps are done. {subtask.resumed.explanation}")
    return subtask.resumed.steps
