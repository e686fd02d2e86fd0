"""An answer to a task's question: checked at once, and written into the task in plain words.

What says what is to be done takes its line's place in the plan; a text that shows that it is done becomes a success
criterion. An answer that a run could not use is refused with the reason, and nothing is changed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from core.errors import InvalidRequest
from core.plans.phrasing import marks, quoted
from core.plans.step_sentences import sentence
from core.tasks.agreements import agreed
from core.tasks.heartbeat_sections import task_fields
from core.tasks.parameters import with_criteria, with_plan
from core.tasks.plan import (
    PLAN,
    answer_steps,
    asked_value,
    is_about_plan,
    is_skipped,
    place_of,
)
from core.tasks.questions import Question, clean_answer
from core.tasks.workflow import asks_what_shows
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.steps import Step
    from core.tasks.heartbeat import Heartbeat

_SHOWN: Final = 200
_LONGEST_TEXT: Final = 120
_EMPTY: Final = frozenset({"about", "chrome", "edge", "javascript", "data", "blob", "view-source"})
"""Schemes of what is no page that is there again at the next run."""
_SCHEMES: Final = frozenset({"http", "https", "file"})
_HOST: Final = re.compile(r"(?:www\.|localhost\b|[\w-]+(?:\.[\w-]+)+(?::\d+|/))", re.IGNORECASE)
_GONE: Final = re.compile(r"\b(?:not?|never|gone|disappears?|disappeared|vanishe[sd]|longer|without)\b", re.IGNORECASE)
_HOW: Final = (
    'write what is done in a sentence such as: Click the "Save" button. Or give an '
    "address, or `skip` to leave the step out"
)
_WHICH: Final = 'name the text on the screen that shows that it is done, such as: "Order {number} confirmed"'
_YES_OR_NO: Final = re.compile(r"(?:yes|no|y|n|ok|okay|done|nothing|none|it was|right)\b[^\"“«`]*", re.IGNORECASE)


def answered(document: Heartbeat, question_id: str, answer: str) -> Heartbeat:
    """The document with an answer to one of its questions, in the plan as well where it says what is done.

    Raises:
        NotFound: there is no such question.
        InvalidRequest, TooLarge: a run could not use the answer; the message says why, and what to write.

    """
    question, said = document.question(question_id), clean_answer(answer)
    changed = agreed(document, question.text, said)
    if changed is not None:
        return changed.with_answer(question_id, said)
    if asks_what_shows(question.text):
        return _with_criterion(document, question, said)
    if not is_about_plan(question.text):
        return document.with_answer(question_id, said)
    if place_of(document, question) is None and PLAN not in task_fields(document):
        # The answer is the plan.
        return document.with_answer(question_id, said)
    steps = () if is_skipped(said) else _checked(question, said)
    written = document.with_answer(question_id, said)
    at = place_of(document, question)
    if at is None:
        return written
    lines = list(task_fields(document)[PLAN].items)
    lines[at.start : at.stop] = [sentence(step) for step in steps]
    return with_plan(written, lines)


def _checked(question: Question, said: str) -> Sequence[Step]:
    steps = answer_steps(question.text, said)
    if steps is None:
        why = unusable_address(said) if not any(sign.isspace() for sign in said) else ""
        if why:
            raise InvalidRequest(f"{said[:_SHOWN]!r} cannot be opened, because {why}.")
        what = f"{said[:_SHOWN]!r} is no instruction that can be followed"
        if asked_value(question.text):
            raise InvalidRequest(f"{what}, and no value of one line: give the value, or {_HOW}.")
        raise InvalidRequest(f"{what}: {_HOW}.")
    for step in steps:
        if step.action_type == "OPEN_URL" and (why := unusable_address(step.action_value or "")):
            raise InvalidRequest(f"{step.action_value!r} cannot be opened, because {why}.")
    return steps


def unusable_address(address: str) -> str:
    """Why a run could not open an address; empty where it may. Without a scheme it is a file of the task's folder."""
    text = address.strip()
    parts = urlsplit(text)
    scheme = parts.scheme.casefold()
    if not text or any(sign.isspace() for sign in text):
        return "an address has no blanks: write each as %20"
    if scheme in _EMPTY:
        return "it is no page that is there at the next run: give the address from which the task begins"
    if text.startswith("/"):
        return f"a file's address begins with file://: write file://{text}"
    if scheme not in _SCHEMES and (scheme or _HOST.match(text)):
        return f"its scheme is missing: write http://{text} or https://{text}"
    if scheme in {"http", "https"} and not parts.hostname:
        return "it names no server: write it as http://server/page"
    return ""


def _with_criterion(document: Heartbeat, question: Question, said: str) -> Heartbeat:
    """The document with the text that shows that it is done among its success criteria, instead of those not seen."""
    quotes = quoted(said)
    if quotes is not None and quotes.texts:
        texts = quotes.texts
    elif "\n" not in said and len(said) <= _LONGEST_TEXT and not _YES_OR_NO.fullmatch(said):
        texts = (said.rstrip("."),)
    else:
        raise InvalidRequest(f"{said[:_SHOWN]!r} names no text that could be looked for: {_WHICH}.")
    if quotes is not None and quotes.texts and _GONE.search(quotes.skeleton):
        # What is to be gone is said in the answer's own words.
        return with_criteria(document.with_answer(question.id, said), [one_line(said)])
    marked = [marks(text) for text in texts]
    if None in marked or any(not any(sign.isalnum() for sign in text) for text in texts):
        raise InvalidRequest(f"{said[:_SHOWN]!r} cannot be looked for on a screen: {_WHICH}.")
    return with_criteria(document.with_answer(question.id, said), [f"{each} is shown." for each in marked])
