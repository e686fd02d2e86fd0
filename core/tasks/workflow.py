"""A task in the shape that runs have: one subtask, whose way a decider finds in the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.plans.quotes import quoted
from core.tasks.fields import task_fields
from core.tasks.questions import QuestionState, question_words
from core.workflows.workflow import Plan, PlannedSubtask, Workflow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.tasks.heartbeat import Heartbeat
    from core.tasks.parameters import Template


def as_workflow(template: Template) -> Workflow:
    """The task; its document is the detailed description, with places for its parameters."""
    heartbeat = template.heartbeat
    fields = task_fields(heartbeat)
    criteria = fields["SuccessCriteria"].items if "SuccessCriteria" in fields else ()
    goal = " ".join(fields["Goal"].items) if "Goal" in fields else ""
    subtask = PlannedSubtask(subtask_i=0, text=goal or heartbeat.title)
    return Workflow(
        task_name=heartbeat.title,
        task_description_user=goal,
        detailed_task_description=heartbeat.text,
        task_params=template.parameters,
        success_criteria=_success_criteria(heartbeat, criteria),
        plan=Plan(subtasks=(subtask,)),
    )


def unseen_question(expected: str) -> str:
    """What a person is asked when it is said to be done, and ``expected`` is not seen; empty when nothing is named."""
    if not expected.strip():
        return "No success criteria are named: which text on the screen shows that it is done?"
    return f"This was not seen at the end: {expected} Was it done right, and which text on the screen shows it?"


def unconfirmed_question(expected: str) -> str:
    """What a person is asked when it is said to be done, and ``expected`` cannot tell whether it was."""
    return f"This cannot confirm that it was done: {expected} Was it done right, and which text on the screen shows it?"


def _success_criteria(heartbeat: Heartbeat, items: Sequence[str]) -> str:
    """The criteria as sentences, or what a person has said instead, quoting a text, when they were not seen."""
    named = "\n".join(each if each.endswith((".", "!", "?")) else f"{each}." for each in items)
    asked = {question_words(unseen_question(named)), question_words(unconfirmed_question(named))}
    for question in reversed(heartbeat.questions):
        if question.state is QuestionState.ANSWERED and question.answer and question_words(question.text) in asked:
            said = quoted(question.answer)
            return question.answer if said is not None and said.texts else named
    return named
