"""A newer recording of a task that is known: what is new is added, what differs is asked, nothing is overwritten.

- A part of the task (``core.tasks.fields``) that the document lacks is added, unless it had that part when it was last
  learned: then somebody took it out, and it stays out.
- A part that says something else becomes one question, in which the newer account is quoted.
- New questions are asked; what the recording answers of the open ones is answered; where it answers otherwise than
  somebody has, that is asked.
- The title is what people call the task, and the evidence points into a recording of its own: neither is compared.

Merging the same recording again changes nothing, also when its questions are answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.errors import Conflict
from core.tasks.fields import field_name, task_fields
from core.tasks.questions import MAX_QUESTION, QuestionState, question_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from core.tasks.fields import Field
    from core.tasks.heartbeat import Heartbeat

_OWN: Final = frozenset({"Title", "Evidence"})
_SCHEDULE: Final = "schedule"
_LISTS: Final = frozenset({"AppsObserved", "HardConstraints", "SuccessCriteria", "AlternativeValidApproaches"})
"""Where the order does not count."""
_QUOTED: Final = 1600


def merged(document: Heartbeat, learned: Heartbeat, *, base: Heartbeat | None = None) -> Heartbeat:
    """The document with what a newer recording has taught.

    Args:
        document: as it is, with answers and edits by hand.
        learned: what was made of the newer recording alone.
        base: as it was when it was last learned, if that is known.

    Raises:
        Conflict, InvalidRequest: a fence or a comment is left open in one of them, and would swallow the other.
        TooLarge: it would be.

    """
    fields, news = task_fields(document), task_fields(learned)
    before: Mapping[str, Field] = task_fields(base) if base is not None else {}
    missing = [
        line
        for name, field in news.items()
        if name not in fields and name not in before and name not in _OWN
        for line in _as_label(field)
    ]
    if missing:
        document = document.with_task_lines(missing)
    document = _with_sections(document, learned, base)
    answers, questions = _questions(document, learned)
    document = document.with_answers(answers)
    asked = [*_differences(fields, news), *questions]
    try:
        return document.with_questions(asked) if asked else document
    except Conflict:
        # All of them have been asked before.
        return document


def _differences(fields: Mapping[str, Field], news: Mapping[str, Field]) -> Iterator[str]:
    for name, new in news.items():
        old = fields.get(name)
        if old is None or name in _OWN:
            continue
        if name not in _LISTS:
            if _plain(old.items) != _plain(new.items):
                yield _cut(f"The newer recording has another {name}: {_quoted(new.items)}. Does it hold from now on?")
            continue
        added = [item for item in _plain(new.items) if item not in set(_plain(old.items))]
        gone = [item for item in _plain(old.items) if item not in set(_plain(new.items))]
        if added:
            yield _cut(f"The newer recording adds to {name}: {_quoted(added)}. Shall it be added?")
        if gone:
            yield _cut(f"The newer recording does not show of {name}: {_quoted(gone)}. Does it still hold?")


def _questions(document: Heartbeat, learned: Heartbeat) -> tuple[dict[str, str], list[str]]:
    """What is answered by the newer recording, by id, and what is to be asked because of it."""
    known = {question_words(each.text): each for each in reversed(document.questions)}
    answers: dict[str, str] = {}
    asked: list[str] = []
    for new in learned.questions:
        old = known.get(question_words(new.text))
        if new.state is QuestionState.STALE:
            continue
        if old is None and new.answer is None:
            asked.append(f"[required] {new.text}" if new.required else new.text)
        elif old is None:
            asked.append(_cut(f"The newer recording says {_quoted([new.answer or ''])} to: {new.text} Is that right?"))
        elif new.answer is not None and old.state is QuestionState.OPEN:
            answers[old.id] = new.answer
        elif new.answer is not None and _plain([new.answer]) != _plain([old.answer or ""]):
            asked.append(_cut(f"The newer recording says {_quoted([new.answer])} to: {old.text} Which answer holds?"))
    return answers, asked


def _with_sections(document: Heartbeat, learned: Heartbeat, base: Heartbeat | None) -> Heartbeat:
    """The document with the sections that only the newer account has, but no schedule: that is the user's own."""
    for name in learned.section_names:
        body = learned.section(name)
        is_known = document.section(name) is not None or (base is not None and base.section(name) is not None)
        is_own = name.casefold() in {"questions", _SCHEDULE} or field_name(name) is not None
        if body and not is_known and not is_own:
            document = document.with_section(name, body)
    return document


def _as_label(field: Field) -> list[str]:
    first, *more = field.lines
    return (
        [f"{field.name}:", *(line for line in more if line.strip())]
        if first.lstrip().startswith("#")
        else [first, *more]
    )


def _plain(items: Sequence[str]) -> list[str]:
    """Items to be compared: more than blanks and a full stop may mean something, also a sign or a capital."""
    return [" ".join(item.split()).rstrip(".") for item in items]


def _quoted(items: Sequence[str]) -> str:
    told = "; ".join(f'"{" ".join(item.split())}"' for item in items)
    return told if len(told) <= _QUOTED else f'{told[: _QUOTED - 2]}…"'


def _cut(question: str) -> str:
    return question[:MAX_QUESTION]
