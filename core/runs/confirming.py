"""What a run's end is confirmed by: the criteria on the screen, and the effects that were read besides it.

The screen is the acted program's own word. Where effects are named they decide: one that is not there makes the run a
failure whatever the screen says, and one that cannot be read leaves it unclear.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from core.runs.gate import RISKY_WORDS
from core.runs.outcomes import instruction
from core.runs.run import Check, RunOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.workflows.workflow import Workflow

_KEEPING_WORDS: Final = ("save", "store", "create", "add", "update", "book", "upload", "register", "apply")
_LASTING: Final = re.compile(rf"\b(?:{'|'.join((*RISKY_WORDS, *_KEEPING_WORDS))})\b", re.IGNORECASE)
_PLAN_LINE: Final = re.compile(r"^\s*\d{1,9}[.)]\s.*$", re.MULTILINE)
_POINTED: Final = frozenset({"CLICK", "DOUBLE_CLICK"})


class Confirmation(NamedTuple):
    """How a run that came to its end ended."""

    outcome: RunOutcome
    by: Literal["", "effect", "screen"]
    reason: str


def confirmed(criteria: Check | None, effects: Sequence[Check]) -> Confirmation:
    """The outcome of a run that is said to be done."""
    missing = next((each for each in effects if each.verdict == "fail"), None)
    if missing is not None:
        reason = f"All is said to be done, but the effect is another one: {missing.evidence}"
        return Confirmation(RunOutcome.FAILED, "", reason)
    unread = next((each for each in effects if each.verdict == "unclear"), None)
    if unread is not None:
        reason = f"All is said to be done, but its effect cannot be confirmed: {unread.evidence}"
        return Confirmation(RunOutcome.UNCLEAR, "", reason)
    if effects and criteria is not None and criteria.verdict == "fail":
        reason = f"The effect is there, but success was to look otherwise on the screen: {criteria.evidence}"
        return Confirmation(RunOutcome.UNCLEAR, "", reason)
    if effects:
        return Confirmation(RunOutcome.SUCCEEDED, "effect", "")
    if criteria is not None and criteria.verdict == "pass":
        return Confirmation(RunOutcome.SUCCEEDED, "screen", "")
    text = criteria.evidence if criteria is not None else "No success criteria are named."
    return Confirmation(RunOutcome.UNCLEAR, "", f"All is done, but success cannot be confirmed: {text}")


def caution_of(workflow: Workflow) -> str:
    """What is said of a success that the screen alone confirmed; empty where nothing seems to be kept or sent."""
    found = next((word[0] for text in _doing(workflow) for word in [_LASTING.search(text)] if word), "")
    if not found:
        return ""
    return (
        f"The screen alone confirmed this: whether “{found.lower()}” left anything behind was not checked. Say under "
        "Effects what it leaves and where that can be read, and the next run checks it."
    )


def _doing(workflow: Workflow) -> Iterator[str]:
    """The texts that say what is done."""
    for subtask in workflow.plan.subtasks:
        for step in subtask.steps:
            if step.action_type in _POINTED:
                yield step.target.primary
            elif step.action_type == "KEYPRESS" and (step.action_value or "").casefold() in {"ctrl+s", "cmd+s"}:
                yield "save"
        if not subtask.steps:
            yield instruction(subtask.text)
            yield from _PLAN_LINE.findall(workflow.detailed_task_description)
