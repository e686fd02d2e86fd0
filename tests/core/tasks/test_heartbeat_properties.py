"""HEARTBEAT.md under documents and edits that nobody thought of."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Conflict, VaiderError
from core.tasks.heartbeat import Heartbeat
from core.tasks.questions import Question, QuestionState

PIECES = (
    "# Task", "## Questions", "## Questions ##", "## Notes", "### More", "", "  ", "\t", "words", "- q", "- Q?",
    "* [ ] other", "- [x] done", "- [required] must", "- [stale] old", "- [ ]", "- None.", "  Answer: a", "Answer: b",
    "    more", "  Earlier answer: c", "\tdeep", "```", "~~~", "  ```", "    ```", "<!--", "-->", "<!-- x -->", "<pre>",
    "</pre>", "---", "- - -", "> quote", "1. one", " - near", "   - far", "- ```", "\ufeff", "\u2028", "\x0c", "é🚀",
)  # fmt: skip
Kept = dict[str, tuple[str, QuestionState, str | None, str | None]]
ENDS = ("\n", "\r\n", "\r")
LINES = st.lists(
    st.builds(str.__add__, st.sampled_from(PIECES) | st.text(max_size=6), st.sampled_from(ENDS)), max_size=25
)
DOCUMENTS = st.builds(
    str.__add__,
    st.sampled_from(["", "\ufeff", "# Task\nTitle: t\n## Questions\n", "# Task\r\nt\r\n## Questions\r\n"]),
    st.builds(str.__add__, LINES.map("".join), st.sampled_from(["", "", "end", "- last"])),
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), min_size=1, max_size=6).map("\n".join)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "answer", "answer", "answer", "reopen", "stale"]),
        st.integers(0, 9),
        TEXTS,
    ),
    max_size=12,
)


def kept(question: Question) -> tuple[str, QuestionState, str | None, str | None]:
    return question.text, question.state, question.answer, question.earlier_answer


@settings(max_examples=250, deadline=None)
@given(st.binary(max_size=60) | DOCUMENTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_reading_and_writing_is_the_identity(data: bytes) -> None:
    try:
        document = Heartbeat.read(data)
    except VaiderError:
        assert b"\0" in data or data.decode(errors="replace").encode() != data
        return
    assert document.to_bytes() == data
    assert document.with_section("No such", None).to_bytes() == data
    assert len({each.id for each in document.questions}) == len(document.questions)


@settings(max_examples=250, deadline=None)
@given(DOCUMENTS, EDITS)
def test_no_answer_is_lost_through_any_edits(text: str, edits: list[tuple[str, int, str]]) -> None:
    document = Heartbeat(text)
    expected: Kept = {each.id: kept(each) for each in document.questions}
    for kind, at, words in edits:
        try:
            document = edited(document, kind, at, words, expected)
        except VaiderError:
            continue
        found = {each.id: kept(each) for each in document.questions}
        assert {each: found[each] for each in expected} == expected
        expected = found


def edited(
    document: Heartbeat,
    kind: str,
    at: int,
    words: str,
    expected: Kept,
) -> Heartbeat:
    """Make the edit, and say in ``expected`` what it means; those that it may change otherwise are taken out."""
    if kind == "ask":
        changed = document.with_questions([words])
        known = [each.id for each in document.questions if each.state is QuestionState.STALE]
        opened = [each for each in known if changed.question(each).state is QuestionState.OPEN]
        assert len(changed.questions) + len(opened) == len(document.questions) + 1
        for each in opened:
            assert changed.question(each).earlier_answer or not document.question(each).answer
            del expected[each]
        return changed
    if not document.questions:
        return document
    question = document.questions[at % len(document.questions)]
    if kind == "answer":
        changed = document.with_answer(question.id, words)
        answer = words.replace("\r\n", "\n").replace("\r", "\n").strip()
        reported = changed.question(question.id)
        assert (reported.state, reported.answer) == (QuestionState.ANSWERED, answer)
    elif kind == "reopen":
        changed = document.reopened(question.id)
        assert (
            question.state is QuestionState.OPEN or changed.question(question.id).earlier_answer or not question.answer
        )
    else:
        changed = document.stale(question.id)
        assert changed.question(question.id).answer == question.answer
    del expected[question.id]
    return changed


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS, TEXTS)
def test_what_an_edit_does_not_mean_stays_byte_for_byte(text: str, answer: str) -> None:
    document = Heartbeat(text)
    try:
        changed = [document.with_answer(each.id, answer) for each in document.questions]
    except (Conflict, VaiderError):
        return
    for question, after in zip(document.questions, changed, strict=True):
        assert after.text[: len(_head(text, question.line))] == _head(text, question.line)
        assert after.with_answer(question.id, answer) is after


def _head(text: str, line: int) -> str:
    """What stands before a line, from 1."""
    return "".join(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)", text)[: line - 1])
