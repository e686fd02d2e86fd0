r"""``HEARTBEAT.md``: a task as people and agents read, correct and answer it. Plain Markdown, kept byte for byte.

Reading and writing it gives the same bytes. An edit touches the lines that it means and no other; what it writes ends
as most lines of the document do, and a file that does not end in a line end keeps that too. The title is the first line
with words under ``# Task`` (behind ``Title:`` where it says so); sections are found by their headings of level 2. The
format of the questions, their states and ids are in ``core.tasks.questions``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, final

from core.errors import Conflict, InvalidRequest, NotFound, TooLarge
from core.tasks.heartbeat_sections import (
    Edit,
    Kind,
    Line,
    Section,
    edited,
    is_blank,
    joined,
    kinds_of,
    lines_of,
    same_name,
    sections_of,
)
from core.tasks.questions import (
    Item,
    Items,
    Question,
    QuestionState,
    answer_lines,
    as_earlier,
    clean_answer,
    clean_question,
    is_label,
    items_of,
    question_words,
)

MAX_BYTES: Final = 8 * 1024 * 1024
MAX_TITLE: Final = 200
"""Most characters of a title."""
QUESTIONS: Final = "Questions"
_TASK: Final = "Task"
_BOM: Final = "\ufeff"
_TITLE: Final = "title:"
_NO_TITLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_NEW: Final = "# Task\n{title}\n\n## Questions\n"


@final
class Heartbeat:
    """A document; frozen, every change makes another one.

    Args:
        text: all of it, a byte order mark included.

    """

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def read(cls, data: bytes) -> Heartbeat:
        """The document of a file.

        Raises:
            TooLarge: it has more than 8 MiB.
            InvalidRequest: it is no UTF-8 text.

        """
        if len(data) > MAX_BYTES:
            raise TooLarge(_TOO_LARGE)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise InvalidRequest(
                f"HEARTBEAT.md is no UTF-8 text (byte {error.start}): save it as UTF-8, or restore an earlier version."
            ) from None
        if "\0" in text:
            raise InvalidRequest(
                f"HEARTBEAT.md is a binary file (byte {data.index(0)} is 0): save it as UTF-8, "
                "or restore an earlier version."
            )
        return cls(text)

    @classmethod
    def new(cls, title: str) -> Heartbeat:
        """A task of which only the title is known. Raises ``InvalidRequest`` for a blank one, ``TooLarge``."""
        words = " ".join(title.split())
        if len(words) > MAX_TITLE:
            raise TooLarge(f"A task's title may have {MAX_TITLE} characters, this has {len(words)}.")
        made = cls(_NEW.format(title=words))
        if not words or made.title != words or _NO_TITLE.search(words):
            raise InvalidRequest(f"{title[:50]!r} is no title of a task: say in a few words what it does.")
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Heartbeat) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Heartbeat({self.title!r}, {len(self.questions)} questions)"

    def to_bytes(self) -> bytes:
        """The file. Raises ``InvalidRequest`` for half characters, which no file can hold."""
        try:
            return self.text.encode()
        except UnicodeEncodeError as error:
            raise InvalidRequest(
                f"The document is no text (character {error.start} is half of one): write it anew."
            ) from None

    @cached_property
    def title(self) -> str:
        """What the task is called; empty if there is no ``# Task`` with words under it."""
        for section in self._sections:
            if section.level == 1 and same_name(section.name, _TASK):
                for at in range(section.heading + 1, section.end):
                    text = self._lines[at].text.strip()
                    if text and self._kinds[at] is not Kind.HIDDEN:
                        text = text[len(_TITLE) :] if text.lower().startswith(_TITLE) else text
                        text = text.lstrip("#") if self._kinds[at] is Kind.HEADING else text
                        return text.strip()[:MAX_TITLE]
        return ""

    @cached_property
    def section_names(self) -> tuple[str, ...]:
        """The headings of level 2, in order."""
        return tuple(section.name for section in self._sections if section.level > 1)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """All questions, in order."""
        return tuple(item.question for item in self._items.questions)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """Those that wait for an answer."""
        return tuple(each for each in self.questions if each.state is QuestionState.OPEN)

    def section(self, name: str) -> str | None:
        r"""What stands under a heading of level 2, without blank lines around it, its lines ending in ``\n``."""
        found = self._section(name)
        return None if found is None else self._body(found)

    def others(self, name: str) -> Sequence[tuple[str, str]]:
        """Name and text of all sections but those of that name, ``# Task`` included."""
        return [(each.name, self._body(each)) for each in self._sections if not same_name(each.name, name)]

    def question(self, question_id: str) -> Question:
        """One question. Raises ``NotFound``, with the nearest id."""
        return self._item(question_id).question

    def check(self) -> None:
        """Raise ``InvalidRequest`` unless it is a task: a ``# Task`` with a title under it."""
        if any(section.level == 1 and same_name(section.name, _TASK) for section in self._sections):
            if not self.title:
                raise InvalidRequest("HEARTBEAT.md says nothing under '# Task': write there what the task is called.")
            return
        raise InvalidRequest("HEARTBEAT.md has no '# Task' heading: put it first, and the task's title below it.")

    def with_questions(self, questions: Iterable[str], *, required: bool = False) -> Heartbeat:
        """Ask these as well: those that are known are left out, those that had become stale are opened again.

        ``- None.`` goes when there is a question. A text may begin with ``[required]`` itself.

        Raises:
            Conflict: all of them are known.
            InvalidRequest, TooLarge: one is blank, no text, or too long.

        """
        known: dict[str, list[Item]] = {}
        for item in self._items.questions:
            known.setdefault(question_words(item.question.text), []).append(item)
        added: dict[str, str] = {}
        reopened: list[Item] = []
        for question in questions:
            text, demanded = clean_question(question)
            words = question_words(text)
            same = known.get(words, [])
            if same and all(each.question.state is QuestionState.STALE for each in same):
                reopened.append(same[0])
                del known[words]
                known[words] = [same[0]._replace(question=same[0].question.model_copy(update=_OPENED))]
            elif not same:
                added.setdefault(words, f"- [{'required' if required or demanded else ' '}] {text}")
        if not added and not reopened:
            raise Conflict("There is no new question among these: each is in '## Questions' already.")
        edits = [self._boxed(item, " ", earlier=True) for item in reopened]
        edits += self._asking(list(added.values())) if added else []
        changed = self._edited(edits, [item.question.id for item in reopened])
        words_asked = {question_words(each.text) for each in changed.questions}
        if len(changed.questions) != len(self.questions) + len(added) or not words_asked.issuperset(added):
            raise Conflict(_UNCLOSED)
        return changed

    def with_answer(self, question_id: str, answer: str) -> Heartbeat:
        """Answer a question, or answer it anew; see ``with_answers``."""
        return self.with_answers({question_id: answer})

    def with_answers(self, answers: Mapping[str, str]) -> Heartbeat:
        """Answer questions by their ids. What was answered before is replaced.

        Raises:
            NotFound: there is no such question; the message has the nearest id.
            InvalidRequest, TooLarge: an answer is blank, no text, or too long.

        """
        edits: list[Edit] = []
        given: dict[str, str] = {}
        for question_id, text in answers.items():
            item, answer = self._item(question_id), clean_answer(text)
            if item.question.state is QuestionState.ANSWERED and item.question.answer == answer:
                continue
            given[question_id] = answer
            edits.append(Edit(item.start, item.start + 1, [_boxed(item, "x")]))
            edits.append(Edit(item.answers, item.end, [*answer_lines(answer, item.indent), *self._apart(item.end)]))
        if not edits:
            return self
        changed = self._edited(edits, given)
        if any(changed.question(each).answer != answer for each, answer in given.items()):
            raise Conflict(_UNCLOSED)
        return changed

    def reopened(self, question_id: str, *, required: bool = False) -> Heartbeat:
        """Ask a question again; its answer is kept as ``Earlier answer:``. An open one stays as it is."""
        item = self._item(question_id)
        if item.question.state is QuestionState.OPEN:
            return self
        return self._edited([self._boxed(item, "required" if required else " ", earlier=True)], [question_id])

    def stale(self, *question_ids: str) -> Heartbeat:
        """Say that questions are no longer ones; their answers stay with them. Raises ``NotFound``."""
        items = [self._item(each) for each in question_ids]
        items = [item for item in items if item.question.state is not QuestionState.STALE]
        return self._edited([self._boxed(item, "stale") for item in items], question_ids) if items else self

    def with_section(self, name: str, body: str | None) -> Heartbeat:
        """Replace what a section says, add it at the end if there is none, or take it out (``None``).

        Raises:
            InvalidRequest: it is that of the questions, or the body has headings of level 1 or 2 or an open fence.

        """
        if same_name(name, QUESTIONS):
            raise InvalidRequest("The questions are not replaced as a whole: ask, answer, or edit the file.")
        found = self._section(name)
        texts = [line.text for line in lines_of((body or "").strip("\r\n"))]
        if found is None and body is None:
            return self
        if found is None:
            edit = Edit(len(self._lines), len(self._lines), [*self._gap(), f"## {name.strip()}", *texts])
        else:
            end = found.end
            while end > found.heading + 1 and is_blank(self._lines[end - 1].text):
                end -= 1
            edit = Edit(found.heading + 1, end, texts) if body is not None else Edit(found.heading, found.end, [])
        changed = self._edited([edit], ())
        if changed.others(name) != self.others(name) or (
            body is not None and changed.section(name) != "\n".join(texts).strip("\n")
        ):
            raise InvalidRequest(
                f"This cannot stand under '## {name.strip()[:50]}': it has headings of its own, or an open fence."
            )
        return changed

    def with_task_lines(self, texts: Sequence[str]) -> Heartbeat:
        """Add lines at the end of what stands under ``# Task``. Raises ``InvalidRequest`` if they begin a section."""
        task = next((each for each in self._sections if each.level == 1 and same_name(each.name, _TASK)), None)
        if task is None:
            self.check()
            return self
        at = next(at for at in range(task.end, 0, -1) if self._kinds[at - 1] is not Kind.BLANK)
        changed = self._edited([Edit(at, at, texts)], ())
        if changed.others(_TASK) != self.others(_TASK):
            raise InvalidRequest("This cannot stand under '# Task': it has headings of its own, or an open fence.")
        return changed

    @cached_property
    def _lines(self) -> list[Line]:
        return lines_of(self.text)

    @cached_property
    def _kinds(self) -> list[Kind]:
        return kinds_of(self._lines)

    @cached_property
    def _sections(self) -> list[Section]:
        return list(sections_of(self._lines, self._kinds))

    @cached_property
    def _items(self) -> Items:
        parts = [
            range(section.heading + 1, section.end)
            for section in self._sections
            if section.level > 1 and same_name(section.name, QUESTIONS)
        ]
        return items_of(self._lines, self._kinds, parts)

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.question.id: item for item in self._items.questions}

    def _item(self, question_id: str) -> Item:
        found = self._by_id.get(question_id)
        if found is not None:
            return found
        if not self._by_id:
            raise NotFound(f"There is no question {question_id[:100]!r}: the task has none.")
        near = difflib.get_close_matches(question_id[:100], self._by_id, n=1, cutoff=0.4)
        hint = f"the nearest is {near[0]!r}" if near else f"there is e.g. {next(iter(self._by_id))!r}"
        raise NotFound(f"There is no question {question_id[:100]!r}; {hint}.", question=question_id[:100])

    def _section(self, name: str) -> Section | None:
        return next((each for each in self._sections if each.level > 1 and same_name(each.name, name)), None)

    def _body(self, section: Section) -> str:
        texts = ["" if is_blank(line.text) else line.text for line in self._lines[section.heading + 1 : section.end]]
        return "\n".join(texts).strip("\n")

    def _gap(self) -> list[str]:
        """The blank line before what is put at the end."""
        has_text = bool(self._lines) and not is_blank(self._lines[-1].text.removeprefix(_BOM))
        return [""] if has_text else []

    def _apart(self, at: int) -> list[str]:
        """The blank line that keeps what stands in a line from becoming a part of the item before it."""
        return [""] if at < len(self._kinds) and self._kinds[at] is Kind.TEXT else []

    def _boxed(self, item: Item, box: str, *, earlier: bool = False) -> Edit:
        """The lines of a question with another box, and if so with its answer as an earlier one."""
        texts = [line.text for line in self._lines[item.start : item.end]]
        texts[0] = _boxed(item, box)
        for at in range(item.answers - item.start, len(texts)) if earlier else ():
            if is_label(texts[at], item.indent):
                texts[at] = as_earlier(texts[at])
        return Edit(item.start, item.end, texts)

    def _asking(self, questions: Sequence[str]) -> list[Edit]:
        """Where new questions go: behind the others, in the place of ``- None.``, or under the heading."""
        gone = [Edit(at, at + 1, []) for at in self._items.nones]
        section = self._section(QUESTIONS)
        if section is None:
            at = len(self._lines)
            return [Edit(at, at, [*self._gap(), f"## {QUESTIONS}", *questions])]
        inside = range(section.heading + 1, section.end)
        listed = [at for at in inside if self._kinds[at] in {Kind.ITEM, Kind.INSIDE}]
        words = [at for at in inside if self._kinds[at] is not Kind.BLANK]
        at = (listed or words or [section.heading])[-1] + 1
        before = [""] if not listed and words and self._kinds[at - 1] is Kind.TEXT else []
        return [*gone, Edit(at, at, [*before, *questions, *self._apart(at)])]

    def _edited(self, edits: Sequence[Edit], meant: Iterable[str]) -> Heartbeat:
        """The document with these edits, of which only the questions that are meant may know."""
        changed = Heartbeat(joined(edited(self._lines, edits)))
        if len(changed.text) > MAX_BYTES or len(changed.to_bytes()) > MAX_BYTES:
            raise TooLarge(_TOO_LARGE)
        others = frozenset(self._by_id) - frozenset(meant)
        if any(each not in changed._by_id or not _same(self._by_id[each], changed._by_id[each]) for each in others):
            raise Conflict(_UNCLOSED)
        return changed


_TOO_LARGE: Final = (
    f"HEARTBEAT.md may have {MAX_BYTES // 1024**2} MiB: move what is long into files of its own, and name them there."
)
_UNCLOSED: Final = (
    "HEARTBEAT.md has a code fence or a comment that is never closed, and this would close it: "
    "close it where it should end, and try again."
)
_KEPT: Final = tuple(name for name in Question.model_fields if name != "line")
_OPENED: Final = {"state": QuestionState.OPEN}


def _boxed(item: Item, box: str) -> str:
    marker = item.marker if item.marker[-1:] in {" ", "\t"} else f"{item.marker} "
    return f"{marker}[{box}] {item.rest}"


def _same(item: Item, other: Item) -> bool:
    # The line may be another; to compare the fields is a tenth of the work of comparing copies.
    return [other.question.__dict__[name] for name in _KEPT] == [item.question.__dict__[name] for name in _KEPT]
