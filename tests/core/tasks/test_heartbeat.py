"""HEARTBEAT.md: what an edit does not mean stays as it is, and no answer is lost."""

import time

import pytest

from core.errors import Conflict, InvalidRequest, NotFound, TooLarge
from core.tasks.heartbeat import MAX_BYTES, Heartbeat
from core.tasks.questions import QuestionState
from tests.clock import within

MIXED = """\
# Task
Title: Send the weekly report
Goal: Ann has it.

## Questions
- [required] Which calendar is it?
- [x] Who is told?
  Answer: Ann.
- Is the weekend meant too?

## Notes
Status: not a control line.
"""
ANSWERS = (
    "plain",
    "## Questions\n- [x] not a question\n  Answer: nor an answer",
    "```\n# Task\nan open fence",
    "```py\ncode\n```\n\n\n~~~\n## no\n~~~",
    "- [ ] a list\n- None.\n\t- deeper\n        deepest\n# Task",
    "a\n\n\n    code\n  \nb",
    "Answer: yes\nEarlier answer: no\nAnswer: perhaps",
    "--> <!-- closed -->\n<pre>\n</script>",
    "[required] 1. \\ * > é 🚀 \u2028 \x0c",
    "---\n***\n===",
)


def ids(document: Heartbeat) -> list[str]:
    return [question.id for question in document.questions]


def only(text: str) -> str:
    """The id of the one question of a document."""
    (question,) = Heartbeat(text).questions
    return question.id


def test_a_mixed_list_is_read_with_boxes_and_answers() -> None:
    document = Heartbeat(MIXED)
    assert document.title == "Send the weekly report"
    assert document.section_names == ("Questions", "Notes")
    assert document.section("notes") == "Status: not a control line."
    assert [(each.text, each.state.value, each.required, each.answer, each.line) for each in document.questions] == [
        ("Which calendar is it?", "open", True, None, 6),
        ("Who is told?", "answered", False, "Ann.", 7),
        ("Is the weekend meant too?", "open", False, None, 9),
    ]
    assert [each.text for each in document.open_questions] == ["Which calendar is it?", "Is the weekend meant too?"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("- q", ("q", "open", None)),
        ("* [ ] q", ("q", "open", None)),
        ("+ [X] q\n  answer: a", ("q", "answered", "a")),
        ("1. [x] q\n   Answer: a", ("q", "answered", "a")),
        ("- [ ] q\n  Answer: a", ("q", "answered", "a")),
        ("- [ ] q\n  Answer:", ("q", "open", None)),
        ("- [x] q", ("q", "answered", None)),
        ("- [x] q\nAnswer: not indented", ("q", "answered", "not indented")),
        ("- [x] q\n  - **Answer:** a\n    b", ("q", "answered", "a\nb")),
        ("- [x] q\n\n  Answer: a\n\n  b", ("q", "answered", "a\n\nb")),
        ("- [x] q\n  Answer: these\n  - one\n  - two", ("q", "answered", "these\n- one\n- two")),
        ("- [ ] a long\n  question\nof three lines\n  Answer: a", ("a long question of three lines", "answered", "a")),
        ("- [ ] q\n  ```\n  Answer: an example\n  ```", ("q", "open", None)),
        ("- [ ] q\n  <!--\n  Answer: put it here\n  -->", ("q", "open", None)),
        ("- [stale] q\n  Answer: a", ("q", "stale", "a")),
        ("- [link](https://example.org) q", ("[link](https://example.org) q", "open", None)),
        ("  - [ ] q\n    Answer: a\n      b", ("q", "answered", "a\nb")),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_questions_are_read_as_people_write_them(written: str, expected: tuple[str, str, str | None], end: str) -> None:
    document = Heartbeat(f"# Task\nt\n\n## Questions\n\n{written}\n\n## Notes\n- no question".replace("\n", end))
    assert [(each.text, each.state.value, each.answer) for each in document.questions] == [expected]


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n## Questions\n- no\n```",
        "~~~~ md\n```\n## Questions\n- no\n~~~\n~~~~",
        "    ## Questions\n    - no",
        "\t## Questions\n\t- no",
        "<!--\n## Questions\n- no\n-->",
        "<pre>\n## Questions\n- no\n</pre>",
        "> ## Questions\n> - no",
        "- step\n\n  ## Questions\n  - no",
        "1. step\n   ```\n   ## Questions\n   - no\n   ```",
        "### Questions\n- no",
        "#Questions\n- no",
    ],
)
def test_what_only_looks_like_the_section_has_no_questions(hidden: str) -> None:
    document = Heartbeat(f"# Task\nt\n\n{hidden}\n\n## Questions\n- yes\n")
    assert [each.text for each in document.questions] == ["yes"]
    text = document.with_questions(["And this?"]).with_answer(only(document.text), "a").text
    assert text == f"# Task\nt\n\n{hidden}\n\n## Questions\n- [x] yes\n  Answer: a\n- [ ] And this?\n"
    alone = Heartbeat(f"# Task\nt\n\n{hidden}")
    assert alone.questions == ()
    assert alone.with_questions(["q"]).text == f"{alone.text}\n\n## Questions\n- [ ] q"


@pytest.mark.parametrize("opening", ["```", "~~~~", "<!-- remember", "<pre>", "- step\n  ```"])
def test_what_is_never_closed_hides_no_question_and_is_not_closed_by_an_edit(opening: str) -> None:
    document = Heartbeat(f"# Task\nt\n{opening}\n\n## Questions\n- one\n- two\n")
    assert [each.text for each in document.questions] == ["one", "two"]
    refused: list[str] = []
    for answer in ANSWERS:
        try:
            changed = document.with_answer(document.questions[1].id, answer)
        except Conflict as conflict:
            refused.append(conflict.message)
        else:
            assert [each.answer for each in changed.questions] == [None, answer.strip()]
    assert len(refused) == (1 if opening.startswith("<!--") else 0)
    assert all("never closed" in message for message in refused)


def test_a_box_before_what_looks_like_a_fence_changes_nothing_else() -> None:
    document = Heartbeat("# Task\nt\n## Questions\n- ```\nAnswer: b\n")
    (question,) = document.questions
    assert question.answer == "b"
    assert document.stale(question.id).question(question.id).answer == "b"
    fenced = Heartbeat("# Task\nt\n## Questions\n- [x] q\n  Answer:\n  ```\n  a\n  ```\nmine\n")
    assert fenced.questions[0].answer == "```\na\n```"
    assert fenced.with_questions(["r"]).text.endswith("  ```\n- [ ] r\n\nmine\n")
    once = fenced.with_answer(fenced.questions[0].id, "c")
    assert once.text.endswith("- [x] q\n  Answer: c\n\nmine\n")
    assert once.with_answer(once.questions[0].id, "d").text == once.text.replace("c\n", "d\n")


def test_two_sections_of_questions_are_both_read() -> None:
    document = Heartbeat("# Task\nt\n## Questions\n- one\n## Notes\n## questions:\n- two\n")
    assert [each.text for each in document.questions] == ["one", "two"]


@pytest.mark.parametrize("marker", ["- None.", "- none", "* None.", "- [ ] None."])
def test_a_none_marker_hides_nothing_and_goes_when_a_question_comes(marker: str) -> None:
    assert Heartbeat(f"# Task\nt\n\n## Questions\n{marker}\n").questions == ()
    document = Heartbeat(f"# Task\nt\n\n## Questions\n{marker}\n- one\n")
    assert [each.text for each in document.questions] == ["one"]
    assert document.with_questions(["two"]).text == "# Task\nt\n\n## Questions\n- one\n- [ ] two\n"
    alone = Heartbeat(f"# Task\nt\n\n## Questions\n\n{marker}\n\n## Notes\n")
    asked = alone.with_questions(["[required] two"])
    assert asked.text == "# Task\nt\n\n## Questions\n\n- [required] two\n\n## Notes\n"


def test_a_question_that_begins_with_none_is_one() -> None:
    document = Heartbeat("# Task\nt\n## Questions\n- None of these?\n- None.\n  Remark.\n- None.\n  Answer: so it is\n")
    assert [each.text for each in document.questions] == ["None of these?", "None."]
    assert "Remark" in document.with_questions(["q"]).text


def test_an_answer_ticks_the_box_and_a_new_one_leaves_no_old_one() -> None:
    question = Heartbeat(MIXED).questions[0].id
    once = Heartbeat(MIXED).with_answer(question, " The red one. ")
    assert once.text == MIXED.replace(
        "- [required] Which calendar is it?\n", "- [x] Which calendar is it?\n  Answer: The red one.\n"
    )
    again = once.with_answer(question, "Two:\nthe red one\n\nthe blue one")
    assert again.text == MIXED.replace(
        "- [required] Which calendar is it?\n",
        "- [x] Which calendar is it?\n  Answer:\n    Two:\n    the red one\n\n    the blue one\n",
    )
    assert again.with_answer(question, "The red one.") == once
    assert again.with_answer(question, again.question(question).answer or "").text is again.text


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_answer_comes_back_as_it_was_given(answer: str, end: str) -> None:
    text = "\ufeff# Task\nt\n## Questions\n   - one\n- two\n  remark\n\n## Notes\n- x".replace("\n", end)
    document = Heartbeat(text)
    for question in document.questions:
        changed = document.with_answer(question.id, answer.replace("\n", end))
        assert changed.question(question.id).answer == answer.strip()
        assert [each for each in ids(changed) if each != question.id] == [
            each for each in ids(document) if each != question.id
        ]
        assert changed.section_names == ("Questions", "Notes")
        assert changed.with_answer(question.id, "x").with_answer(question.id, answer) == changed
        lines = changed.text.replace("\r\n", "\n").replace("\r", "\n") if end != "\n" else changed.text
        assert lines.replace("\n", end) == changed.text
        assert not changed.text.endswith(end)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n\n"])
def test_repeated_edits_add_no_line_ends(end: str, last: str) -> None:
    text = f"# Task\nt\n\n## Questions\n- one{last}".replace("\n", end)
    document = Heartbeat(text)
    for at in range(5):
        document = document.with_answer(document.questions[0].id, f"a{at}").with_questions([f"q{at}"])
    added = [f"- [ ] q{at}" for at in range(5)]
    expected = "\n".join(["# Task", "t", "", "## Questions", "- [x] one", "  Answer: a4", *added]) + last
    assert document.text == expected.replace("\n", end)


def test_mixed_line_ends_stay_and_new_lines_take_the_usual_one() -> None:
    text = "# Task\r\nt\r\n\r\n## Questions\r\n- one\n- two\r\rend"
    document = Heartbeat(text)
    changed = document.with_answer(document.questions[0].id, "a")
    assert changed.text == "# Task\r\nt\r\n\r\n## Questions\r\n- [x] one\n  Answer: a\r\n- two\r\rend"


def test_a_question_lives_on_through_answers_and_reopening() -> None:
    document = Heartbeat("# Task\nt\n## Questions\n- [required] Which?\n")
    question = document.questions[0].id
    answered = document.with_answer(question, "one\n\ntwo")
    stale = answered.stale(question)
    assert "- [stale] Which?\n  Answer:\n    one" in stale.text
    assert (stale.question(question).state, stale.question(question).answer) == (QuestionState.STALE, "one\n\ntwo")
    assert stale.open_questions == ()
    for reopened in (answered.reopened(question), stale.reopened(question), stale.with_questions(["which"])):
        (found,) = reopened.questions
        assert (found.id, found.state, found.answer, found.earlier_answer) == (
            question,
            QuestionState.OPEN,
            None,
            "one\n\ntwo",
        )
        assert reopened.reopened(question) is reopened
        assert (
            reopened.with_answer(question, "three").text == "# Task\nt\n## Questions\n- [x] Which?\n  Answer: three\n"
        )
    assert "- [required] Which?" in answered.reopened(question, required=True).text
    by_hand = Heartbeat(answered.reopened(question).text + "  Answer: four\n")
    assert (by_hand.questions[0].answer, by_hand.questions[0].earlier_answer) == ("four", "one\n\ntwo")


def test_ids_stay_when_other_lines_change() -> None:
    before = Heartbeat(MIXED)
    turned = MIXED.replace("- Is the weekend meant too?\n", "").replace(
        "## Questions\n", "A line more.\n\n## Questions\n\n- Is the **weekend** meant,\n  too\n- A new one\n"
    )
    after = Heartbeat(turned)
    assert set(ids(before)) < set(ids(after))
    assert ids(before)[0].startswith("which-calendar-is-it-")
    twice = Heartbeat("# Task\nt\n## Questions\n- q\n- Q?\n- 何?\n- ???\n- ...\n")
    assert ids(twice)[1] == f"{ids(twice)[0]}-2"
    assert len(set(ids(twice))) == 5


def test_known_questions_are_not_asked_again() -> None:
    document = Heartbeat(MIXED)
    with pytest.raises(Conflict, match="no new question"):
        document.with_questions(["which calendar is it", "Who is told?"])
    changed = document.with_questions(["Who is told", "New?", "new", "[required] Newer?"])
    assert [each.text for each in changed.questions[3:]] == ["New?", "Newer?"]
    assert "- Is the weekend meant too?\n- [ ] New?\n- [required] Newer?\n\n## Notes" in changed.text


def test_the_section_is_made_where_there_is_none() -> None:
    assert Heartbeat("# Task\nt\n").with_questions(["q"]).text == "# Task\nt\n\n## Questions\n- [ ] q\n"
    assert Heartbeat("").with_questions(["q"]).text == "## Questions\n- [ ] q\n"
    words = Heartbeat("# Task\nt\n\n## Questions\n<!-- here -->\nWords.\n\n## Notes")
    assert "Words.\n\n- [ ] q\n\n## Notes" in words.with_questions(["q"]).text


def test_a_section_is_replaced_added_and_taken_out() -> None:
    document = Heartbeat(MIXED.replace("\n", "\r\n"))
    changed = document.with_section("Schedule", "every weekday at 9:00\n")
    assert changed.text == document.text + "\r\n## Schedule\r\nevery weekday at 9:00\r\n"
    assert changed.with_section("schedule", "never").section("Schedule") == "never"
    assert changed.with_section("Notes", None).text.endswith("too?\r\n\r\n## Schedule\r\nevery weekday at 9:00\r\n")
    for body in ("# Task\nother", "## Questions\n- q"):
        with pytest.raises(InvalidRequest, match="headings of its own"):
            document.with_section("Schedule", body)
    assert document.with_section("Schedule", "```\n# Task\n```").section("Schedule") == "```\n# Task\n```"
    with pytest.raises(InvalidRequest, match="as a whole"):
        document.with_section("Questions", "- None.")


def test_what_is_no_task_is_told() -> None:
    with pytest.raises(TooLarge, match="8 MiB"):
        Heartbeat.read(b"x" * 50_000_000)
    with pytest.raises(InvalidRequest, match="byte 2 is 0"):
        Heartbeat.read(b"# \0Task")
    with pytest.raises(InvalidRequest, match=r"no UTF-8 text \(byte 7\)"):
        Heartbeat.read(b"# Task\n\xe9")
    with pytest.raises(InvalidRequest, match="no '# Task'"):
        Heartbeat.read(b"## Task\nt").check()
    with pytest.raises(InvalidRequest, match="says nothing"):
        Heartbeat.read(b"# Task\n\n<!-- t -->\n## Questions\n").check()
    with pytest.raises(InvalidRequest, match="half of one"):
        Heartbeat("# Task\n\ud800").to_bytes()
    for blank in ("", " \n", "<!-- x -->", "# x", "a\0", "\ud800"):
        with pytest.raises(InvalidRequest, match="is no title"):
            Heartbeat.new(blank)
    assert Heartbeat.new(" Send \n it ").text == "# Task\nSend it\n\n## Questions\n"


def test_what_is_no_question_or_answer_is_told() -> None:
    document = Heartbeat(MIXED)
    known = document.questions[0].id
    for answer in ("", " \r\n\t"):
        with pytest.raises(InvalidRequest, match="blank"):
            document.with_answer(known, answer)
    for answer in ("\0", "\ud800"):
        with pytest.raises(InvalidRequest, match="must be text"):
            document.with_answer(known, answer)
    with pytest.raises(TooLarge):
        document.with_answer(known, "x" * 200_001)
    with pytest.raises(NotFound, match=known):
        document.with_answer(known[:-2], "a")
    with pytest.raises(NotFound, match="the task has none"):
        Heartbeat("# Task").stale("q")
    for question in ("", "None.", "[required]", "a\0"):
        with pytest.raises(InvalidRequest):
            document.with_questions(["fine", question])
    with pytest.raises(TooLarge):
        Heartbeat("# Task\nt" + "x" * (MAX_BYTES - 10)).with_questions(["q"])


@pytest.mark.nightly
def test_ten_thousand_questions_are_asked_and_answered_in_seconds() -> None:
    began = time.monotonic()
    document = Heartbeat.new("Many").with_questions([f"Is number {at} right?" for at in range(10_000)])
    document = document.with_answers({each: f"yes\n## {each}" for each in ids(document)})
    assert [each.answer for each in Heartbeat(document.text).questions] == [f"yes\n## {each}" for each in ids(document)]
    within(10, time.monotonic() - began)


@pytest.mark.parametrize(
    "line",
    [
        "```x",
        "<!--",
        pytest.param("- q", marks=pytest.mark.nightly),
        pytest.param("#" + " " * 500, marks=pytest.mark.nightly),
        "- [ ] " * 50,
        pytest.param("~" * 200, marks=pytest.mark.nightly),
        pytest.param(" " * 900, marks=pytest.mark.nightly),
        pytest.param("* " * 300, marks=pytest.mark.nightly),
    ],
)
def test_no_document_takes_more_than_linear_time(line: str) -> None:
    began = time.monotonic()
    document = Heartbeat("# Task\nt\n## Questions\n" + f"{line}\n" * 8000)
    document.with_questions(["One more?"])
    within(8, time.monotonic() - began)
