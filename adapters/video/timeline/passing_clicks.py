"""Clicks of a quick hand, which is seen on a button for a frame or two as something comes, and moves on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.motion.settled import TOGETHER_MS
from adapters.video.text.lines import without_sign
from adapters.video.timeline.deeds import Deed, click_on_words, control_under
from core.analysis import COMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.text.lines import Line
    from adapters.video.timeline.resting import Path
    from core.analysis import Event

_SEEN_MS: Final = 200
"""Before what comes: two frames of a recording that has ten a second."""
_APART_MS: Final = 700
"""So near to another click, what comes may be of that."""
_CONFIDENCE: Final = 0.88


def passing_clicks(deeds: Sequence[Deed], events: Sequence[Event], lines: Sequence[Line], path: Path) -> Iterator[Deed]:
    """One for each text that came of nothing else, while the pointer was on the ground of a button.

    Args:
        deeds: all that is known to have been done.
        events: the timeline.
        lines: all that stood on the screen.
        path: where the pointer's tip stood from which millisecond on; ``None`` where it was not seen.

    """
    explained = {at for deed in deeds for at in deed.effects}
    acts_ms = [deed.action.t_ms for deed in deeds]
    for event in events:
        t_ms = event.t_ms
        if not (event.text and event.kind in COMES) or any(abs(t_ms - other) <= _APART_MS for other in acts_ms):
            continue
        effects = tuple(at for at, one in enumerate(events) if 0 <= one.t_ms - t_ms <= TOGETHER_MS)
        since, tip = next(((since, tip) for since, tip in reversed(path) if since < t_ms), (0, None))
        if tip is None or explained & {*effects} or t_ms - since > _SEEN_MS:
            continue
        control = control_under(tip, lines, t_ms)
        if control is not None:
            line, place = control
            acts_ms.append(t_ms)
            click = click_on_words(since, without_sign(line.text), place, _CONFIDENCE * min(line.score, 1.0))
            yield Deed(click, effects)
