"""A task's document with the answers about its plan applied to the plan, so that nothing has two sources."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.tasks.fields import field_name, task_fields
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import Edit, edited, joined, lines_of
from core.tasks.plan import PLAN, is_about_plan, plan_of
from core.tasks.questions import QuestionState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.tasks.plan import PlanLine

_BULLET: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LABEL: Final = re.compile(r"(?:\*\*)?([A-Za-z][A-Za-z ]*?)(?:\*\*)?:(?:\*\*)?[ \t]*")


def with_answers_applied(heartbeat: Heartbeat) -> tuple[Heartbeat, tuple[PlanLine, ...]]:
    """The document whose plan says what ``plan_of`` makes of it, and the lines as ``plan_of`` gives them.

    The questions whose answers are in the plan by then are stale. A line whose answer is no instruction has the reason
    before it, by which it stays one that is not understood: as it stands it could not be followed.
    """
    lines = plan_of(heartbeat)
    applied = [
        each.id
        for each in heartbeat.questions
        if each.state is QuestionState.ANSWERED and each.answer and is_about_plan(each.text)
    ]
    if not applied:
        return heartbeat, lines
    document = with_plan(
        heartbeat, [f"Unclear, because {line.why}: {line.text}" if line.why else line.text for line in lines]
    )
    return document.stale(*applied), lines


def with_plan(heartbeat: Heartbeat, texts: Sequence[str]) -> Heartbeat:
    """The document with these instructions as its plan; one that says the same stays as it is written."""
    field = task_fields(heartbeat).get(PLAN)
    if field is None:
        numbered = [f"{number}. {text}" for number, text in enumerate(texts, 1)]
        return heartbeat.with_task_lines([f"{PLAN}:", *numbered]) if texts else heartbeat
    if tuple(texts) == field.items:
        return heartbeat
    lines = lines_of(heartbeat.text)
    if len(texts) == len(field.items):
        edits = [
            Edit(span.start, span.stop, [_marker(lines[span.start].text) + text])
            for span, text, item in zip(field.spans, texts, field.items, strict=True)
            if text != item
        ]
    else:
        first, last = field.spans[0], field.spans[-1]
        label = _label(lines[first.start].text).rstrip()
        numbered = [f"{number}. {text}" for number, text in enumerate(texts, 1)]
        edits = [Edit(first.start, last.stop, [label, *numbered] if label else numbered)]
    return Heartbeat(joined(edited(lines, edits)))


def plan_lines(heartbeat: Heartbeat) -> set[int]:
    """The indices of the lines that the plan's instructions stand in."""
    field = task_fields(heartbeat).get(PLAN)
    return {at for span in (field.spans if field is not None else ()) for at in span}


def _marker(line: str) -> str:
    """What stands before an item: its bullet or number, or the label of the part in the same line."""
    bullet = _BULLET.match(line)
    return bullet[0] if bullet is not None else _label(line)


def _label(line: str) -> str:
    """The label of the plan, where its first item stands in the same line."""
    found = _LABEL.match(line)
    return found[0] if found is not None and field_name(found[1]) == PLAN else ""
