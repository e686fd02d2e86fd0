"""What a model made of a recording is kept only if it keeps to the format, and says that there is a task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidReply
from core.tasks.learning_gate import NoTaskReason, Status, read_extraction

CONTROL = "TaskDetected: true\nStatus: TASK_FOUND\nNoTaskReason: NONE\n"
BODY = """\
Title: Send the report
Goal: Ann has it.
SuccessCriteria:
- The line begins with
Status: Sent
- Status: Sent
SuggestedPlan:
1. Write "TaskDetected: false"
NoTaskReason: not a control line

## Questions
- [required] To whom?
Status: open
"""
VALID = f"# Task\n{CONTROL}{BODY}"


def test_control_lines_are_taken_out_of_the_header_and_of_nowhere_else() -> None:
    found = read_extraction(VALID)
    assert found.heartbeat is not None
    assert found.heartbeat.text == f"# Task\n{BODY}"
    assert (found.heartbeat.title, found.status, found.reason, found.no_task_message) == (
        "Send the report",
        Status.TASK_FOUND,
        NoTaskReason.NONE,
        "",
    )


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        (f"```markdown\n{VALID}```\n", f"# Task\n{BODY}"),
        (f"Here it is:\n\n{VALID}", f"# Task\n{BODY}"),
        (VALID.replace("\n", "\r\n"), f"# Task\n{BODY}".replace("\n", "\r\n")),
        (VALID.replace("TaskDetected: true", "- **TaskDetected:** True"), f"# Task\n{BODY}"),
        (
            f"# Task\nTitle: Send it\n{CONTROL}\nGoal: g\n\n## Questions\n",
            "# Task\nTitle: Send it\n\nGoal: g\n\n## Questions\n",
        ),
    ],
)
def test_a_reply_is_read_as_models_write_it(reply: str, kept: str) -> None:
    found = read_extraction(reply).heartbeat
    assert found is not None
    assert found.text == kept


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("# Task\n", "", "'# Task' is missing"),
        ("## Questions", "## Asked", "'## Questions' is missing"),
        ("## Questions", "```\n## Questions\n```", "'## Questions' is missing"),
        ("TaskDetected: true\n", "", "TaskDetected is missing"),
        ("Status: TASK_FOUND\n", "", "Status is missing"),
        ("NoTaskReason: NONE\n", "", "NoTaskReason is missing"),
        ("TaskDetected: true", "TaskDetected: maybe", "TaskDetected is 'maybe', and must be one of true, false"),
        ("Status: TASK_FOUND", "Status: FOUND", "must be one of TASK_FOUND, NO_TASK"),
        ("Status: TASK_FOUND", "Status: NO_TASK", "TaskDetected is true, but Status is NO_TASK"),
        ("NoTaskReason: NONE", "NoTaskReason: LOW_SIGNAL", "but NoTaskReason is LOW_SIGNAL"),
        ("TaskDetected: true", "TaskDetected: false", "TaskDetected is false, but Status is TASK_FOUND"),
        (BODY, "\n## Questions\n", "says nothing"),
        ("Goal", "\0", "binary"),
        ("Goal", "\ud800", "no text"),
        (VALID, "", "'# Task' is missing"),
    ],
)
def test_what_breaks_the_format_is_named(old: str, new: str, named: str) -> None:
    assert old in VALID
    with pytest.raises(InvalidReply, match="nothing was changed") as error:
        read_extraction(VALID.replace(old, new, 1))
    assert named in error.value.message


@pytest.mark.parametrize("reason", list(NoTaskReason))
@pytest.mark.parametrize("status", [Status.NO_TASK, Status.INSUFFICIENT_INFO])
def test_no_task_is_told_with_its_reason(status: Status, reason: NoTaskReason) -> None:
    found = read_extraction(
        f"# Task\nTaskDetected: false\nStatus: {status}\nNoTaskReason: {reason}\n\n## Questions\n- None.\n"
    )
    assert (found.heartbeat, found.status, found.reason) == (None, status, reason)
    assert found.no_task_message.startswith("Nothing was learned from the recording: ")


@given(st.lists(st.sampled_from([*VALID.splitlines(), "```", "<!--", "-->", ""]), max_size=14).map("\n".join))
def test_no_reply_is_let_through_without_its_fields(reply: str) -> None:
    try:
        found = read_extraction(reply)
    except InvalidReply:
        return
    assert CONTROL.splitlines()[0] in reply
    assert found.heartbeat is not None
    assert found.heartbeat.title
