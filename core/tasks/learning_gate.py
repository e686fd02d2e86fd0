"""What must hold of what a model made of a recording before any of it is kept.

The reply is ``# Task`` with the control lines ``TaskDetected``, ``Status`` and ``NoTaskReason``, then the task, and
``## Questions``. The control lines are read, and taken out, only in the header: the lines ``Name: value`` that follow
``# Task`` at once. A "Status: Sent" among the success criteria is one of them and stays.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from core.errors import InvalidReply, InvalidRequest, TooLarge
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import Kind, Line, joined, kinds_of, lines_of, same_name, sections_of

_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})[ \t]*(?:markdown|md)?[ \t]*\r?\n(.*?)\r?\n\1[ \t]*\s*", re.DOTALL)
_CONTROL: Final = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?(TaskDetected|Status|NoTaskReason)(?:\*\*)?[ \t]*:(?:\*\*)?(.*)",
    re.IGNORECASE | re.DOTALL,
)
_VALUE: Final = re.compile(r"[A-Za-z][\w ]{0,60}:[ \t]*\S.*", re.DOTALL)
_SHOWN: Final = 60
Choice = TypeVar("Choice", bound=StrEnum)


class Status(StrEnum):
    """What was found in the recording."""

    TASK_FOUND = "TASK_FOUND"
    NO_TASK = "NO_TASK"
    INSUFFICIENT_INFO = "INSUFFICIENT_INFO"


class NoTaskReason(StrEnum):
    """Why it is no task."""

    NONE = "NONE"
    NO_ACTIONABLE_SEQUENCE = "NO_ACTIONABLE_SEQUENCE"
    NON_TASK_CONTENT = "NON_TASK_CONTENT"
    LOW_SIGNAL = "LOW_SIGNAL"
    INCOMPLETE_DEMO = "INCOMPLETE_DEMO"


class _Detected(StrEnum):
    TRUE = "true"
    FALSE = "false"


_SENTENCES: Final = {
    NoTaskReason.NONE: "no task was found in it",
    NoTaskReason.NO_ACTIONABLE_SEQUENCE: "it shows no steps that could be done again",
    NoTaskReason.NON_TASK_CONTENT: "what it shows is no task on a computer",
    NoTaskReason.LOW_SIGNAL: "too little can be made out in it",
    NoTaskReason.INCOMPLETE_DEMO: "it ends before the task is done",
}


class Extraction(NamedTuple):
    """A reply that keeps to the format."""

    heartbeat: Heartbeat | None
    """The document without the control lines; ``None`` if there is no task."""
    status: Status
    reason: NoTaskReason

    @property
    def no_task_message(self) -> str:
        """Why there is no task, for people; empty if there is one."""
        if self.heartbeat is not None:
            return ""
        return (
            f"Nothing was learned from the recording: {_SENTENCES[self.reason]}. Record the whole task and try again."
        )


def read_extraction(reply: str) -> Extraction:
    """What a model's reply says, in a fence of its own or not; words before ``# Task`` are left out.

    Raises:
        InvalidReply: it breaks the format; the message names what is missing or contradicts.

    """
    fenced = _FENCE.fullmatch(reply)
    lines = lines_of((fenced[2] + "\n" if fenced else reply).removeprefix("\ufeff"))
    kinds = kinds_of(lines)
    sections = list(sections_of(lines, kinds))
    task = next((each for each in sections if each.level == 1 and same_name(each.name, "Task")), None)
    if task is None:
        raise _invalid("'# Task' is missing")
    if not any(each.level > 1 and same_name(each.name, "Questions") for each in sections):
        raise _invalid("'## Questions' is missing")
    header = _header(lines[task.heading + 1 : task.end], kinds[task.heading + 1 : task.end])
    values = dict(header.values())
    detected = _choice(values, "TaskDetected", _Detected)
    status = _choice(values, "Status", Status)
    reason = _choice(values, "NoTaskReason", NoTaskReason)
    if (detected is _Detected.TRUE) is not (status is Status.TASK_FOUND):
        raise _invalid(f"TaskDetected is {detected.value}, but Status is {status.value}")
    if detected is _Detected.FALSE:
        return Extraction(None, status, reason)
    if reason is not NoTaskReason.NONE:
        raise _invalid(f"TaskDetected is true, but NoTaskReason is {reason.value}")
    control = {task.heading + 1 + at for at in header}
    kept = [line for at, line in enumerate(lines) if at >= task.heading and at not in control]
    try:
        heartbeat = Heartbeat.read(Heartbeat(joined(kept)).to_bytes())
        heartbeat.check()
    except (InvalidRequest, TooLarge) as error:
        raise _invalid(error.message.rstrip(".")) from None
    return Extraction(heartbeat, status, reason)


def with_control_lines(task: Heartbeat) -> str:
    """The reply that says that this task was found."""
    before, heading, rest = task.text.partition("# Task")
    status = f"\nTaskDetected: true\nStatus: {Status.TASK_FOUND.value}\nNoTaskReason: {NoTaskReason.NONE.value}"
    return f"{before}{heading}{status}{rest}"


def _header(lines: list[Line], kinds: list[Kind]) -> dict[int, tuple[str, str]]:
    """The control lines: by their place below ``# Task``, name and value; of each name the first."""
    found: dict[int, tuple[str, str]] = {}
    names: set[str] = set()
    for at, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        control = _CONTROL.fullmatch(line.text)
        if kind is Kind.BLANK:
            continue
        if control is not None and kind is not Kind.HIDDEN and control[1].lower() not in names:
            names.add(control[1].lower())
            found[at] = control[1].lower(), control[2].strip().strip("`*").strip()
        elif kind is not Kind.TEXT or not _VALUE.fullmatch(line.text):
            break
    return found


def _choice(values: dict[str, str], name: str, choices: type[Choice]) -> Choice:
    value = values.get(name.lower())
    if value is None:
        raise _invalid(f"{name} is missing under '# Task'")
    for choice in choices:
        if value.casefold() == choice.value.casefold():
            return choice
    known = ", ".join(choice.value for choice in choices)
    raise _invalid(f"{name} is {value[:_SHOWN]!r}, and must be one of {known}")


def _invalid(what: str) -> InvalidReply:
    return InvalidReply(f"The model's account of the recording cannot be used, and nothing was changed: {what}.")
