"""What a person did while a screen was recorded: clicks, keys, windows; and the lines of the file that holds them.

Keys that type are not in it, only *that* something was typed. Where a program tells of its elements, the one that
something was done to is in it, with what a field held then; never what a field holds whose letters are hidden.

{"format":"vaider-input-log","version":1,"width":1280,"height":720,"started_at":"2026-11-21T19:13:17+00:00"}
    {"kind":"click","t_ms":1200,"button":"left","x":640,"y":360,"count":1,"element":{"role":"button","name":"Save"}}

The events stand in the order in which they ended. A last line without its end is that of a recorder that was killed.
"""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from core.accessibility import Role
from core.errors import InvalidRequest
from core.values import Value

Milliseconds = Annotated[int, Field(ge=0)]
Button = Literal["left", "middle", "right"]


class TouchedElement(Value):
    """The element that something was done to, in its program's words of that moment."""

    role: Role
    name: str = ""
    value: str | None = None
    """What it held when that was done; ``None`` for what holds nothing, and always for a secret."""
    before: str | None = None
    """What it held before letters were typed, where that is known."""
    of: str = ""
    """Of an option the name of the list or field that it was chosen for."""
    window: str = ""
    """The title of its window."""
    is_secret: bool = False
    """Whether it hides its letters, or its name says that it holds a secret."""
    is_document: bool = False
    """Whether it is a text of several lines, or a part of a document or a sheet: what it holds names nothing."""
    written: str | None = None
    """Of a document what stood before the caret then, or the last letters of that."""

    @property
    def content_rank(self) -> int:
        """How well it says what was typed into it: 2 as a field does, or as a secret, 1 as a document, 0 not at all."""
        return 2 if self.value is not None or self.is_secret else int(self.written is not None)


class Clicked(Value):
    """A button went down and up in about one place; ``count`` is 2 for a double click."""

    kind: Literal["click"] = "click"
    t_ms: Milliseconds
    button: Button = "left"
    x: int
    y: int
    count: Annotated[int, Field(ge=1, le=3)] = 1
    element: TouchedElement | None = None


class Dragged(Value):
    """A button went down in one place and up in another."""

    kind: Literal["drag"] = "drag"
    t_ms: Milliseconds
    until_ms: Milliseconds
    button: Button = "left"
    x: int
    y: int
    to_x: int
    to_y: int
    element: TouchedElement | None = None


class Scrolled(Value):
    """The wheel was turned; notches, down and right are positive."""

    kind: Literal["scroll"] = "scroll"
    t_ms: Milliseconds
    until_ms: Milliseconds
    x: int
    y: int
    down: int = 0
    right: int = 0


class Pressed(Value):
    """A key that types nothing, or a chord with Ctrl, Alt or Meta: names as ``core.key_names`` has them."""

    kind: Literal["key"] = "key"
    t_ms: Milliseconds
    keys: tuple[str, ...]
    element: TouchedElement | None = None
    """What had the focus."""


class Typed(Value):
    """Letters were typed, one after the other; which, the log does not say."""

    kind: Literal["typed"] = "typed"
    t_ms: Milliseconds
    until_ms: Milliseconds
    count: Annotated[int, Field(ge=1)]
    element: TouchedElement | None = None
    """What had the focus, as it was after the last letter."""


class Focused(Value):
    """Another window has the focus, or its title changed; also what had it at the start."""

    kind: Literal["window"] = "window"
    t_ms: Milliseconds
    application: str
    title: str
    command: tuple[str, ...] | None = None
    """How its program is opened anew: a name and files; nothing where other words are needed, which are not kept."""


InputEvent = Annotated[Clicked | Dragged | Scrolled | Pressed | Typed | Focused, Field(discriminator="kind")]


class InputLog(Value):
    """The whole log; times are milliseconds from the video's first frame, places its upright pixels."""

    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    events: tuple[InputEvent, ...] = ()
    """By ``t_ms``."""


def cut_log(log: InputLog, start_ms: int, end_ms: int) -> InputLog:
    """What was done from ``start_ms`` up to ``end_ms``, with times from ``start_ms``.

    The window that had the focus when the stretch began stands at its begin. What went on across an end is cut there.
    """
    start, end = max(start_ms, 0), max(end_ms, start_ms, 0)
    events = sorted(log.events, key=lambda event: event.t_ms)
    focused = [event for event in events if isinstance(event, Focused) and event.t_ms <= start]
    kept = [event for event in events if start <= event.t_ms < end and event is not (focused[-1] if focused else None)]
    first = [focused[-1].model_copy(update={"t_ms": 0})] if focused else []
    return InputLog(
        width=log.width, height=log.height, events=(*first, *(_shifted(event, start, end - start) for event in kept))
    )


def _shifted(event: InputEvent, start_ms: int, length_ms: int) -> InputEvent:
    t_ms = event.t_ms - start_ms
    if isinstance(event, Dragged | Scrolled | Typed):
        until = min(max(event.until_ms - start_ms, t_ms), length_ms)
        return event.model_copy(update={"t_ms": t_ms, "until_ms": until})
    return event.model_copy(update={"t_ms": t_ms})


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
    # Without what is not known, so that a log in which no program told anything is as it always was.
    return value.model_dump_json(exclude_none=True).encode() + b"\n"


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


def end_of_event(event: InputEvent) -> int:
    """When it was over, in milliseconds."""
    return event.until_ms if isinstance(event, Typed | Dragged | Scrolled) else event.t_ms


def _places(event: InputEvent) -> tuple[tuple[int, int], ...]:
    match event:
        case Clicked() | Scrolled():
            return ((event.x, event.y),)
        case Dragged():
            return ((event.x, event.y), (event.to_x, event.to_y))
        case _:
            return ()
