"""A task's plan: each line one sentence, which people read and write, and which is a step where it is understood.

``sentence`` and ``read_step`` are two ways of one grammar: what is written is read back as the same step. A line that
says more than a step can hold ("if", "each", "and then") is not understood, and nothing of it is done.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.plans.grammar import read_step
from core.plans.phrasing import QUOTE, quote, quoted, restored
from core.plans.step_sentences import sentence
from core.steps import BROWSER, Step
from core.tasks.heartbeat_sections import task_fields
from core.tasks.questions import Question, QuestionState, question_words
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.tasks.heartbeat import Heartbeat

PLAN: Final = "SuggestedPlan"
NO_PLAN: Final = (
    "How is this task done, step by step? Its plan is empty; the answer may be the plan, an instruction a line."
)
"""What is asked about a task without a plan."""
_SHOWN_ANSWER: Final = 200
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
_LOOKS: Final = ". It looks like: "
_OR: Final = " Or: "
_LONGEST_LOOK: Final = 500
_AGREED: Final = re.compile(
    r"y|ok|okay|right|correct|exactly|yes(?:,? (?:it is|it does|please|exactly|that is right))?", re.IGNORECASE
)
_NEXT: Final = re.compile(r"(?<=[.;!])\s+|,?\s+and then\s+|,\s+then\s+", re.IGNORECASE)


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
        reason: why, in a sentence; may quote what the screen says, and may end with a question of its own.

    """
    why = one_line(reason)
    why = why if len(why) <= _SHOWN_REASON else f"{why[: _SHOWN_REASON - 1]}…"
    why = why if why.endswith((".", "?", "!", "…")) else f"{why}."
    return f"Step {number}, {_named(line)}: {why}{'' if why.endswith('?') else f' {_WHAT_INSTEAD}'}"


def looks_like(reason: str, lines: Sequence[str], others: Sequence[str] = ()) -> str:
    """The reason of a ``blocked_question`` with the instructions that it looks like, to which "yes" is an answer.

    ``others`` are instructions that may be right instead: each is an answer as it stands.
    """
    said = " ".join(lines)
    more = "".join(f"{_OR}{other}" for other in others)
    return f"{reason}{_LOOKS}{said}{more}" if said and len(said) + len(more) <= _LONGEST_LOOK else reason


def proposed(question: str) -> str:
    """The instructions that ``looks_like`` put into a question; empty if there are none. What it quotes is no part."""
    return _proposals(question)[0]


def proposed_instead(question: str) -> tuple[str, ...]:
    """The other instructions that it put there, each an answer by itself."""
    return tuple(_proposals(question)[1:])


def _proposals(question: str) -> list[str]:
    said = quoted(question)
    if said is None or _STEP.match(question) is None:
        return [""]
    _, _, rest = said.skeleton.partition(_LOOKS)
    return [restored(each, said.texts) for each in rest.removesuffix(f" {_WHAT_INSTEAD}").split(_OR)]


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


def about_line(question: str, lines: Sequence[Step]) -> str:
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
    rest = f"{line.doubt}. {_WHAT_INSTEAD}" if line.doubt else restored(said.skeleton[2:], said.texts).strip()
    if (filled := proposed(question)) and not line.doubt:
        # What is proposed has the values of one run: the line keeps its own.
        named = [step.target.primary for step in instructions(filled) or ()]
        own = line.text.replace(line.target.primary, named[0]) if len(named) == 1 else ""
        rest = rest.replace(f"{_LOOKS}{filled}", f"{_LOOKS}{own}" if own else ".")
    return f"Step {line.i + 1}, {_named(line.text)}: {rest}"


def value_question(number: int, line: str, place: str, reason: str) -> str:
    """What is asked when a line's value is not known. Its answer may be the value, or what is to be done instead.

    Args:
        number: of the plan's step, from 1.
        line: the instruction as the plan has it, with ``{place}`` for the value.
        place: the name of the place.
        reason: why it is not known, in a sentence.

    """
    return f"Step {number}, {_named(line)}: {' '.join(reason.split())} What is {{{place}}}?"


def plan_of(heartbeat: Heartbeat) -> tuple[Step, ...]:
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
    return tuple(each if each.is_known else _waiting(each, waiting) for each in found)


def _waiting(line: Step, waiting: Sequence[Question]) -> Step:
    asked = _asked_about(line.i + 1, line.text, waiting, is_only=False)
    return line if asked is None else line.model_copy(update={"asked": asked.text})


def _describe_answers(answered: Sequence[Question]) -> list[str]:
    """The plan of a task that has none, as it was answered."""
    answers = [each.answer for each in answered if question_words(each.text) == question_words(NO_PLAN)]
    return [line.strip() for line in (answers[-1] or "").splitlines() if line.strip()] if answers else []


def place_of(heartbeat: Heartbeat, question: Question) -> range | None:
    """The lines of the plan that a question is about, or that its answer, or its earlier answer, was written into.

    For a line that was skipped the range is empty. ``None`` where they do not stand there any more.
    """
    field = task_fields(heartbeat).get(PLAN)
    lines = list(map(_plain, field.items)) if field is not None else []
    for number, line in enumerate(lines, 1):
        if _asked_about(number, line, [question], is_only=lines.count(line) == 1) is not None:
            return range(number - 1, number)
    answer, match = question.answer or question.earlier_answer, _STEP.match(question.text)
    if answer is None or match is None:
        return None
    if is_skipped(answer):
        return range(min(int(match[1]) - 1, len(lines)), min(int(match[1]) - 1, len(lines)))
    said = [_plain(sentence(step)) for step in answer_steps(question.text, answer) or ()]
    found = (range(at, at + len(said)) for at in range(len(lines)) if said and lines[at : at + len(said)] == said)
    return next(found, None)


def answer_steps(question: str, answer: str) -> tuple[Step, ...] | None:
    """The steps that an answer to a question about the plan says; ``None`` for one that is not understood."""
    about = asked_about(question)
    taken = _taken(question, answer.strip())
    return instructions(taken) or _with_value(about[1] if about is not None else "", question, taken) or _address(taken)


def is_skipped(answer: str) -> bool:
    """Whether an answer takes the line out of the plan."""
    return _SKIP.fullmatch(answer.strip().rstrip(" .!")) is not None


def _amended(
    number: int, line: str, answered: Sequence[Question], *, is_only: bool, depth: int = _MOST_CHANGES
) -> Iterator[Step]:
    question = _asked_about(number, line, answered, is_only=is_only)
    if question is None or question.answer is None:
        yield (read_step(line) or Step()).model_copy(update={"i": number - 1, "text": line})
        return
    answer = _taken(question.text, question.answer.strip())
    if is_skipped(answer):
        return
    steps = instructions(answer) or _with_value(line, question.text, answer) or _address(answer)
    if steps is None or not depth:
        shown = " ".join(answer.split())[:_SHOWN_ANSWER]
        doubt = f"the answer {quote(shown)} is no instruction that is understood"
        yield Step(i=number - 1, text=line, doubt=doubt)
        return
    others = [each for each in answered if each is not question]
    for step in steps:
        yield from _amended(number, sentence(step), others, is_only=False, depth=depth - 1)


def is_agreed(answer: str) -> bool:
    """Whether an answer is a yes and nothing else."""
    return _AGREED.fullmatch(answer.strip().rstrip(" .!")) is not None


def _taken(question: str, answer: str) -> str:
    """The answer, or what the question itself proposes where that is agreed to."""
    return proposed(question) or answer if is_agreed(answer) else answer


def _with_value(line: str, question: str, answer: str) -> tuple[Step, ...] | None:
    """The line with its place filled, if that was asked."""
    asked, step = _WHAT_VALUE.search(question), read_step(line)
    if asked is None or step is None or step.place != asked[1] or "\n" in answer:
        return None
    said = quoted(answer)
    value = said.texts[0] if said is not None and re.fullmatch(rf"{QUOTE}\.?", said.skeleton) else answer
    return (step.typing(value),)


def _address(answer: str) -> tuple[Step, ...] | None:
    """What an address and nothing else means."""
    return (Step.of("OPEN_URL", BROWSER, answer),) if _WEB.fullmatch(answer) else None


def questions_about(line: Step, questions: Sequence[Question]) -> list[Question]:
    """Those of these questions that are about an instruction, by its number and its words."""
    return [each for asked, each in _about(line.text, questions) if asked == line.i + 1]


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
            step = read_step(" ".join(restored(piece, said.texts) for piece in pieces[at:end]))
            if step is not None:
                found.append(step)
                at = end
                break
        else:
            return None
    return found or None
