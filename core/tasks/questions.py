"""The questions of a ``HEARTBEAT.md``, as its ``## Questions`` section has them, and nothing else in it.

::

    ## Questions
    - [required] Which calendar?          open, and the task cannot do without
    - [ ] Is the weekend meant too?       open; so is one without any box
    - [x] Who is told?                    answered
      Answer: Ann.
    - [x] What is the text?               answered in several lines: each four columns further in than its item
      Answer:
        ## Dear all,

        see below.
    - [stale] Which printer?              no longer asked, e.g. because a newer recording has no printer
      Answer: The one on floor 2.
    - [ ] Which folder?                   reopened: what was answered before is kept until it is answered anew
      Earlier answer: ~/Reports
    - None.                               says that there is none; beside others it says nothing

A question that has an ``Answer:`` is answered, also without a tick in its box. Only items that stand in no other item
count. ``[x]`` takes the place of ``[required]``, as the format has it.

The id of a question is made of its words: ``which-calendar-1f9c3a`` has the first few, and the start of the SHA-256
of all. Letter case, punctuation, emphasis, line breaks and the box have no part in it, nor has the place; so it stays
while other lines are edited, questions are put in another order, answered and reopened. Changing its words makes it
another question. The second question of the same words ends in ``-2``, and so on in their order.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from core.errors import InvalidRequest, TooLarge
from core.tasks.heartbeat_sections import Blocks, Kind, Line, columns, dedented, is_blank, is_item
from core.values import Value

MAX_QUESTION: Final = 2_000
MAX_ANSWER: Final = 200_000
"""Most characters of an answer."""
_MARKER: Final = re.compile(r"(?P<marker>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*)(?P<rest>.*)", re.DOTALL)
_BOX: Final = re.compile(r"\[( |x|required|stale)\](?:[ \t]+|$)", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?(?P<earlier>earlier )?answer(?:\*\*)?:(?:\*\*)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NONE: Final = re.compile(r"none[.!]?", re.IGNORECASE)
_NO_TEXT: Final = re.compile(r"[\x00\ud800-\udfff]")
_SLUG_WORDS: Final = 5
_SLUG_LENGTH: Final = 40


class QuestionState(StrEnum):
    """Where a question is in its life; a reopened one is open, and has an earlier answer."""

    OPEN = "open"
    ANSWERED = "answered"
    STALE = "stale"


class Question(Value):
    """One question."""

    id: str
    text: str
    state: QuestionState
    required: bool = False
    answer: str | None = None
    r"""Its lines end in ``\n``. ``None`` also for one that was ticked without a word."""
    earlier_answer: str | None = None
    line: int
    """Where it stands, from 1."""


class Item(NamedTuple):
    """A question, and what an edit of it must know."""

    question: Question
    marker: str
    """What stands before its box: indentation, bullet and blanks."""
    rest: str
    """What stands behind its box."""
    start: int
    """The index of its first line."""
    answers: int
    """The index of its first line of an answer, or that behind its last line."""
    end: int
    """The index behind its last line that is not blank."""

    @property
    def indent(self) -> int:
        """The columns before its bullet."""
        return columns(self.marker)


class Items(NamedTuple):
    """What is listed in the sections of questions."""

    questions: Sequence[Item]
    nones: Sequence[int]
    """The lines that say that there is no question, and nothing else."""


def question_words(text: str) -> str:
    """What of a question makes its identity: its words, in lower case, a blank between two."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"[^\W_]+", plain)) or " ".join(plain.split())


def question_id(text: str) -> str:
    """The id of the first question of these words."""
    words = question_words(text)
    ascii_words = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    slug = "-".join(re.findall(r"[a-z0-9]+", ascii_words)[:_SLUG_WORDS])[:_SLUG_LENGTH].strip("-")
    return f"{slug or 'question'}-{hashlib.sha256(words.encode()).hexdigest()[:6]}"


def clean_question(text: str) -> tuple[str, bool]:
    """A question as it can be written, and whether it is marked as required.

    Raises:
        InvalidRequest: it is blank, says only "None.", or is no text.
        TooLarge: it has more than 2,000 characters.

    """
    words = " ".join(text.split())
    required = words.lower().startswith("[required]")
    words = words[len("[required]") :].strip() if required else words
    if not words or _NONE.fullmatch(words):
        raise InvalidRequest("A question must say what is asked: it is blank or says only 'None'.")
    if _NO_TEXT.search(words):
        raise InvalidRequest("A question must be text, without NUL and other half characters.")
    if len(words) > MAX_QUESTION:
        raise TooLarge(f"A question may have {MAX_QUESTION} characters, this has {len(words)}: ask it in fewer words.")
    return words, required


def clean_answer(text: str) -> str:
    r"""An answer as it comes back: without blank space around it, its lines ending in ``\n``.

    Raises:
        InvalidRequest: it is blank or no text.
        TooLarge: it has more than 200,000 characters.

    """
    answer = re.sub(r"\r\n|\r", "\n", text).strip()
    if not answer:
        raise InvalidRequest("The answer is blank: say what the answer is, or leave the question open.")
    if _NO_TEXT.search(answer):
        raise InvalidRequest("The answer must be text, without NUL and other half characters.")
    if len(answer) > MAX_ANSWER:
        raise TooLarge(
            f"An answer may have {MAX_ANSWER:,} characters, this has {len(answer):,}: name a file with it instead."
        )
    return answer


def answer_lines(answer: str, indent: int) -> list[str]:
    """How an answer is written below an item that is indented so far."""
    first, *more = answer.split("\n")
    if not more:
        return [f"{' ' * (indent + 2)}Answer: {first}"]
    deeper = " " * (indent + 4)
    return [f"{' ' * (indent + 2)}Answer:", *(f"{deeper}{line}" if line else "" for line in (first, *more))]


def as_earlier(line: str) -> str:
    """A line with the label ``Answer:`` that now says ``Earlier answer:``; any other line as it is."""
    match = _LABEL.fullmatch(line)
    if match is None or match["earlier"]:
        return line
    at = line.lower().index("answer")
    return f"{line[:at]}Earlier {line[at].lower()}{line[at + 1 :]}"


def is_label(line: str, indent: int) -> bool:
    """Whether an answer begins in a line below an item that is indented so far."""
    return columns(line) < indent + 4 and _LABEL.fullmatch(line) is not None


def items_of(lines: Sequence[Line], kinds: Sequence[Kind], parts: Sequence[range]) -> Items:
    """The questions in the lines of these parts of a document."""
    items: list[Item] = []
    nones: list[int] = []
    counts: dict[str, int] = {}
    for part in parts:
        for start, end in _extents(kinds, part):
            item = _item(lines, start, end)
            if _NONE.fullmatch(item.rest.strip()) and item.answers == item.end:
                # With more words below it, it is a remark of the user, and stays.
                nones += [start] if end == start + 1 else []
                continue
            if not item.question.text:
                continue
            number = counts[item.question.id] = counts.get(item.question.id, 0) + 1
            if number > 1:
                renamed = item.question.model_copy(update={"id": f"{item.question.id}-{number}"})
                item = item._replace(question=renamed)
            items.append(item)
    return Items(items, nones)


def _extents(kinds: Sequence[Kind], part: range) -> Iterator[tuple[int, int]]:
    start: int | None = None
    end = part.start
    for at in part:
        if kinds[at] is Kind.INSIDE:
            end = at + 1
        elif kinds[at] is not Kind.BLANK:
            if start is not None:
                yield start, end
            start, end = (at, at + 1) if kinds[at] is Kind.ITEM else (None, end)
    if start is not None:
        yield start, end


def _item(lines: Sequence[Line], start: int, end: int) -> Item:
    texts = [line.text for line in lines[start:end]]
    match = _MARKER.fullmatch(texts[0])
    marker, rest = (match["marker"], match["rest"]) if match else ("", texts[0])
    box = _BOX.match(rest)
    state = box[1].lower() if box else ""
    rest = rest[box.end() :] if box else rest
    demand = _BOX.match(rest)
    required = state == "required"
    words = rest
    if demand is not None and demand[1].lower() == "required":
        required, words = True, rest[demand.end() :]
    indent = columns(marker)
    wrapped, labels = _below(texts, indent)
    text = " ".join(" ".join([words, *wrapped]).split())
    answers = {earlier: _answer(texts[a:b], indent) for earlier, a, b in reversed(labels)}
    answer, earlier = answers.get(False) or None, answers.get(True) or None
    question = Question(
        id=question_id(text),
        text=text,
        state=_state(state, answer),
        required=required,
        answer=answer,
        earlier_answer=earlier,
        line=start + 1,
    )
    return Item(question, marker, rest, start, start + labels[0][1] if labels else end, end)


def _state(box: str, answer: str | None) -> QuestionState:
    if box == "stale":
        return QuestionState.STALE
    return QuestionState.ANSWERED if box == "x" or answer else QuestionState.OPEN


def _below(texts: Sequence[str], indent: int) -> tuple[list[str], list[tuple[bool, int, int]]]:
    """The lines in which a question goes on, and its answers: whether an earlier one, its first line, and the end."""
    blocks = Blocks(texts, nested=True)
    wrapped: list[str] = []
    starts: list[tuple[bool, int]] = []
    goes_on, at = True, 1
    while at < len(texts):
        text = texts[at]
        label = _LABEL.fullmatch(text) if columns(text) < indent + 4 else None
        if label is not None:
            earlier = label["earlier"] is not None
            # An answer may well quote the label that it stands under.
            if not starts or starts[-1][0] is not earlier:
                starts.append((earlier, at))
        elif not starts:
            hidden = blocks.end(at)
            goes_on = goes_on and hidden is None and not is_blank(text) and not is_item(text)
            if goes_on:
                wrapped.append(text.strip(" \t"))
            if hidden is not None:
                at = hidden
                continue
        at += 1
    ends = [start for _, start in starts[1:]] + [len(texts)]
    return wrapped, [(earlier, start, end) for (earlier, start), end in zip(starts, ends, strict=False)]


def _answer(texts: Sequence[str], indent: int) -> str:
    label = _LABEL.fullmatch(texts[0])
    first = label["rest"] if label else texts[0]
    return "\n".join([first, *(dedented(text, indent + 4) for text in texts[1:])]).strip()
