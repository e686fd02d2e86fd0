"""Two accounts of one task, step by step: what differs is a value, what only one of them tells is asked.

The steps of two films of the same task are laid beside each other without the values that they type. A line that one
of them could not tell is told by the other.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from core.plans.grammar import read_step
from core.plans.step_sentences import sentence
from core.tasks.heartbeat_sections import task_fields
from core.tasks.parameters import with_plan
from core.tasks.plan import PLAN, blocked_question, is_about_plan, looks_like, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.tasks.heartbeat import Heartbeat

UNKNOWN: Final = "(see the questions)"
"""What learning writes behind a line that it could not tell."""
_MOST: Final = 3
_ALIKE: Final = 0.5
"""Of the lines of two plans of one task, more than so many are the same."""
_ONE: Final = "only one of the recordings shows it"
_MORE: Final = "another recording shows one more step"


def aligned(document: Heartbeat, learned: Heartbeat) -> tuple[Heartbeat, Sequence[str]] | None:
    """The document with what the newer account tells of its plan, and what is to be asked.

    ``None`` where a line of either is not ours to compare, or they have too little in common to be one way.
    """
    fields = (task_fields(document).get(PLAN), task_fields(learned).get(PLAN))
    if fields[0] is None or fields[1] is None:
        return None
    lines, news = list(fields[0].items), list(fields[1].items)
    olds, others = [_shape(line) for line in lines], [_shape(line) for line in news]
    if None in olds or None in others:
        return None
    matcher = SequenceMatcher(None, olds, others, autojunk=False)
    known = min(sum(each != UNKNOWN for each in shapes) for shapes in (olds, others))
    same = sum(block.size for block in matcher.get_matching_blocks())
    if same <= _ALIKE * known:
        return None
    plan: list[str] = []
    asked: list[tuple[int, str, str, list[str]]] = []
    for what, start, end, first, last in matcher.get_opcodes():
        own, other = lines[start:end], news[first:last]
        mine, theirs = [_is_clear(line) for line in own], [_is_clear(line) for line in other]
        if what == "replace" and not any(mine) and all(theirs):
            plan += other
            continue
        for line in own:
            plan.append(line)
            if what != "equal" and _is_clear(line) and all(theirs):
                asked.append((len(plan), line, _ONE, [line]))
        clear = [line for line in other if _is_clear(line)]
        if what != "equal" and clear and all(mine) and plan:
            asked.append((len(plan), plan[-1], _MORE, [plan[-1], *clear]))
    questions = [
        blocked_question(number, line, looks_like(why, [_said(each) for each in lines]))
        for number, line, why, lines in asked
    ]
    changed = with_plan(document, plan)
    gone = [each.id for each in changed.open_questions if is_about_plan(each.text) and place_of(changed, each) is None]
    return changed.stale(*gone), questions[:_MOST]


def _is_clear(line: str) -> bool:
    return UNKNOWN not in line


def _said(line: str) -> str:
    step = read_step(line)
    return sentence(step) if step is not None else line


def _shape(line: str) -> str | None:
    """A line without the value that it types; ``None`` for one that is not understood."""
    if not _is_clear(line):
        return UNKNOWN
    step = read_step(line)
    if step is None:
        return None
    value = "" if step.action_type == "TYPE" else step.action_value
    return sentence(step.model_copy(update={"action_value": value, "post_action": (), "additional_args": {}}))
