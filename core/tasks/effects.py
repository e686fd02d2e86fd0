"""The effects of a task: the sentences under ``Effects:``, and those that were proposed and agreed to.

Learning proposes an effect as a question. Answered with "yes", or with another sentence of that kind, it is one of the
task's effects, as if it stood in the document.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus

from core.effects.rows import plain_name
from core.effects.sentences import is_like_effect, read_sentence, sentence
from core.tasks.heartbeat_sections import Edit, edited, joined, lines_of, task_fields
from core.tasks.questions import Question, QuestionState
from core.workflows.effects import effect_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.effects.effect import Effect
    from core.tasks.heartbeat import Heartbeat
    from core.workflows.workflow import Parameter

EFFECTS: Final = "Effects"
_ASKED: Final = "Shall a run read this itself, before and after, to confirm that it was done?"
_YES: Final = re.compile(r"(?:yes|y|ok|okay|sure|agreed|please do|yes,? please)\b", re.IGNORECASE)
_HOW: Final = (
    'write e.g.: The page "http://…" has one more row: "Name" is "Ada", "Weight" is "3"; see docs/tasks.md, or take '
    "the line out"
)


def effects_of(heartbeat: Heartbeat) -> tuple[Effect, ...]:
    """The effects of a document into which the answers were put."""
    read = (read_sentence(line) for line in _lines(heartbeat))
    return tuple(effect for effect in read if effect is not None)


def document_effect_faults(heartbeat: Heartbeat, parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """Why it must not be carried out with its effects, a sentence each; a line that is none of ours says nothing."""
    unread = [line for line in _lines(heartbeat) if read_sentence(line) is None and is_like_effect(line)]
    faults = [f"This line of Effects is not understood: {line[:200]!r}; {_HOW}." for line in unread]
    broken = (
        f"{fault.member} of the effect {sentence(effect)[:200]!r} {fault.rule}."
        for effect in effects_of(heartbeat)
        for fault in effect_faults(effect, parameters, ())
    )
    return (*faults, *broken)


def proposal(effect: Effect) -> str:
    """The question that proposes an effect."""
    return f"{_ASKED} {sentence(effect)}"


def with_agreed_effects(heartbeat: Heartbeat) -> Heartbeat:
    """The document with the proposals that were agreed to among its effects, and their questions stale."""
    agreed = [(each, line) for each in heartbeat.questions for line in [_agreed(each)] if line]
    known = set(_lines(heartbeat))
    lines = [line for line in dict.fromkeys(line for _, line in agreed) if line not in known]
    document = _with_lines(heartbeat, lines) if lines else heartbeat
    return document.stale(*(each.id for each, _ in agreed)) if agreed else document


def placed_effects(
    heartbeat: Heartbeat, values: Sequence[tuple[str, str, str]], place: Callable[[str, Sequence[str]], str]
) -> Mapping[int, str]:
    """The lines of the document that hold an effect, with places for the values in it, by their index.

    Args:
        heartbeat: the document.
        values: name, label and text of each value of the plan.
        place: puts places into a text that stands beside others.

    """
    field = task_fields(heartbeat).get(EFFECTS)
    found: dict[int, str] = {}
    for span, item in zip(field.spans, field.items, strict=True) if field is not None else ():
        effect = read_sentence(item)
        if effect is None or len(span) > 1:
            continue
        text = lines_of(heartbeat.text)[span.start].text
        found[span.start] = text[: text.rindex(item)] + sentence(_placed(effect, values, place))
    return found


def _placed(
    effect: Effect, values: Sequence[tuple[str, str, str]], place: Callable[[str, Sequence[str]], str]
) -> Effect:
    def cells(given: Mapping[str, str]) -> dict[str, str]:
        return {column: cell(column, text) for column, text in given.items()}

    def cell(column: str, text: str) -> str:
        """A value is that of the column's own field rather than of another field that holds the same."""
        own = (name for name, label, value in values if value == text and plain_name(label) == plain_name(column))
        name = next(own, "")
        return f"{{{name}}}" if name else place(text, effect.columns)

    at = _placed_path(effect.at, values) if effect.kind == "file" else _placed_address(effect.at, values)
    return effect.model_copy(update={"at": at, "expect": cells(effect.expect), "where": cells(effect.where)})


def _placed_path(at: str, values: Sequence[tuple[str, str, str]]) -> str:
    """The path, with a place where its whole or the file's name was typed."""
    for name, _, value in values:
        if value and (at == value or at.endswith(f"/{value}")):
            return f"{at[: -len(value)]}{{{name}}}"
    return at


def _placed_address(at: str, values: Sequence[tuple[str, str, str]]) -> str:
    """The address, with a place for each value that its query asks for."""
    before, mark, query = at.partition("?")
    names = {
        encoded: name for name, _, value in values for encoded in (value, quote(value, safe=""), quote_plus(value))
    }
    parts = (part.partition("=") for part in query.split("&"))
    return (
        before
        + mark
        + "&".join(
            f"{name}{equals}{{{names[value]}}}" if value and value in names else f"{name}{equals}{value}"
            for name, equals, value in parts
        )
    )


def _lines(heartbeat: Heartbeat) -> Sequence[str]:
    field = task_fields(heartbeat).get(EFFECTS)
    return field.items if field is not None else ()


def _agreed(question: Question) -> str:
    """The sentence that was agreed to, empty for another question or answer."""
    if question.state is not QuestionState.ANSWERED or not question.text.startswith(_ASKED):
        return ""
    answer = (question.answer or "").strip()
    if is_like_effect(answer):
        return answer
    return question.text.removeprefix(_ASKED).strip() if _YES.match(answer) else ""


def _with_lines(heartbeat: Heartbeat, lines: Sequence[str]) -> Heartbeat:
    field = task_fields(heartbeat).get(EFFECTS)
    items = [f"- {line}" for line in lines]
    if field is None:
        return heartbeat.with_task_lines([f"{EFFECTS}:", *items])
    end = field.spans[-1].stop
    return type(heartbeat)(joined(edited(lines_of(heartbeat.text), [Edit(end, end, items)])))
