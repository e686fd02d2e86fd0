"""What names the fields that were typed into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.text.lines import alike
from adapters.video.timeline.sentences import typed, typed_hidden
from core.analysis import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD: Final = 3
"""Shorter values stand by chance in a name."""


def without_values(events: Iterable[Event]) -> Iterator[Event]:
    """The events, in order of time; what was typed before names no field, though it stands right above the next."""
    values: list[str] = []
    for event in events:
        if event.kind is not EventKind.TYPED:
            yield event
            continue
        is_value = event.field and any(_is_value(event.field, value) for value in values)
        yield _nameless(event) if is_value else event
        values += [event.text] if event.text else []


def _is_value(name: str, value: str) -> bool:
    """Whether a name is what was typed, maybe with a sign of its field behind it."""
    return alike(name, value) or (len(value) >= _WORD and name.startswith(value))


def _nameless(event: Event) -> Event:
    said = typed_hidden(None) if event.text is None else typed(event.text, event.before, None)
    # An empty field says what it asks for.
    return event.model_copy(update={"field": event.before, "description": said})
