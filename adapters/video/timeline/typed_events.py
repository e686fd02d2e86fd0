"""What was typed, as an event: from the changes of one line to its value, its field and its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap, same_row
from adapters.video.text.labels import is_hint, name_of
from adapters.video.text.lines import digits, similarity
from adapters.video.timeline.chains import is_same_number, line_of, typed_until
from adapters.video.timeline.sentences import typed
from core.analysis import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_BEFORE_MS: Final = 400
_BEGINNING_MS: Final = 1000
_FIRST: Final = 2
"""So many letters that came just before may be typed; more are a prompt."""
_GOES_ON: Final = frozenset({EventKind.APPEARED, EventKind.CHANGED, EventKind.TYPED})
_ALIKE: Final = 0.6
_PAUSE_MS: Final = 10_000
"""Somebody who looks for a letter, or thinks, goes on after less."""


def with_first_letter(chain: list[Draft], drafts: Sequence[Draft]) -> list[Draft]:
    """The chain with what was no text yet around it, or only its caret, and what its field asked for.

    That may go before the first letter is seen.
    """
    line = line_of(chain[-1])
    if line is None:
        return chain
    x, y, wide, high = line.came_at
    row = (x - high, y - high, wide + 2 * high, 3 * high)
    around_it = [
        draft
        for draft in drafts
        if (not draft.match.says_anything or _asked(draft, chain[0]) is not None)
        and chain[0].t_ms - _BEFORE_MS <= draft.t_ms <= chain[-1].t_ms + _BEFORE_MS
        and 2 * overlap(draft.box, row) >= draft.box[2] * draft.box[3]
    ]
    return sorted([*chain, *around_it], key=lambda draft: (draft.seen_ms, draft.t_ms))


def _asked(draft: Draft, first: Draft) -> Line | None:
    """What an empty field asked for, which went alone right before the first letters came in its place."""
    found, came = draft.match, first.match.added
    if found.coming or len(found.removed) != 1 or not came or draft.t_ms >= first.t_ms:
        return None
    went, line = found.removed[0], came[0]
    is_there = same_row(went.box, line.box) and abs(went.box[0] - line.box[0]) <= line.box[3]
    return went if is_there and is_hint(went, line) else None


def typed_event(chain: Sequence[Draft]) -> Event:
    """What one line's changes typed; it has no end where it is one letter more of what stood in a field."""
    reported = [draft for draft in chain if draft.match.coming]
    first, last = reported[0], reported[-1]
    asked = next((went for draft in chain if (went := _asked(draft, first)) is not None), None)
    line, stood = last.match.coming[0], first.match.changed[0][0] if first.match.changed else asked
    # What came just before is the beginning of what was typed.
    is_beginning = stood and first.t_ms - stood.t_ms <= _BEGINNING_MS and line.text.startswith(stood.text)
    before = stood.text if stood and not is_beginning else None
    first_ms = stood.t_ms if stood and is_beginning and len(stood.text) <= _FIRST else None
    since_ms = chain[0].t_ms if first_ms is None else min(chain[0].t_ms, first_ms)
    label = name_of(first.match.coming[0], asked, first.stood) if asked else first.label
    text, field = line.text, label or before
    until_ms = max(typed_until(reported), first_ms or 0)
    if before is not None and (value := _behind_name(text, before)):
        text, field, before = value, before, None
    return Event(
        t_ms=since_ms,
        until_ms=None if until_ms == since_ms and line.is_value else until_ms,
        kind=EventKind.TYPED,
        text=text,
        before=before,
        # Where it was typed, wherever it may stand on a later page.
        region=line.came_at,
        confidence=round(min(line.score, 1.0), 3),
        frame=last.frame,
        description=typed(text, before, field),
        field=field,
    )


def filled_event(fill: Sequence[Draft]) -> Event:
    """What filled a field; it has no end where no letter of it is seen to come after another."""
    event = typed_event(fill)
    return event if len(fill) > 1 else event.model_copy(update={"until_ms": None})


def _behind_name(text: str, before: str) -> str:
    """What was typed behind a field's name that was read with it as one line."""
    return text.removeprefix(before).strip() if before.endswith(":") and text.startswith(before) else ""


def typed_on(lines: Sequence[Event]) -> Event:
    """One event for the lines of a text that were written one below the other."""
    if len(lines) == 1:
        return lines[0]
    text = " ".join(line.text for line in lines if line.text)
    return lines[0].model_copy(
        update={
            "until_ms": lines[-1].until_ms,
            "text": text,
            "region": around(line.region for line in lines if line.region),
            "confidence": min(line.confidence for line in lines),
            "frame": lines[-1].frame,
            "description": typed(text, lines[0].before, None),
        }
    )


def carried_on(events: Sequence[Event]) -> list[Event]:
    """The events, in order of time; what comes behind a typed text in its place, after a pause, was typed as well.

    So was what corrects it, and what comes where letters had been taken away. Where something happened elsewhere in
    between, that may have put it there.
    """
    result: list[Event] = []
    for event in events:
        at = next((at for at in reversed(range(len(result))) if _goes_on(result[at], event)), None)
        if at is None or not all(_is_beside(result[at], other) for other in result[at + 1 :]):
            result.append(event)
            continue
        typing = result[at]
        more = {
            "until_ms": event.until_ms or event.t_ms,
            "text": event.text,
            "region": event.region,
            "confidence": min(typing.confidence, event.confidence),
            "frame": event.frame,
            "description": typed(event.text or "", typing.before, typing.field or typing.before),
        }
        result[at] = typing.model_copy(update=more)
    return result


def _is_beside(typing: Event, event: Event) -> bool:
    """Whether it is in the row of what was typed."""
    return typing.region is not None and event.region is not None and same_row(typing.region, event.region)


def _goes_on(typing: Event, event: Event) -> bool:
    if typing.kind is not EventKind.TYPED or event.kind not in _GOES_ON or not (typing.text and event.text):
        return False
    if typing.region is None or event.region is None or not _is_beside(typing, event):
        return False
    if event.t_ms - (typing.until_ms or typing.t_ms) > _PAUSE_MS:
        return False
    is_there = abs(event.region[0] - typing.region[0]) <= event.region[3]
    if is_there and typing.before is not None and typing.before.startswith(typing.text):
        return True
    is_next = event.before == typing.text or (event.before is None and event.kind is EventKind.TYPED)
    is_longer = is_next and event.text.casefold().startswith(typing.text.casefold())
    is_signed = bool(digits(event.text)) and digits(event.text) == digits(typing.text)
    is_corrected = event.before == typing.text and similarity(typing.text, event.text) >= _ALIKE and not is_signed
    return is_there and (is_longer or is_corrected) and not is_same_number(typing.text, event.text)
