"""Input logs as they stand in files: a header, then one event a line, so that what was written survives any end.

    {"format":"vaider-input-log","version":1,"width":1280,"height":720,"started_at":"2026-11-21T19:13:17+00:00"}
    {"kind":"click","t_ms":1200,"button":"left","x":640,"y":360,"count":1}

The events stand in the order in which they ended. A last line without its end is that of a recorder that was killed.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from core.errors import InvalidRequest
from core.recording.input_log import Clicked, Dragged, InputEvent, InputLog, Scrolled
from core.values import Value

if TYPE_CHECKING:
    from pathlib import Path

LOG_SUFFIX: Final = ".input.jsonl"
MAX_LOG_BYTES: Final = 32 * 1024**2
_EVENT: Final[TypeAdapter[InputEvent]] = TypeAdapter(InputEvent)


class InputLogHeader(Value):
    """The first line: the size of the video's pictures, and when its first one was taken."""

    format: Literal["vaider-input-log"] = "vaider-input-log"
    version: Literal[1] = 1
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    started_at: datetime


def log_beside(video: Path) -> Path:
    """Where a video's input log is, if it has one."""
    return video.with_name(video.stem + LOG_SUFFIX)


def line_of(value: InputLogHeader | InputEvent) -> bytes:
    """The header or an event as a line, with its end."""
    return value.model_dump_json().encode() + b"\n"


def parse_input_log(data: bytes, name: str) -> InputLog:
    """Read a log, its events by time; those whose place is outside the pictures are left out.

    Args:
        data: the file.
        name: what to call it in errors.

    Raises:
        InvalidRequest: a line is no header or no event; the message has its number.

    """
    *lines, last = data.split(b"\n")
    if not lines:
        raise InvalidRequest(f"{name} is no input log: it has no first line. Delete it, or record again.")
    try:
        header = InputLogHeader.model_validate_json(lines[0])
    except ValidationError:
        raise InvalidRequest(
            f"{name} is no input log that this version reads: its first line is no header of version 1. Delete it, or "
            "record again."
        ) from None
    events: list[InputEvent] = []
    for number, line in enumerate([*lines[1:], last], 2):
        if not line.strip():
            continue
        try:
            event = _EVENT.validate_json(line)
        except ValidationError:
            if number == len(lines) + 1:
                continue
            raise InvalidRequest(
                f"{name}: line {number} is no event of an input log. Mend it, or delete the file to do without."
            ) from None
        if all(0 <= x < header.width and 0 <= y < header.height for x, y in _places(event)):
            events.append(event)
    events.sort(key=lambda event: event.t_ms)
    return InputLog(width=header.width, height=header.height, events=tuple(events))


def _places(event: InputEvent) -> tuple[tuple[int, int], ...]:
    match event:
        case Clicked() | Scrolled():
            return ((event.x, event.y),)
        case Dragged():
            return ((event.x, event.y), (event.to_x, event.to_y))
        case _:
            return ()
