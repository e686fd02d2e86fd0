"""Whether the desktop is as an entry needs it: its windows are there, on their pages, and its first target is seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.actions import ACTION
from core.reload.entry import CachedAction, Entry, WindowIdentity
from core.reload.ports import DesktopObserver, Missing, Programs, Reader, Surroundings, Targets
from core.reload.recording import target_of
from core.reload.replays.reading import Pages, find_window, named, same_address
from core.reload.templates import filled_in


@dataclass(frozen=True)
class ContextGate:
    """What a look at the desktop needs.

    Args:
        desktop_observer: looks at the user's desktop, when a question says nothing of windows.
        targets: looks for the first target; a thousandth of a second each.
        reader: reads addresses of browsers; made when it is needed.
        programs: tells windows apart.

    """

    desktop_observer: DesktopObserver
    targets: Targets
    reader: Callable[[], Reader]
    programs: Programs


@dataclass
class Look:
    """The desktop of one question; it is looked at once, and only if an entry needs it.

    Args:
        gate: what the look needs.
        now: the desktop, if the caller has looked at it already.
        reader: reads its pictures; else the gate's.

    """

    gate: ContextGate
    now: Surroundings | None = None
    reader: Reader | None = None
    _pages: Pages | None = field(default=None, init=False)

    def obstacle(self, entry: Entry, values: Mapping[str, str]) -> str:
        """What of an entry's context is missing, as a sentence; empty when all is there."""
        if entry.vocabulary != "desktop" or not entry.actions:
            return ""
        first = entry.actions[0]
        if first.window is None:
            return ""
        now = self.now = self.now or self.gate.desktop_observer.look()
        if now.picture is None:
            return "There is no desktop that could be looked at."
        for identity in _needed(entry):
            if find_window(identity, now.windows, values, self.gate.programs) is None:
                name = named(identity, values)
                return f"{name[:1].upper()}{name[1:]} is not there."
        return self._unseen(first, first.window, now, values)

    def _unseen(
        self, first: CachedAction, identity: WindowIdentity, now: Surroundings, values: Mapping[str, str]
    ) -> str:
        window = find_window(identity, now.windows, values, self.gate.programs)
        if window is None or now.picture is None:
            return "Its window is not there."
        reader = self.reader = self.reader or self.gate.reader()
        if identity.address:
            self._pages = self._pages or Pages(reader)
            if not same_address(identity.address, self._pages.address(window, now.picture)):
                return f"Its window does not show {identity.address}."
        if first.anchor is None:
            target = target_of(ACTION.validate_python(filled_in(first.action, values)))
            return "" if target is None else "There is nothing to find its first target by."
        found = self.gate.targets.find(first.anchor, now.picture, window.box, reader=reader)
        return f"Its first target is not found: {found.reason}." if isinstance(found, Missing) else ""


def _needed(entry: Entry) -> list[WindowIdentity]:
    """The windows that it does not open itself."""
    needed: list[WindowIdentity] = []
    for action in entry.actions:
        if action.window is None or (action.effect is not None and action.effect.appeared):
            # From here on windows may be its own doing.
            return needed if action.window is None else [*needed, action.window]
        needed.append(action.window)
    return list(dict.fromkeys(needed))
