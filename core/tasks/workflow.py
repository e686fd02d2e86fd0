"""A task as a workflow: one subtask whose way a decider finds, or, where its plan is understood whole, step by step."""

import re
from collections.abc import Sequence
from typing import Final

from core.errors import InvalidRequest
from core.plans.phrasing import quoted
from core.steps import Step
from core.tasks.effects import effects_of
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.parameters import Template, parametrised
from core.tasks.plan import NO_PLAN, plan_of
from core.tasks.questions import QuestionState, question_words
from core.workflows.reading import read_workflow, write_workflow
from core.workflows.workflow import Plan, PlannedSubtask, Workflow


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
        effects=effects_of(heartbeat),
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


def asks_what_shows(question: str) -> bool:
    """Whether the answer to a question is the text that shows that the task was done."""
    return _WHAT_SHOWS.search(question) is not None


_WHAT_SHOWS: Final = re.compile(
    r"which text on the screen shows (?:it|that it is done|in the end that the task was done)\?", re.IGNORECASE
)


def _success_criteria(heartbeat: Heartbeat, items: Sequence[str]) -> str:
    """The criteria as sentences, or what a person has said instead, quoting a text, when they were not seen."""
    named = "\n".join(each if each.endswith((".", "!", "?")) else f"{each}." for each in items)
    asked = {question_words(unseen_question(named)), question_words(unconfirmed_question(named))}
    for question in reversed(heartbeat.questions):
        if question.state is QuestionState.ANSWERED and question.answer and question_words(question.text) in asked:
            said = quoted(question.answer)
            return question.answer if said is not None and said.texts else named
    return named


_FIRST: Final = "The desktop, with nothing of the workflow done yet."
_NEXT: Final = "As the step before has left it."
_DONE: Final = "What the step did is done."
_MOST_NAMED: Final = 5


def compiled(heartbeat: Heartbeat) -> Workflow:
    """The workflow: one subtask with a step for each line of the plan, and a parameter for each value.

    What was typed is the parameter's default; what the recording hid is sensitive and has none.

    Raises:
        InvalidRequest: the plan is empty, a line of it is not understood (the message names which), or a parameter is
            used by no step.
        InvalidWorkflow: the document breaks a rule of ``schema.json``, e.g. by its number of steps.

    """
    template = parametrised(heartbeat)
    lines = plan_of(template.heartbeat)
    if not lines:
        raise InvalidRequest(f"The task has no plan to make a workflow of. {NO_PLAN}")
    steps = [line for line in lines if line.is_known]
    if len(steps) < len(lines):
        raise _unclear([line for line, made in zip(template.lines, lines, strict=True) if not made.is_known])
    if template.faults:
        raise InvalidRequest(template.faults[0], faults="\n".join(template.faults))
    bare = as_workflow(template)
    subtask = PlannedSubtask(
        subtask_i=0,
        text=bare.plan.subtasks[0].text,
        steps=tuple(_whole(step, at) for at, step in enumerate(steps)),
    )
    described = "\n".join(f"{line.i + 1}. {line.text}" for line in lines)
    workflow = bare.model_copy(
        update={"detailed_task_description": described, "plan": Plan(subtasks=(subtask,))}, deep=True
    )
    # Never return a document that our own reader would refuse.
    return read_workflow(write_workflow(workflow))


def _whole(step: Step, at: int) -> Step:
    """The step with what the format wants of each one and a sentence does not say."""
    return step.model_copy(
        update={
            "i": at,
            "expected_current_state": _NEXT if at else _FIRST,
            "post_action": step.post_action[:2] or (_DONE,),
        }
    )


def _unclear(lines: Sequence[Step]) -> InvalidRequest:
    named = ", ".join(str(line.i + 1) for line in lines[:_MOST_NAMED])
    more = f" and {len(lines) - _MOST_NAMED} more" if len(lines) > _MOST_NAMED else ""
    many = "s" if len(lines) > 1 else ""
    return InvalidRequest(
        f"Step{many} {named}{more} of the plan {'are' if many else 'is'} not understood, and a workflow has nobody to "
        'ask: answer the task\'s questions, or write the line in plain words such as: Click "Save".',
        steps=named,
    )
