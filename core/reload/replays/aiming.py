"""Where a recorded action is to be done now: its window, its page, its target; or what of them is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from core.actions import ACTION
from core.reload.ports import Missing
from core.reload.recording import target_of
from core.reload.replays.pages import same_address
from core.reload.replays.reading import Pages
from core.reload.replays.windows import find_window, focused_window, named, window_at
from core.reload.templates import filled_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.reload.entry import Anchor, CachedAction, WindowIdentity
    from core.reload.ports import Found, Programs, Targets
    from core.runs.deciding import Observation
    from core.runs.ports import Eyes
    from core.screens import Point, Window


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
