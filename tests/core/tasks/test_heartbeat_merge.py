"""A newer recording adds what is new and asks about what differs; answers and edits by hand stay as they are."""

from hypothesis import given
from hypothesis import strategies as st

from core.errors import CallerError
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import FIELDS, task_fields
from core.tasks.learning import merged

LEARNED = """\
# Task
Title: Send the report
Goal: Ann has it.
AppsObserved:
- Mail
- Files
SuccessCriteria:
- "Sent" is shown.
SuggestedPlan:
1. Open Mail.
2. Press "Send".
Evidence:
- [00:01-00:04] Mail is opened.

## Questions
- [required] To whom?
- [ ] When?
"""
MINE = LEARNED.replace("Title: Send the report", "Title: Mine").replace("\n", "\r\n").replace(
    "- [required] To whom?", "- [x] To whom?\r\n  Answer: ## Ann"
) + "\r\n## Notes\r\nby hand"  # fmt: skip


def asked(old: str, new: str) -> list[str]:
    """What is asked when the newer recording says this instead."""
    assert old in LEARNED
    after = merged(Heartbeat(MINE), Heartbeat(LEARNED.replace(old, new)))
    assert after.text.replace("".join(f"- [ ] {each.text}\r\n" for each in after.questions[2:]), "") == MINE
    return [each.text for each in after.questions[2:]]


def test_the_parts_of_a_task_are_read_by_their_labels_or_sections() -> None:
    fields = task_fields(Heartbeat(LEARNED))
    assert tuple(fields) == tuple(name for name in FIELDS if name in fields)
    assert fields["SuggestedPlan"].items == ("Open Mail.", 'Press "Send".')
    assert fields["Goal"].items == ("Ann has it.",)
    people = "# Task\nSend it\n**Goal:** a\nlong goal\n<!--\nEvidence: x\n-->\n"
    fields = task_fields(Heartbeat(f"{people}## Success criteria\n\n1) one\n   more\n* two\n"))
    assert {name: field.items for name, field in fields.items() if name != "Goal"} == {
        "SuccessCriteria": ("one more", "two")
    }
    assert fields["Goal"].items[0].startswith("a long goal")


def test_the_same_recording_changes_nothing() -> None:
    assert merged(Heartbeat(MINE), Heartbeat(LEARNED)).text == MINE


def test_what_differs_is_asked_once_and_overwrites_nothing() -> None:
    assert asked("Goal: Ann has it.", "Goal: Bob has it.") == [
        'The newer recording has another Goal: "Bob has it.". Does it hold from now on?'
    ]
    assert asked('2. Press "Send".', '2. Press "Send now".') == [
        'The newer recording has another SuggestedPlan: "Open Mail."; "Press "Send now".". Does it hold from now on?'
    ]
    assert asked("- Files\n", "- Web\n") == [
        'The newer recording adds to AppsObserved: "Web". Shall it be added?',
        'The newer recording does not show of AppsObserved: "Files". Does it still hold?',
    ]
    assert asked("- Mail\n- Files\n", "- Files\n- Mail\n") == []
    assert asked("[00:01-00:04] Mail", "[00:02-00:09] Another mail") == []
    assert asked("- [required] To whom?", "- [x] To whom?\n  Answer: Bob") == [
        'The newer recording says "Bob" to: To whom? Which answer holds?'
    ]
    assert asked("- [ ] When?", "- [ ] when\n- [ ] Why?") == ["Why?"]


def test_merging_again_asks_nothing_again() -> None:
    newer = Heartbeat(LEARNED.replace("Ann", "Bob").replace("- Files\n", "").replace("When?", "Where?"))
    once = merged(Heartbeat(MINE), newer)
    assert len(once.questions) == 5
    assert merged(once, newer) == once
    answered = once.with_answers({each.id: "so it is" for each in once.questions})
    assert merged(answered, newer) == answered


def test_an_open_question_is_answered_by_the_recording() -> None:
    newer = LEARNED.replace("- [ ] When?", "- [x] When?\n  Answer: At nine.")
    after = merged(Heartbeat(MINE), Heartbeat(newer))
    assert [each.answer for each in after.questions] == ["## Ann", "At nine."]


def test_what_is_lacking_is_added_but_not_what_somebody_took_out() -> None:
    bare = Heartbeat("# Task\nSend it\n\n## Questions\n- None.\n\n## Notes\nmine")
    full = merged(bare, Heartbeat(LEARNED))
    own = LEARNED[LEARNED.index("Goal") : LEARNED.index("Evidence")]
    assert full.text == f"# Task\nSend it\n{own}\n## Questions\n- [required] To whom?\n- [ ] When?\n\n## Notes\nmine"
    taken = Heartbeat(LEARNED.replace("Goal: Ann has it.\n", ""))
    assert merged(taken, Heartbeat(LEARNED), base=Heartbeat(LEARNED)) == taken
    assert "Goal: Ann has it." in merged(taken, Heartbeat(LEARNED)).text
    sections = Heartbeat(LEARNED + "\n## Schedule\ndaily\n\n## Hints\nslow\n")
    assert merged(Heartbeat(MINE), sections).section_names == ("Questions", "Notes", "Hints")
    assert merged(Heartbeat(MINE), sections, base=sections).text == MINE


LINES = st.lists(
    st.sampled_from([*LEARNED.splitlines(), "- [x] Else?", "  Answer: b", "## Notes", "```", "x", ""]), max_size=16
)


@given(LINES.map("\n".join), LINES.map("\n".join))
def test_no_merge_loses_an_answer_or_a_line(mine: str, newer: str) -> None:
    before = Heartbeat(f"# Task\nt\n{mine}")
    try:
        after = merged(before, Heartbeat(f"# Task\nt\n{newer}"))
    except CallerError:
        assert "```" in mine + newer
        return
    answers = {each.id: each.answer for each in before.questions if each.answer is not None}
    assert answers.items() <= {each.id: each.answer for each in after.questions}.items()
    rest = iter(after.text.splitlines())
    unchanged = [line for line in before.text.splitlines() if line[:2] not in {"- ", "1.", "2."}]
    assert all(line in rest for line in unchanged)
