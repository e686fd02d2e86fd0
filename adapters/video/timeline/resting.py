"""Where the pointer of a recording stood still, and for how long."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

Path = Sequence[tuple[int, tuple[int, int] | None]]
"""Where the tip stood from which millisecond on; ``None`` where it was not seen."""

STILL: Final = 4
"""A hand that rests moves the pointer by no more pixels."""
LOST_MS: Final = 400
"""A page that changes hides the pointer from us for so long."""
EARLY_MS: Final = 60
"""A pointer is seen one or two frames after it came."""
BRIEF_MS: Final = 150
"""A pointer that is seen no longer at a place is on its way."""
_LEAST_PLACES: Final = 8
"""What stood at fewer places in the whole clip may be no pointer."""


@dataclass(frozen=True, slots=True)
class Rest:
    """One place of the tip, from when until when."""

    t_ms: int
    until_ms: int
    tip: tuple[int, int]
    seen_ms: int = 0
    """When it was seen there last; what came then may have hidden it."""

    @property
    def is_passed(self) -> bool:
        """Whether it was seen there only on its way."""
        return self.seen_ms - self.t_ms < BRIEF_MS


def rests_of(path: Path) -> list[Rest]:
    """Where the pointer stood still, and for how long."""
    if len({tip for _, tip in path if tip is not None}) < _LEAST_PLACES:
        return []
    found: list[Rest] = []
    for (t_ms, tip), until in zip(path, [*(t_ms for t_ms, _ in path[1:]), None], strict=True):
        until_ms = t_ms + 60_000 if until is None else until
        last = found[-1] if found else None
        if tip is None:
            if last is not None and last.until_ms == t_ms:
                found[-1] = replace(last, until_ms=min(until_ms, t_ms + LOST_MS))
        elif last is not None and _is_near(last.tip, tip) and t_ms - last.until_ms <= LOST_MS:
            found[-1] = replace(last, until_ms=until_ms, seen_ms=until_ms)
        else:
            found.append(Rest(t_ms, until_ms, tip, until_ms))
    for at, (last, rest) in enumerate(itertools.pairwise(tuple(found))):
        if _is_lost_on_way(last, rest):
            found[at : at + 2] = replace(last, until_ms=last.seen_ms), replace(rest, t_ms=last.seen_ms)
    return found


def _is_lost_on_way(last: Rest, rest: Rest) -> bool:
    """Whether it was not seen for a moment as it came, from a place that it passed: what it lights up hides it."""
    return last.is_passed and not rest.is_passed and 0 < rest.t_ms - last.seen_ms <= LOST_MS


def _is_near(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) <= STILL
