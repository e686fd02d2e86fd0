"""What a step expects of the screen, before it and after it: looked for, and waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.models.local.seeking import seek
from adapters.models.local.situation import Impossible
from core.runs.outcomes import check

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from adapters.models.local.situation import Situation
    from core.runs.deciding import Decision
    from core.runs.run import Check
    from core.screens import TextLine
    from core.workflows.workflow import Step


def expect_before(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    """Wait for the state that the step begins in, also where the screen was scrolled away from it.

    Only what is quoted can be seen. Raises ``Impossible`` when it is not there.
    """
    expected = step.expected_current_state
    if (yield from situation.wait_for(lambda: _met(situation, expected), seconds=situation.patience)):
        return
    told = _judged(situation, expected)
    if (yield from seek(situation, lambda: _met(situation, expected))):
        return
    raise Impossible(f'Before "{step.intent}" this was expected: {expected} But it is not so: {told.evidence}')


def expect_after(situation: Situation, step: Step, before: Sequence[TextLine]) -> Generator[Decision, None, None]:
    """Wait for what the step should have brought about. Raises ``Impossible`` when it does not come."""
    for expected in step.post_action:

        def met(expected: str = expected) -> Check | None:
            return _met(situation, expected, before)

        if not (yield from situation.wait_for(met, seconds=situation.patience)):
            told = _judged(situation, expected, before)
            raise Impossible(f'After "{step.intent}" this was expected: {expected} But it is not so: {told.evidence}')


def _met(situation: Situation, expected: str, before: Sequence[TextLine] | None = None) -> Check | None:
    """The check if it does not fail; what cannot be judged holds nobody up."""
    found = _judged(situation, expected, before)
    return None if found.verdict == "fail" else found


def _judged(situation: Situation, expected: str, before: Sequence[TextLine] | None = None) -> Check:
    return check(expected, _lines(situation), before)


def _lines(situation: Situation) -> Sequence[TextLine]:
    """What is read on the screen; in a field that was read exactly, that."""
    exact = situation.read_back
    if exact is None:
        return situation.view.lines
    return [*(line for line in situation.view.lines if not exact.box.contains(line.box.centre)), exact]
