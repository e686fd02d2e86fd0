"""What a yes to a proposal changes in a task: names that its programs tell, and numbers that are others each time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from core.errors import InvalidRequest
from core.expectations.matching import ANY_NUMBER
from core.plans.grammar import read_step
from core.plans.phrasing import marks, quoted, restored
from core.plans.step_sentences import sentence
from core.steps import FOCUS
from core.tasks.heartbeat_sections import task_fields
from core.tasks.parameters import CRITERIA, with_criteria, with_plan
from core.tasks.plan import PLAN, is_agreed, plan_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from core.steps import Step
    from core.tasks.heartbeat import Heartbeat

_NAMES: Final = "A trial found these things by the names that their programs tell. Shall the plan have them?"
_LINE: Final = re.compile(r"Step (\d{1,6}): ")
_ACTS: Final = frozenset({"CLICK", "DOUBLE_CLICK", "RIGHT_CLICK", "TYPE"})
_LIST: Final = " dropdown"
_LETTERS: Final = 3
_ALIKE: Final = 50
"""Of 100."""
_MOST: Final = 8
_NUMBER: Final = re.compile(r"Is the number in (.+) another one each time\?", re.DOTALL)
_WORD: Final = re.compile(r"\w+")
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NO: Final = re.compile(r"n|no|never|it (?:stays|is the same)|always the same", re.IGNORECASE)


def naming_question(document: Heartbeat, targets: Mapping[int, str]) -> str:
    """The proposal to name things as their programs do, by their lines' places from 0 on; empty where none is new."""
    lines = plan_of(document)
    values = {line.action_value for line in lines if line.action_type == "TYPE"}
    found = [
        f"Step {line.i + 1}: {sentence(_named(line, targets[line.i]))}"
        for line in lines
        if line.i in targets and _is_sharper(line, targets[line.i], values)
    ]
    return " ".join([_NAMES, *found[:_MOST]]) if found else ""


def is_naming(question: str) -> bool:
    """Whether it proposes names."""
    return question.startswith(_NAMES)


def number_question(criterion: str) -> str:
    """What is asked of a criterion in which a number stands that may be another one at the next run."""
    return f"Is the number in {criterion.rstrip('.')} another one each time?"


def agreed(document: Heartbeat, question: str, answer: str) -> Heartbeat | None:
    """The document with what the answer to a proposal changes; ``None`` for a question that is none.

    Raises ``InvalidRequest``: it is neither a yes nor a no.
    """
    number = _NUMBER.fullmatch(question)
    if number is None and not is_naming(question):
        return None
    if not is_agreed(answer):
        if _NO.fullmatch(answer.strip().rstrip(" .!")) is None:
            raise InvalidRequest("Answer yes or no.")
        return document
    return _with_names(document, question) if number is None else _with_any_number(document, number[1])


def _with_any_number(document: Heartbeat, criterion: str) -> Heartbeat:
    field = task_fields(document).get(CRITERIA)
    items = list(field.items) if field is not None else []
    changed = [_DIGITS.sub(ANY_NUMBER, each) if each.rstrip(".") == criterion else each for each in items]
    return with_criteria(document, changed) if changed != items else document


def _with_names(document: Heartbeat, question: str) -> Heartbeat:
    field = task_fields(document).get(PLAN)
    lines = list(field.items) if field is not None else []
    for number, said in _said(question):
        new, old = read_step(said), read_step(lines[number - 1]) if number <= len(lines) else None
        if new is not None and old is not None and _does(new) == _does(old):
            lines[number - 1] = sentence(new)
    return with_plan(document, lines)


def _said(question: str) -> Iterator[tuple[int, str]]:
    """The numbers and sentences of the lines that it proposes; what it quotes is no part of its own words."""
    found = quoted(question)
    if found is None:
        return
    at: Sequence[re.Match[str]] = list(_LINE.finditer(found.skeleton))
    for start, end in zip(at, [*(each.start() for each in at[1:]), len(found.skeleton)], strict=True):
        piece = found.skeleton[start.end() : end].strip()
        yield int(start[1]), restored(piece, found.texts)


def _named(line: Step, target: str) -> Step:
    return line.model_copy(update={"target": line.target.model_copy(update={"primary": target})})


def _is_sharper(line: Step, target: str, values: Collection[str | None]) -> bool:
    """Whether the name says more than the line: another text, or what kind of thing it is.

    What a name adds to a text, as what an icon beside it shows, need not be drawn: a run would look for it in vain. A
    list is no field, and an entry of it has no other words: an open one lies over what is below it. A field is called
    by what it asks for while it is empty, which goes: it keeps its label, unless that is a value itself.
    """
    primary = line.target.primary
    said, named = quoted(primary), quoted(target)
    if not line.is_known or line.action_type not in _ACTS or primary == FOCUS or said is None or named is None:
        return False
    pairs = list(zip(said.texts, named.texts, strict=False))
    is_value = line.action_type == "TYPE" and all(text in values or not _says_words(text) for text in said.texts)
    is_other = not is_value and not all(_is_alike(text, name) for text, name in pairs)
    if (primary.endswith(_LIST) and not target.endswith(_LIST)) or is_other:
        return False
    if said.texts != named.texts and all(_words(text) in _words(name) for text, name in pairs):
        return False
    is_bare = len(said.texts) == 1 and primary == marks(said.texts[0])
    is_plain = is_bare or len(said.skeleton.split()) <= len(named.skeleton.split())
    return primary != target and is_plain and (is_bare or said.texts != named.texts)


def _words(text: str) -> str:
    """The words between blanks, without their signs and cases."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _says_words(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= _LETTERS


def _is_alike(words: str, name: str) -> bool:
    """Whether a name may be the words as they were read; fewer than three letters may be a misread sign."""
    one, other = words.casefold(), name.casefold()
    is_long = sum(map(str.isalnum, one)) >= _LETTERS
    return not is_long or one in other or other in one or fuzz.ratio(one, other) >= _ALIKE


def _does(step: Step) -> tuple[str, str | None]:
    return step.action_type, step.action_value
