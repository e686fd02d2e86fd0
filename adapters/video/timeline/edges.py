"""The edges of a recording: blank screens before the program is there, and after the recording has closed it.

What comes or goes with such an edge is the recorder's doing and no event of the program: a test's browser is closed at
the end of each run. A screen counts as an edge if nothing can be read on it, if nearly the whole picture changes
between it and the recorded program, and if it lasts only briefly; a program that closes while the recording goes on
is an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_LONGEST_MS: Final = 3000
_WHOLE: Final = 0.6
"""Of the picture has to change at an edge."""


@dataclass(frozen=True)
class Edges:
    """Where the recorded program begins and ends.

    Args:
        opening_ms: when it was there; 0 without a blank screen before it.
        closing_ms: when it was gone, before the recording ended; ``None`` if it was there to the end.

    """

    opening_ms: int = 0
    closing_ms: int | None = None

    def holds(self, draft: Draft) -> bool:
        """Whether a change is that from or to the recording's edge."""
        if self.opening_ms and draft.t_ms <= self.opening_ms:
            return True
        return self.closing_ms is not None and draft.t_ms >= self.closing_ms


def edges_of(drafts: Sequence[Draft], lines: Sequence[Line], *, size: tuple[int, int], end_ms: int | None) -> Edges:
    """Where the edges are; ``end_ms`` is the recording's end, ``None`` while it goes on."""
    whole = [draft for draft in drafts if draft.box[2] * draft.box[3] >= _WHOLE * size[0] * size[1]]
    opening = next((draft.t_ms for draft in whole if draft.match.added), 0)
    if opening > _LONGEST_MS or any(line.t_ms < opening for line in lines):
        opening = 0
    closing = next((draft.t_ms for draft in reversed(whole) if draft.match.removed and not draft.match.coming), None)
    if closing is None or end_ms is None or end_ms - closing > _LONGEST_MS or closing <= opening:
        return Edges(opening)
    stands = any(line.until_ms is None or line.until_ms > closing or line.t_ms >= closing for line in lines)
    return Edges(opening, None if stands else closing)
