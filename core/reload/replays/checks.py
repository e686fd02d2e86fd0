"""The checks around a replayed action: where it is to be done now, and whether its effect is the recorded one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from core.actions import ACTION
from core.reload.ports import Found, Missing, Programs, Targets
from core.reload.recording import target_of
from core.reload.replays.reading import (
    Pages,
    find_window,
    focused_window,
    lines_in,
    named,
    reads,
    same_address,
    window_at,
)
from core.reload.templates import filled_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.entry import Anchor, CachedAction, Effect, WindowIdentity
    from core.runs.deciding import Observation
    from core.runs.ports import Eyes
    from core.screens import Box, Picture, Point, Window


class Aim(NamedTuple):
    """``shift`` tells how far it is from where it was; ``window`` is ``None`` for what opens something."""

    window: Window | None
    shift: tuple[int, int]
    found: Found | None = None


class Aiming:
    """Finds places.

    Args:
        eyes: reads addresses and words.
        targets: finds targets again.
        programs: tells windows apart.

    """

    def __init__(self, eyes: Eyes, targets: Targets, programs: Programs) -> None:
        self._eyes = eyes
        self._targets = targets
        self._programs = programs
        self._pages = Pages(eyes)

    def aim(self, cached: CachedAction, observation: Observation, values: Mapping[str, str]) -> Aim | str:
        """Where to do it, or what is missing, as a sentence without its end."""
        if cached.window is None:
            opens = cached.action["action"] in ("open_app", "open_url")
            return Aim(None, (0, 0)) if opens else "its window is not known"
        window = find_window(cached.window, observation.windows, values, self._programs)
        if window is None:
            return f"{named(cached.window, values)} is not there"
        if self._is_elsewhere(cached.window, window, observation):
            return f"{named(cached.window, values)} shows another page than {cached.window.address}"
        target = target_of(ACTION.validate_python(filled_in(cached.action, values)))
        if cached.anchor is not None:
            return self._at(cached, cached.anchor, target, window, observation)
        return "there is nothing to find its target by" if target is not None else _free(cached, window, observation)

    def _at(
        self, cached: CachedAction, anchor: Anchor, target: Point | None, window: Window, observation: Observation
    ) -> Aim | str:
        found = self._targets.find(anchor, observation.picture, window.box, reader=self._eyes)
        if isinstance(found, Missing):
            return f"its target is not found: {found.reason}"
        hit = window_at(observation.windows, found.point)
        if hit is None or hit.id != window.id:
            return "its target is covered by another window"
        if target is None:
            return _free(cached, window, observation)
        return Aim(window, (found.point.x - target.x, found.point.y - target.y), found)

    def _is_elsewhere(self, identity: WindowIdentity, window: Window, observation: Observation) -> bool:
        if not identity.address:
            return False
        return not same_address(identity.address, self._pages.address(window, observation.picture))


def _free(cached: CachedAction, window: Window, observation: Observation) -> Aim | str:
    """The keyboard's, which needs the focus, and what is done somewhere in a window."""
    focused = focused_window(observation.windows)
    if cached.action["action"] not in ("scroll", "hscroll") and (focused is None or focused.id != window.id):
        return "the keyboard belongs to another window"
    return Aim(window, (window.box.x - cached.origin.x, window.box.y - cached.origin.y))


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
    """Index of its last action."""
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
        pictured = effect.image_of or max(effect.changed, key=lambda box: box.width * box.height)
        return self.targets.same(effect.image, picture, pictured.moved(*done.shift))

    def _note(self, effect: Effect, done: Done, values: Mapping[str, str]) -> None:
        if effect.shows is not None and effect.shown_in is not None:
            text = effect.shows.filled(values)
            self._written.append(Written(done.index, text, effect.shown_in.moved(*done.shift)))
