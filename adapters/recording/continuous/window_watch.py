"""Follows every window of an X display by what the server tells, so that none is anywhere without being known.

A list that is asked for now and then misses what comes and goes between. The server tells each window that is made,
shown, moved, hidden or renamed, in the order in which it happens: after a round trip everything that happened before is
known. Every few seconds the display is listed all the same, and where the two disagree nothing is trusted.
"""

import select
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from xcffib import xproto

from adapters.desktop.x11.connection import Connection, WindowGone
from adapters.recording.continuous.clients import ALWAYS, PROPERTIES, Client, ClientReader, Top, box_of
from core.recording.recorder import Exclusions
from core.screens import Box, Window

LINGER_SECONDS: Final = 0.7
"""How long pixels of a window may stay where it was: until others have drawn over them, or a fading has ended."""
_LISTED_SECONDS: Final = 5.0
_FORGOTTEN_SECONDS: Final = 20.0
_DEEP: Final = 3
_MOST_INSIDE: Final = 64
_MOST_EVENTS: Final = 4000
"""Of one look: somebody floods the display, and what is shown when is not sure any more."""
_SELECTED: Final = xproto.EventMask.PropertyChange


class WindowWatch:
    """Used by one thread, but for ``names``.

    Args:
        display: the display, e.g. ``:99``.
        exclusions: what may not be recorded.

    Raises:
        DesktopUnavailable: there is no such display.

    """

    def __init__(self, display: str, exclusions: Exclusions) -> None:
        self._server = Connection(display)
        self._reader = ClientReader(self._server, exclusions)
        self._tops: dict[int, Top] = {}
        self._clients: dict[int, tuple[Top, Client]] = {}
        self._strangers: dict[int, int] = {}
        """What has said nothing of itself yet, and inside of which child of the root it is."""
        self._listed = 0.0
        self._focus = 0
        self._focuses: deque[tuple[float, bool]] = deque([(float("-inf"), True)])
        self._poll = select.poll()
        self._poll.register(self._server.x.get_file_descriptor(), select.POLLIN)
        with self._server.held():
            core, masks = self._server.core, xproto.EventMask
            core.ChangeWindowAttributes(
                self._server.root, xproto.CW.EventMask, [masks.SubstructureNotify | masks.PropertyChange]
            )
            self._atoms = {self._server.atom(name) for name in PROPERTIES}
            self._rebuild(time.monotonic())

    def look(self) -> bool:
        """Learn all that has happened by now; whether it can be trusted. Raises ``DesktopLost``."""
        with self._server.held():
            now = time.monotonic()
            self._see_focus()
            trusted = self._drain() < _MOST_EVENTS
            if now - self._listed > _LISTED_SECONDS:
                trusted = self._agrees(now) and trusted
            self._forget(now)
            return trusted

    def wait(self, until: float) -> None:
        """Learn what happens until then, as it happens. Raises ``DesktopLost``."""
        with self._server.held():
            while (left := until - time.monotonic()) > 0:
                if self._drain() == 0:
                    self._poll.poll(left * 1000)

    def hidden(self, since: float) -> list[Box]:
        """Every place where a window that may not be recorded can be seen on a picture taken after that moment."""
        shown = self._shown_since(since - LINGER_SECONDS)
        programs, windows, leaders = self._excluded(shown, since - LINGER_SECONDS)
        return [
            place.box
            for top in shown
            if self._is_hidden(top, since - LINGER_SECONDS, programs, windows, leaders)
            for place in top.places
            if place.until >= since - LINGER_SECONDS
        ]

    def keys_hidden(self, since: float, until: float) -> bool:
        """Whether at any time between a window had the keyboard that may not be recorded."""
        ends = [at for at, _ in list(self._focuses)[1:]] + [ALWAYS]
        spans = zip(list(self._focuses), ends, strict=True)
        return any(hidden and begin <= until and end >= since for (begin, hidden), end in spans)

    def names(self, window: Window) -> tuple[str, str] | None:
        """A window's application and title as the log may have them; empty when it may not. From any thread.

        ``None`` while it is too new to be known here.
        """
        known = self._clients.get(window.id)
        if known is None or not known[1].identified:
            return None
        excluded = self._reader.excludes(window.application, window.title, window.pid)
        if excluded or self._client_hidden(*known):
            return "", ""
        return window.application, window.title

    def may_ask(self, pid: int) -> bool:
        """Whether no window of a process is excluded that is shown, or was a moment ago. From any thread."""
        since = time.monotonic() - LINGER_SECONDS
        programs, _, _ = self._excluded(self._shown_since(since), since)
        return pid not in programs

    def tops(self) -> Iterator[tuple[Box, bool, str]]:
        """What is shown now: where, whether no window manager has it, and its class and program."""
        for top in self._tops.values():
            if top.shown:
                for client in top.clients.values():
                    yield top.box, top.bare, f"{client.application}\0{client.command.split(chr(0), 1)[0]}"

    def shown(self) -> Iterator[tuple[Top, bool]]:
        """What is shown now, and whether it would be black; the lowest first, as long as nothing was raised since."""
        now = time.monotonic()
        programs, windows, leaders = self._excluded(self._shown_since(now), now)
        for top in self._tops.values():
            if top.shown:
                yield top, self._is_hidden(top, now, programs, windows, leaders)

    def close(self) -> None:
        """End its connection."""
        self._server.close()

    def _client_hidden(self, top: Top, client: Client) -> bool:
        shown = self._shown_since(time.monotonic())
        programs, windows, leaders = self._excluded(shown, time.monotonic())
        return not client.identified or self._is_hidden(top, time.monotonic(), programs, windows, leaders)

    def _shown_since(self, since: float) -> list[Top]:
        return [top for top in list(self._tops.values()) if top.places and top.places[-1].until >= since]

    def _excluded(self, shown: list[Top], since: float) -> tuple[dict[int, bool], set[int], set[int]]:
        """The programs with an excluded window (whether all of theirs are), those windows, and their groups."""
        programs: dict[int, bool] = {}
        windows, leaders = set[int](), set[int]()
        for top in shown:
            for client in list(top.clients.values()):
                if client.exclusion is None and client.excluded_at < since:
                    continue
                whole = client.exclusion is not None and client.exclusion.lasts == "program"
                windows |= {client.id, top.id}
                leaders |= {client.leader} if whole and client.leader else set()
                if client.pid is not None:
                    programs[client.pid] = programs.get(client.pid, False) or whole
        return programs, windows, leaders

    def _is_hidden(
        self, top: Top, since: float, programs: dict[int, bool], windows: set[int], leaders: set[int]
    ) -> bool:
        clients = list(top.clients.values())
        if top.id in windows or not clients:
            return True
        for client in clients:
            if client.exclusion is not None or client.excluded_at >= since:
                return True
            if client.transient_for in windows or client.leader in leaders or programs.get(client.pid or 0):
                return True
            # Menus and dialogs say no more than whose they are: whichever of its windows that may be.
            belongs = top.bare or client.transient_for != 0
            owned = client.transient_for in self._clients
            if belongs and not owned and client.pid in programs:
                return True
            if not client.identified and (not top.bare or client.pid is None):
                return True
        return False

    def _see_focus(self) -> None:
        """One round trip, after which all events of what was before have come."""
        reply = self._server.core.GetInputFocus().reply()
        self._focus = int(reply.focus)

    def _note_focus(self, now: float) -> None:
        window, hidden = self._focus, True
        for _ in range(8):
            found = self._clients.get(window)
            if found is not None:
                hidden = self._client_hidden(*found)
                break
            if window <= 1 or window == self._server.root:
                # Keys go to what is beneath the pointer, or nowhere.
                hidden = bool(self.hidden(now))
                break
            try:
                window = int(self._server.core.QueryTree(window).reply().parent)
            except WindowGone:
                break
        if self._focuses[-1][1] != hidden:
            self._focuses.append((now, hidden))
        while len(self._focuses) > 1 and self._focuses[1][0] < now - _FORGOTTEN_SECONDS:
            self._focuses.popleft()

    def _drain(self) -> int:
        count, renamed = 0, dict[int, Client]()
        while count < _MOST_EVENTS and (event := self._next_event()) is not None:
            count += 1
            self._take(event, time.monotonic(), renamed)
        now = time.monotonic()
        if renamed:
            self._reader.read(list(renamed.values()), now)
        if count:
            self._see_focus()
        self._note_focus(now)
        return count

    def _next_event(self) -> Any:
        while True:
            try:
                return self._server.x.poll_for_event()
            except WindowGone:
                continue

    def _take(self, event: Any, now: float, renamed: dict[int, Client]) -> None:
        root = self._server.root
        match type(event).__name__:
            case "PropertyNotifyEvent":
                if event.atom in self._atoms and event.window in self._clients:
                    renamed[event.window] = self._clients[event.window][1]
                elif event.window in self._strangers:
                    self._identify(self._strangers.pop(event.window), now)
            case "ReparentNotifyEvent":
                if event.parent == root:
                    self._add(event.window, now)
                else:
                    self._drop(event.window, now)
                    self._adopt(event.parent, event.window)
                    self._identify(event.parent, now)
            case "CreateNotifyEvent":
                self._add(event.window, now, event)
            case "DestroyNotifyEvent":
                self._drop(event.window, now)
            case "ConfigureNotifyEvent" | "MapNotifyEvent" | "UnmapNotifyEvent":
                top = self._tops.get(event.window)
                if top is not None:
                    self._move(top, event, now)
            case _:
                pass

    def _move(self, top: Top, event: Any, now: float) -> None:
        """It is shown elsewhere, or begins or ceases to be shown."""
        match type(event).__name__:
            case "UnmapNotifyEvent":
                top.shown = False
                top.leave(now)
                return
            case "MapNotifyEvent":
                top.shown, top.bare = True, bool(event.override_redirect)
                self._identify(top.id, now)
            case _:
                top.box = box_of(event)
        if top.shown:
            top.place(now)

    def _add(self, window: int, now: float, made: Any = None) -> None:
        """A window has become a child of the root, which it may have been before.

        What is ``made`` may be gone by now: the event has its place, and a window that cannot be asked is hidden.
        """
        geometry = made
        try:
            attributes = self._server.core.GetWindowAttributes(window)
            if made is None:
                geometry = self._server.core.GetGeometry(window).reply()
            found: Any = attributes.reply()
        except WindowGone:
            if made is None:
                return
            found: Any = None
        # A field that is a keyword.
        if found is not None and found._class != xproto.WindowClass.InputOutput:  # noqa: SLF001
            return
        reported: Any = made if found is None else found
        bare = bool(reported.override_redirect)
        before = self._tops.get(window)
        top = Top(window, box_of(geometry), bare)
        if before is not None:
            # It was a child of the root already: where it was and what it was stays known.
            before.leave(now)
            top.places, top.clients = before.places, before.clients
        self._tops[window] = top
        for client in top.clients.values():
            self._clients[client.id] = (top, client)
        if found is not None and found.map_state == xproto.MapState.Viewable:
            top.shown = True
            top.place(now)
            self._identify(window, now)

    def _adopt(self, parent: int, window: int) -> None:
        """A window manager has put a window that is known into a frame."""
        top, known = self._tops.get(parent), self._clients.get(window)
        if top is not None and known is not None:
            top.clients[window] = known[1]
            self._clients[window] = (top, known[1])

    def _drop(self, window: int, now: float) -> None:
        """It is no child of the root any more; where it was is still known for a while."""
        top = self._tops.get(window)
        if top is not None:
            top.shown, top.gone = False, True
            top.leave(now)

    def _identify(self, window: int, now: float) -> None:
        """Find what programs have put into a child of the root, and ask it what it is."""
        top = self._tops.get(window)
        if top is None:
            return
        found, level = [window], [window]
        for _ in range(_DEEP):
            level = [child for one in level for child in self._children(one)][:_MOST_INSIDE]
            found += level
        fresh = [self._known(one) for one in found[:_MOST_INSIDE] if one not in top.clients]
        core = self._server.core
        for client in fresh:
            core.ChangeWindowAttributes(client.id, xproto.CW.EventMask, [_SELECTED])
        self._reader.read(fresh, now)
        for client in fresh:
            if client.identified or client.managed or (client.id == window and top.bare):
                top.clients[client.id] = client
                self._clients[client.id] = (top, client)
            else:
                self._strangers[client.id] = window
        if not top.clients:
            own = next((client for client in fresh if client.id == window), Client(window))
            top.clients[window] = own
            self._clients[window] = (top, own)
        elif len(top.clients) > 1 and window in top.clients and not top.clients[window].identified:
            del top.clients[window]

    def _known(self, window: int) -> Client:
        """The same as before, when it only has another frame now."""
        known = self._clients.get(window)
        return Client(window) if known is None else known[1]

    def _children(self, window: int) -> list[int]:
        try:
            return list(self._server.core.QueryTree(window).reply().children)
        except WindowGone:
            return []

    def _rebuild(self, now: float) -> None:
        for top in self._tops.values():
            top.gone = True
            top.leave(now)
        self._listed = now
        self._reader.forget_commands()
        for window in self._children(self._server.root):
            if window not in self._tops or self._tops[window].gone:
                self._add(window, now)
        self._see_focus()
        self._note_focus(now)

    def _agrees(self, now: float) -> bool:
        """Whether the display's own list is the one that its events have made; where not, begin anew."""
        self._listed = now
        core = self._server.core
        windows = self._children(self._server.root)
        asked = [(one, core.GetWindowAttributes(one), core.GetGeometry(one)) for one in windows]
        listed: dict[int, Box] = {}
        for window, attributes, geometry in asked:
            try:
                found = attributes.reply()
                # A field that is a keyword.
                if found._class == xproto.WindowClass.InputOutput and found.map_state == xproto.MapState.Viewable:  # noqa: SLF001
                    listed[window] = box_of(geometry.reply())
            except WindowGone:
                continue
        if self._drain() > 0:
            # It has changed meanwhile: the next time tells.
            return True
        if listed == {top.id: top.box for top in self._tops.values() if top.shown}:
            return True
        self._rebuild(now)
        return False

    def _forget(self, now: float) -> None:
        old = now - _FORGOTTEN_SECONDS
        for top in list(self._tops.values()):
            while len(top.places) > 1 and top.places[0].until < old:
                top.places.popleft()
            if top.gone and (not top.places or top.places[-1].until < old):
                del self._tops[top.id]
                for client in top.clients:
                    if self._clients.get(client, (None,))[0] is top:
                        del self._clients[client]
        self._strangers = {one: top for one, top in self._strangers.items() if top in self._tops}
