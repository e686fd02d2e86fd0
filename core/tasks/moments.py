"""A task beside the film that it was learned from: when each step of the plan was shown, and what a question is about.

``Evidence`` tells the times, as ``[mm:ss-mm:ss] Step 3: …`` or ``[mm:ss-mm:ss] …``. A step is found there by its words,
which stay when it is moved; by its number where its words were changed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from core.errors import InvalidRequest
from core.plans.phrasing import without_asides
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import Edit, edited, joined, lines_of, task_fields
from core.tasks.plan import PLAN, asked_about, asked_value, proposed, proposed_instead
from core.tasks.questions import Question
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_STEPS: Final = 500
_EVIDENCE: Final = re.compile(
    r"\[(?P<from>\d{1,4}:[0-5]\d)(?:\s*[-\u2013]\s*(?P<until>\d{1,4}:[0-5]\d))?\]\s*"
    r"(?:Step (?P<number>\d{1,6})\b[^:\"“]*:\s*)?(?P<said>.*)",
    re.IGNORECASE | re.DOTALL,
)
_INFERRED: Final = re.compile(r"\s*\(inferred\)[\s.]*\Z", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"]*"|“[^”]*”')
_WHEN: Final = re.compile(r"\b(?:at|from) (\d{2,4}:[0-5]\d)\b")
_YES_OR_NO: Final = re.compile(
    r"(?:^|[.:;,?] )(?:is|are|was|were|does|do|did|shall|should|can|may|will|has|have) "
    r"(?![^?]* (?:or|and which) )[^?]*\?",
    re.IGNORECASE,
)
_LOOKS_LIKE: Final = re.compile(r'looks like "([^"]+)"(?:, and a moment later like "([^"]+)")?')
_NEWER: Final = re.compile(r'The newer recording says "([^"]+)" to: .* Which answer holds\?', re.DOTALL)
_OPENS: Final = re.compile(r"open\b", re.IGNORECASE)
_YES_NO: Final = ("Yes.", "No.")


class PlanStep(Value):
    """A step of the plan, and when the film shows it."""

    number: int
    text: str
    """Without the mark that it was inferred."""
    inferred: bool = False
    t_ms: int | None = None
    until_ms: int | None = None


class AskedQuestion(Question):
    """A question, with what helps to answer it."""

    short: str
    """Without what it says in parentheses."""
    details: str
    """What it says there."""
    t_ms: int | None = None
    """Where the film shows what it is about."""
    proposed: tuple[str, ...] = ()
    """Answers that may be right."""


def plan_steps(heartbeat: Heartbeat) -> tuple[PlanStep, ...]:
    """The plan as the document has it; a step that no evidence is about has no time."""
    fields = task_fields(heartbeat)
    plan, evidence = fields.get(PLAN), fields.get("Evidence")
    lines = [_INFERRED.sub("", item) for item in plan.items] if plan else []
    seen = [found for item in (evidence.items if evidence else ()) if (found := _EVIDENCE.match(item))]
    by_words = {_words(found["said"]): found for found in reversed(seen)}
    known = {_words(line) for line in lines}
    by_number = {
        int(found["number"]): found for found in seen if found["number"] and _words(found["said"]) not in known
    }
    steps: list[PlanStep] = []
    for number, line in enumerate(lines, 1):
        found = by_words.get(_words(line)) or by_number.get(number)
        times: dict[str, int] = {}
        if found is not None:
            times = {"t_ms": _ms(found["from"]), "until_ms": _ms(found["until"] or found["from"])}
        elif number == 1 and seen:
            times = {"t_ms": 0, "until_ms": 0}
        inferred = plan is not None and plan.items[number - 1] != line
        steps.append(PlanStep.model_validate({"number": number, "text": line, "inferred": inferred, **times}))
    return tuple(steps)


def with_plan(heartbeat: Heartbeat, steps: Sequence[str]) -> Heartbeat:
    """The document with another plan; a line that stays keeps all of it, and no line but the plan's is touched.

    Raises ``InvalidRequest``: a step is blank, or would be read as something else than a line of the plan.
    """
    wanted = [" ".join(step.split()) for step in steps]
    if not all(wanted) or not wanted or len(wanted) > MAX_STEPS:
        raise InvalidRequest(f"A plan has 1 to {MAX_STEPS} steps, and each says what is to be done.")
    field = task_fields(heartbeat).get(PLAN)
    kept = {_INFERRED.sub("", item): item for item in (field.items if field else ())}
    items = [kept.get(step, step) for step in wanted]
    numbered = [f"{number}. {item}" for number, item in enumerate(items, 1)]
    if field is None:
        changed = heartbeat.with_task_lines([f"{PLAN}:", *numbered])
    else:
        lines = lines_of(heartbeat.text)
        first, last = field.spans[0].start, field.spans[-1].stop
        label = [f"{PLAN}:"] if lines[first].text == field.lines[0] else []
        changed = Heartbeat(joined(edited(lines, [Edit(first, last, [*label, *numbered])])))
    after = task_fields(changed)
    if after[PLAN].items != tuple(items) or _others(changed) != _others(heartbeat):
        raise InvalidRequest("This cannot stand in a plan: write each step as one plain sentence.")
    return changed


def with_moments(questions: Sequence[Question], steps: Sequence[PlanStep]) -> tuple[AskedQuestion, ...]:
    """The questions, each with its place in the film and with answers that may be right."""
    return tuple(_asked(each, steps) for each in questions)


def _asked(question: Question, steps: Sequence[PlanStep]) -> AskedQuestion:
    text = question.text
    short, details = without_asides(text)
    helping = {"short": short, "details": details, "t_ms": _moment(text, steps), "proposed": proposed_answers(text)}
    return AskedQuestion.model_validate(question.model_dump() | helping)


def proposed_answers(question: str) -> tuple[str, ...]:
    """Answers that the question itself names, or that are all there are."""
    newer = _NEWER.search(question)
    if newer is not None:
        return (newer[1],)
    if asked_value(question):
        read = _LOOKS_LIKE.search(question)
        return tuple(each for each in read.groups() if each) if read is not None else ()
    about = asked_about(question)
    if about is not None:
        agreed = ("Yes.", *proposed_instead(question)) if proposed(question) else ()
        # A task cannot do without what it begins in.
        return agreed if _OPENS.match(about[1]) else (*agreed, "skip")
    return _YES_NO if _YES_OR_NO.search(_QUOTED.sub("“”", question)) else ()


def _moment(question: str, steps: Sequence[PlanStep]) -> int | None:
    when = _WHEN.search(_QUOTED.sub("“”", question))
    if when is not None:
        return _ms(when[1])
    about = asked_about(question)
    if about is None:
        return None
    number, line = about
    same = [step for step in steps if _words(step.text) == _words(_INFERRED.sub("", line))]
    found = next((step for step in same if step.number == number), same[0] if same else None)
    return found.t_ms if found is not None else None


def _others(heartbeat: Heartbeat) -> tuple[object, ...]:
    """All that the plan is no part of."""
    fields = {name: field.items for name, field in task_fields(heartbeat).items() if name != PLAN}
    return fields, Counter(each.id for each in heartbeat.questions), heartbeat.section_names, heartbeat.title


def _words(text: str) -> str:
    return " ".join(_INFERRED.sub("", text).split()).rstrip(".").casefold()


def _ms(clock: str) -> int:
    minutes, seconds = clock.split(":")
    return (int(minutes) * 60 + int(seconds)) * 1000
