"""Whether what a replayed action brought about is what it brought about when it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from core.reload.replays.reading import lines_in, reads
from core.reload.replays.windows import find_window, named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.entry import CachedAction, Effect
    from core.reload.ports import Programs, Targets
    from core.runs.deciding import Observation
    from core.runs.ports import Eyes
    from core.screens import Box, Picture

_COUNTS: Final = 200
"""Square pixels: smaller changes come and go with carets, and are not insisted on."""
_SIDE_SHOW: Final = 8
"""What is so many times smaller than the largest change, such as the title of a tab, may stay as it is."""
_NEAR: Final = 12
"""Pixels by which a change may be elsewhere: a longer value, another line break."""


@dataclass(frozen=True, slots=True)
class Done:
    """A group of actions that was just done."""

    index: int
    """Of its last action."""
    actions: Sequence[CachedAction]
    before: Observation
    shift: tuple[int, int]
    """How far its window, or its target, is from where it was when it was recorded."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text that has to be read where it was typed."""

    index: int
    text: str
    box: Box


@dataclass
class EffectCheck:
    """Compares effects.

    Args:
        eyes: sees what changed and reads what was typed.
        targets: compares pictures.
        programs: tells windows apart.

    """

    eyes: Eyes
    targets: Targets
    programs: Programs
    _written: list[Written] = field(default_factory=list[Written])

    def missing(self, done: Done, now: Observation, values: Mapping[str, str]) -> str:
        """What is not there yet of the expected effect, as the middle of a sentence; empty when all is."""
        effect = done.actions[-1].effect
        if effect is None:
            return ""
        lacks = self._windows(effect, now, values) or self._change(effect, done, now)
        if lacks:
            return lacks
        if effect.image and not self._looks_same(effect, done, now.picture):
            return "what it changed does not look as it did"
        self._note(effect, done, values)
        return ""

    def unread(self, now: Observation) -> Written | None:
        """The first text that was typed and cannot be read where it was; what could be is done with."""
        if not self._written:
            return None
        lines = self.eyes.read(now.picture)
        unread = next((each for each in self._written if not reads(each.text, lines_in(lines, each.box))), None)
        if unread is None:
            self._written.clear()
        return unread

    def _windows(self, effect: Effect, now: Observation, values: Mapping[str, str]) -> str:
        for identity in effect.appeared:
            # Its title was perhaps one that only stood there while it loaded; the next action looks at that.
            if not any(each.application == identity.application for each in now.windows):
                return f"no window of {identity.application} has come"
        for identity in effect.vanished:
            if find_window(identity, now.windows, values, self.programs) is not None:
                return f"{named(identity, values)} is still there"
        return ""

    def _change(self, effect: Effect, done: Done, now: Observation) -> str:
        least = max(_COUNTS, max((box.width * box.height for box in effect.changed), default=0) // _SIDE_SHOW)
        expected = [box.moved(*done.shift) for box in effect.changed if box.width * box.height >= least]
        if not expected:
            return ""
        changes = self.eyes.changes(done.before.picture, now.picture)
        if done.actions[-1].window is None:
            return "" if changes else "nothing has changed on the screen"
        seen = [any(box.grown(_NEAR, _NEAR).overlap(change) for change in changes) for box in expected]
        # What is typed may bring a longer or a shorter text, with suggestions or without.
        enough = any(seen) if any(each.action["action"] == "type" for each in done.actions) else all(seen)
        if enough:
            return ""
        box = expected[seen.index(False)]
        return f"nothing has changed at ({box.x}, {box.y}), where it did when it was recorded"

    def _looks_same(self, effect: Effect, done: Done, picture: Picture) -> bool:
        largest = max(effect.changed, key=lambda box: box.width * box.height)
        return self.targets.same(effect.image, picture, largest.moved(*done.shift))

    def _note(self, effect: Effect, done: Done, values: Mapping[str, str]) -> None:
        if effect.shows is not None and effect.shown_in is not None:
            text = effect.shows.filled(values)
            self._written.append(Written(done.index, text, effect.shown_in.moved(*done.shift)))
