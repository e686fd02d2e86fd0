"""Hidden characters that were typed: rows of dots, each in its field."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap
from adapters.video.timeline.sentences import typed_hidden
from core.analysis import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_FOLLOWS_MS: Final = 1000
"""The first dots of a row are seen so soon after the words that they stand upon went."""


def hidden_rows(drafts: Sequence[Draft]) -> tuple[list[list[Draft]], list[Draft]]:
    """The rows of hidden characters, and the other changes without the words that those stand upon.

    What a field had asked for names it.
    """
    rows: dict[int, list[Draft]] = {}
    rest: list[Draft] = []
    for draft in drafts:
        if draft.masked is not None and draft.masked.sure:
            rows.setdefault(id(draft.masked), []).append(draft)
        else:
            rest.append(draft)
    for row in rows.values():
        first = row[0]
        asked = next(((one, line) for one in rest for line in one.match.removed if _gave_way(one, line, first)), None)
        if asked is None:
            continue
        draft, hint = asked
        row[0] = replace(first, label=hint.text)
        left = replace(draft.match, removed=[line for line in draft.match.removed if line is not hint])
        at = rest.index(draft)
        rest[at : at + 1] = [replace(draft, match=left)] if left.says_anything else []
    return list(rows.values()), rest


def hidden_typing(row: Sequence[Draft]) -> Event:
    """What a row says: that something was typed, and where."""
    first, last = row[0], row[-1]
    return Event(
        t_ms=first.t_ms,
        until_ms=last.t_ms,
        kind=EventKind.TYPED,
        region=around(draft.box for draft in row),
        confidence=0.8,
        frame=last.frame,
        description=typed_hidden(first.label),
        field=first.label,
    )


def _gave_way(draft: Draft, line: Line, row: Draft) -> bool:
    """Whether a line went just where a row of hidden characters began soon after."""
    x, y, _, height = line.box
    is_soon = 0 <= row.t_ms - draft.t_ms <= _FOLLOWS_MS
    return is_soon and draft is not row and overlap((x, y, 2 * height, height), row.box) > 0
