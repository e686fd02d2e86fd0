"""A task's plan: each line one sentence, which people read and write, and which is a step where it is understood.

``sentence`` and ``read_step`` are two ways of one grammar: what is written is read back as the same step. A line that
says more than a step can hold ("if", "each", "and then") is not understood, and nothing of it is done.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from core.key_names import parse_keys
from core.plans.grammar import (
    BROWSER,
    CHOSEN,
    FOCUS,
    PAGE,
    TICKED,
    UNTICKED,
    StepParts,
    read,
)
from core.plans.phrasing import DROPDOWN, FIRST, MARK, QUOTE, RADIO, quote, quoted
from core.tasks.heartbeat_sections import task_fields
from core.tasks.questions import QuestionState, question_words
from core.text import one_line
from core.workflows.workflow import LITERAL, PLACE, Step, Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.tasks.heartbeat import Heartbeat
    from core.tasks.questions import Question

PLAN: Final = "SuggestedPlan"
NO_PLAN: Final = (
    "How is this task done, step by step? Its plan is empty; the answer may be the plan, an instruction a line."
)
"""What is asked about a task without a plan."""
_INTENT: Final = 200
_SHOWN_LINE: Final = 800
_SHOWN_REASON: Final = 900
_MOST_CHANGES: Final = 20
"""So often an instruction may be replaced by an answer, and that one by another."""
_WHAT_INSTEAD: Final = "What is to be done instead?"
_WEB: Final = re.compile(r"(?:https?://|file:///)\S+", re.IGNORECASE)
_WHAT_VALUE: Final = re.compile(r"What is \{([a-zA-Z0-9_]+)\}\?\Z")
_STEP: Final = re.compile(r"Step (\d{1,6}), (.*)", re.DOTALL)
_SKIP: Final = re.compile(
    r"(?:please )?(?:skip|leave|drop|omit|remove)(?: (?:it|this|that|this step|that step|the step|this line))?(?: out)?"
    r"|nothing|not needed|it is not needed(?: any ?more)?",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(r"(?<=[.;!])\s+|,?\s+and then\s+|,\s+then\s+", re.IGNORECASE)
_CLICKS: Final = {
    "CLICK": "Click",
    "DOUBLE_CLICK": "Double-click",
    "RIGHT_CLICK": "Right-click",
    "MIDDLE_CLICK": "Middle-click",
}
_MARKED: Final = {TICKED: ("Tick", MARK), UNTICKED: ("Untick", MARK), CHOSEN: ("Choose", RADIO)}
_LARGE: Final = {"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift", "meta": "Super"}


class PlanLine(NamedTuple):
    """One instruction of a plan."""

    number: int
    """Of the plan's step, from 1; instructions that an answer put in its place keep it."""
    text: str
    step: Step | None
    """``None`` if it is not understood."""
    why: str = ""
    """Why it is not, in a clause, when an answer was no instruction; else empty."""
    asked: str = ""
    """The open question about it, if there is one."""


def make_step(parts: StepParts) -> Step:
    """The step of what a sentence says."""
    step = Step(
        i=0,
        expected_current_state="",
        intent="",
        action_type=parts.action,
        action_value=parts.value,
        target=Target(primary=parts.target),
        post_action=parts.post,
        variable_name=parts.value if parts.action == "EXTRACT" else None,
        additional_args=dict(parts.args),
    )
    return step.model_copy(update={"intent": _sentence(step)[0][:_INTENT]})


def sentence(step: Step) -> str:
    """A step in one plain sentence, and behind it what is to be seen then.

    What a step of a workflow has besides (its number, intent, fallback, anchor, and a post-action that quotes nothing)
    is not in it.
    """
    said, reported = _sentence(step)
    posts = [post for post in step.post_action if post not in reported and _quotes(post)]
    return " ".join([f"{said}.", *(f"Then {' '.join(post.split()).rstrip('.')}." for post in posts)])


def read_step(line: str) -> Step | None:
    """The step that a line of a plan says; ``None`` if any part of it is not understood."""
    parts = read(line)
    return make_step(parts) if parts is not None else None


def instructions(text: str) -> tuple[Step, ...] | None:
    """The steps that a text of one or several sentences or lines says; ``None`` if one of them is not understood."""
    found: list[Step] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        steps = _of_line(line)
        if steps is None:
            return None
        found += steps
    return tuple(found) or None


def blocked_question(number: int, line: str, reason: str) -> str:
    """What is asked when an instruction cannot be followed. Its answer may be what is to be done instead.

    Args:
        number: of the plan's step, from 1.
        line: the instruction as the plan has it.
        reason: why, in a sentence; may quote what the screen says.

    """
    why = one_line(reason)
    why = why if len(why) <= _SHOWN_REASON else f"{why[: _SHOWN_REASON - 1]}…"
    why = why if why.endswith((".", "?", "!", "…")) else f"{why}."
    return f"Step {number}, {_named(line)}: {why} {_WHAT_INSTEAD}"


def asked_about(question: str) -> tuple[int, str] | None:
    """The number and the words of the instruction that a ``blocked_question`` is about; ``None`` for another one.

    The reason in it may be put otherwise at each run, as it tells what the screen said.
    """
    match = _STEP.match(question)
    said = quoted(match[2]) if match is not None else None
    if match is None or said is None or not said.texts or said.skeleton[1:2] != ":":
        return None
    return int(match[1]), said.texts[0]


def asked_value(question: str) -> str:
    """The name of the place that a ``value_question`` asks about; empty for another question."""
    match = _WHAT_VALUE.search(question)
    return match[1] if match is not None and _STEP.match(question) is not None else ""


def is_about_plan(question: str) -> bool:
    """Whether the answer to a question says what is done: instead of an instruction, or for want of a plan."""
    return _STEP.match(question) is not None or question_words(question) == question_words(NO_PLAN)


def about_line(question: str, lines: Sequence[PlanLine]) -> str:
    """A question about the n-th of these lines as one about the instruction of the document that it comes from.

    What is carried out has its values filled in and its answers applied, so its numbers and words are others.
    """
    about = asked_about(question)
    match = _STEP.match(question)
    said = quoted(match[2]) if match is not None else None
    if about is None or said is None or not 0 < about[0] <= len(lines):
        return question
    line = lines[about[0] - 1]
    if line.asked:
        return line.asked
    rest = f"{line.why}. {_WHAT_INSTEAD}" if line.why else _restored(said.skeleton[2:], said.texts).strip()
    return f"Step {line.number}, {_named(line.text)}: {rest}"


def value_question(number: int, line: str, place: str, reason: str) -> str:
    """What is asked when a line's value is not known. Its answer may be the value, or what is to be done instead.

    Args:
        number: of the plan's step, from 1.
        line: the instruction as the plan has it, with ``{place}`` for the value.
        place: the name of the place.
        reason: why it is not known, in a sentence.

    """
    return f"Step {number}, {_named(line)}: {' '.join(reason.split())} What is {{{place}}}?"


def plan_of(heartbeat: Heartbeat) -> tuple[PlanLine, ...]:
    """The instructions of a task's plan, with what the answers to ``blocked_question`` changed in them.

    An answer that says other instructions takes the line's place, "skip" takes it out; with any other answer the line
    is not understood, for it could not be followed as it stands.
    """
    field = task_fields(heartbeat).get(PLAN)
    answered = [each for each in heartbeat.questions if each.state is QuestionState.ANSWERED and each.answer]
    lines = list(field.items) if field is not None else _describe_answers(answered)
    counts = [_plain(line) for line in lines]
    found = [
        each
        for number, line in enumerate(lines, 1)
        for each in _amended(number, line, answered, is_only=counts.count(_plain(line)) == 1)
    ]
    waiting = heartbeat.open_questions
    return tuple(each if each.step is not None else _waiting(each, waiting) for each in found)


def _waiting(line: PlanLine, waiting: Sequence[Question]) -> PlanLine:
    asked = _asked_about(line.number, line.text, waiting, is_only=False)
    return line if asked is None else line._replace(asked=asked.text)


def _describe_answers(answered: Sequence[Question]) -> list[str]:
    """The plan of a task that has none, as it was answered."""
    answers = [each.answer for each in answered if question_words(each.text) == question_words(NO_PLAN)]
    return [line.strip() for line in (answers[-1] or "").splitlines() if line.strip()] if answers else []


def _amended(
    number: int, line: str, answered: Sequence[Question], *, is_only: bool, depth: int = _MOST_CHANGES
) -> Iterator[PlanLine]:
    question = _asked_about(number, line, answered, is_only=is_only)
    if question is None or question.answer is None:
        yield PlanLine(number, line, read_step(line))
        return
    answer = question.answer.strip()
    if _SKIP.fullmatch(answer.rstrip(" .!")):
        return
    steps = instructions(answer) or _with_value(line, question.text, answer) or _address(answer)
    if steps is None or not depth:
        shown = " ".join(answer.split())[:_INTENT]
        yield PlanLine(number, line, None, f"the answer {quote(shown)} is no instruction that is understood")
        return
    others = [each for each in answered if each is not question]
    for step in steps:
        yield from _amended(number, sentence(step), others, is_only=False, depth=depth - 1)


def _with_value(line: str, question: str, answer: str) -> tuple[Step, ...] | None:
    """The line with its place filled, if that was asked."""
    asked, step = _WHAT_VALUE.search(question), read_step(line)
    if asked is None or step is None or step.action_value != f"{{{asked[1]}}}" or "\n" in answer:
        return None
    said = quoted(answer)
    value = said.texts[0] if said is not None and re.fullmatch(rf"{QUOTE}\.?", said.skeleton) else answer
    args = {**step.additional_args, **({LITERAL: True} if PLACE.search(value) else {})}
    return (make_step(StepParts(step.action_type, step.target.primary, value, step.post_action, args)),)


def _address(answer: str) -> tuple[Step, ...] | None:
    """What an address and nothing else means."""
    return (make_step(StepParts("OPEN_URL", BROWSER, answer)),) if _WEB.fullmatch(answer) else None


def questions_about(line: PlanLine, questions: Sequence[Question]) -> list[Question]:
    """Those of these questions that are about an instruction, by its number and its words."""
    return [each for asked, each in _about(line.text, questions) if asked == line.number]


def _asked_about(number: int, line: str, answered: Sequence[Question], *, is_only: bool) -> Question | None:
    """The last answered question about an instruction; by its words alone where its number has changed meanwhile."""
    found = _about(line, answered)
    own = [each for asked, each in found if asked == number] or [each for _, each in found if is_only]
    return own[-1] if own else None


def _about(line: str, questions: Sequence[Question]) -> list[tuple[int, Question]]:
    """The questions about an instruction of these words, each with its number."""
    named = f"{_plain(_named(line))}: "
    return [
        (int(match[1]), each)
        for each in questions
        if (match := _STEP.match(each.text)) is not None and match[2].startswith(named)
    ]


def _named(line: str) -> str:
    plain = _plain(line)
    return quote(plain if len(plain) <= _SHOWN_LINE else f"{plain[: _SHOWN_LINE - 1]}…")


def _plain(text: str) -> str:
    """As a question has it, in which blank space is one blank."""
    return " ".join(text.split())


def _of_line(line: str) -> list[Step] | None:
    whole = read_step(line)
    if whole is not None:
        return [whole]
    said = quoted(line)
    pieces = [piece for piece in _NEXT.split(said.skeleton) if piece.strip()] if said is not None else []
    found: list[Step] = []
    at = 0
    while said is not None and at < len(pieces):
        # A sentence of what is to be seen belongs to the one before it, so the longest that is understood is taken.
        for end in range(len(pieces), at, -1):
            step = read_step(" ".join(_restored(piece, said.texts) for piece in pieces[at:end]))
            if step is not None:
                found.append(step)
                at = end
                break
        else:
            return None
    return found or None


def _restored(piece: str, texts: Sequence[str]) -> str:
    return re.sub(QUOTE, lambda found: quote(texts[ord(found.group()) - FIRST]), piece)


def _sentence(step: Step) -> tuple[str, Sequence[str]]:
    """The sentence without its full stop, and the post-actions that it says itself."""
    target = " ".join(step.target.primary.split())
    if step.action_type in _CLICKS:
        for post, (verb, noun) in _MARKED.items():
            if step.action_type == "CLICK" and post in step.post_action and _is(target, noun):
                return f"{verb} {target}", (post,)
        return f"{_CLICKS[step.action_type]} {target}", ()
    match step.action_type:
        case "TYPE":
            said = _typing(step, target)
        case "KEYPRESS":
            said = f"Press {_keys(step.action_value or '')}{_times(step.additional_args.get('repeat'))}"
        case "SCROLL":
            said = _scrolling(step, target)
        case "DRAG":
            said = f"Drag {target} to {' '.join(str(step.additional_args.get('to', '')).split())}"
        case "EXTRACT":
            query = " ".join(str(step.additional_args.get("extract_query") or step.intent).split())
            said = f"Note {query} as {{{step.variable_name or step.action_value}}}"
        case "OPEN_APP":
            said = f"Open the application {quote(step.action_value or '')}{_arguments(step)}"
        case _:
            said = f"Open {quote(step.action_value or '')} in the browser"
    return said, ()


def _arguments(step: Step) -> str:
    arguments = step.additional_args.get("arguments")
    if not isinstance(arguments, list) or not arguments:
        return ""
    return f" with {', '.join(quote(str(each)) for each in cast('list[Any]', arguments))}"


def _typing(step: Step, target: str) -> str:
    value = step.action_value or ""
    exactly = " exactly" if step.additional_args.get(LITERAL) is True and PLACE.search(value) else ""
    clear = step.additional_args.get("clear")
    if target == FOCUS:
        return f"Type{exactly} {quote(value)}"
    if _is(target, DROPDOWN):
        return f"Choose{exactly} {quote(value)} in {target}"
    if clear is True:
        return f"Replace the text in {target} with{exactly} {quote(value)}"
    if clear is False:
        return f"Add{exactly} {quote(value)} to {target}"
    return f"Type{exactly} {quote(value)} into {target}" if value else f"Clear {target}"


def _scrolling(step: Step, target: str) -> str:
    direction, notches = step.additional_args.get("direction"), step.additional_args.get("notches")
    if direction is None and notches is None:
        return f"Scroll to {target}"
    count = abs(notches) if isinstance(notches, int) else 0
    is_back = isinstance(notches, int) and notches < 0
    by = f" by {count} notch{'es' if count > 1 else ''}" if count else ""
    return f"Scroll {direction or ('up' if is_back else 'down')}{by}{'' if target == PAGE else f' in {target}'}"


def _keys(text: str) -> str:
    try:
        keys = parse_keys(text)
    except ValueError:
        return f"the {quote(text)} key"
    are_words = all(len(key) > 1 or (key.isascii() and key.isalnum()) for key in keys)
    if are_words and any(len(key) > 1 for key in keys):
        return "+".join(_LARGE.get(key) or key.replace("_", " ").title() for key in keys)
    return f"the {quote('+'.join(keys))} key"


def _times(repeat: object) -> str:
    return {2: " twice"}.get(repeat, f" {repeat} times") if isinstance(repeat, int) and repeat > 1 else ""


def _is(target: str, noun: str) -> bool:
    said = quoted(target)
    return re.search(rf"\b(?:{noun})\b", said.skeleton if said is not None else target, re.IGNORECASE) is not None


def _quotes(post: str) -> bool:
    said = quoted(post)
    return said is not None and bool(said.texts)
