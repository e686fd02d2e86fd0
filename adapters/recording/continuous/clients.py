"""What X windows say of themselves: class, title, program, whose dialog they are; and where they are and were."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from xcffib import res

from adapters.desktop.x11.connection import Connection, WindowGone
from adapters.desktop.x11.windows import numbers_of, pid_of, text_of
from core.recording.recorder import Exclusion, Exclusions, WindowFacts, exclusion_of
from core.screens import Box

_MOST_WORDS: Final = 1024
_TEXTS: Final = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS")
_NUMBERS: Final = ("_NET_WM_PID", "WM_TRANSIENT_FOR", "WM_CLIENT_LEADER", "WM_STATE")
PROPERTIES: Final = (*_TEXTS, "WM_TRANSIENT_FOR", "WM_CLIENT_LEADER")
"""Those whose change may change what a window is."""
_LOCAL_CLIENT_PID: Final = 2
_COMMAND_BYTES: Final = 1 << 16


@dataclass(slots=True)
class Client:
    """A window that a program made, as it was last asked; ``exclusion`` may outlast what it says now."""

    id: int
    application: str = ""
    title: str = ""
    pid: int | None = None
    command: str = ""
    transient_for: int = 0
    leader: int = 0
    managed: bool = False
    exclusion: Exclusion | None = None
    excluded_at: float = float("-inf")
    """When it was last excluded; what was seen of it before is hidden too."""

    @property
    def identified(self) -> bool:
        """Whether it says anything of itself."""
        return bool(self.application or self.title)


class ClientReader:
    """Asks windows what they are; the answers of ``/proc`` are kept for as long as a program lives.

    Args:
        server: its requests are made here.
        exclusions: what may not be recorded.

    """

    def __init__(self, server: Connection, exclusions: Exclusions) -> None:
        self._server, self._exclusions = server, exclusions
        self._resources: Any = server.extension(res.key)
        self._commands: dict[int, str] = {}

    def read(self, clients: Sequence[Client], now: float) -> None:
        """Bring them up to date, all with one wait; one that has died stays as it was."""
        core, atom = self._server.core, self._server.atom
        asked: list[tuple[Client, dict[str, Any], Any]] = []
        for client in clients:
            cookies = {
                name: core.GetProperty(0, client.id, atom(name), 0, 0, _MOST_WORDS) for name in (*_TEXTS, *_NUMBERS)
            }
            spec = [res.ClientIdSpec.synthetic(client.id, _LOCAL_CLIENT_PID)]
            asked.append((client, cookies, self._resources and self._resources.QueryClientIds(1, spec)))
        for client, cookies, owner in asked:
            replies: dict[str, Any] = {}
            for name, cookie in cookies.items():
                with suppress(WindowGone):
                    replies[name] = cookie.reply()
            pid = None
            with suppress(WindowGone):
                pid = pid_of(owner.reply()) if owner else None
            if len(replies) == len(cookies):
                self._take(client, replies, pid)
            self.judge(client, now)

    def judge(self, client: Client, now: float) -> None:
        """See whether it may be recorded."""
        facts = WindowFacts(client.application, client.title, client.command)
        found = exclusion_of(facts, self._exclusions)
        if found is None and client.exclusion is not None and client.exclusion.lasts != "title":
            found = client.exclusion
        if client.exclusion is not None or found is not None:
            client.excluded_at = now
        client.exclusion = found

    def forget_commands(self) -> None:
        """Ask programs anew: a number may have passed on to another one."""
        self._commands.clear()

    def excludes(self, application: str, title: str, pid: int | None) -> bool:
        """Whether a window that somebody else has listed may not be recorded."""
        return exclusion_of(WindowFacts(application, title, self._command(pid)), self._exclusions) is not None

    def _take(self, client: Client, replies: dict[str, Any], pid: int | None) -> None:
        client.application = text_of(replies["WM_CLASS"], keep="\0").strip("\0")
        client.title = text_of(replies["_NET_WM_NAME"]) or text_of(replies["WM_NAME"])
        client.pid = pid or next(iter(numbers_of(replies["_NET_WM_PID"])), None)
        client.transient_for = next(iter(numbers_of(replies["WM_TRANSIENT_FOR"])), 0)
        client.leader = next(iter(numbers_of(replies["WM_CLIENT_LEADER"])), 0)
        client.managed = bool(numbers_of(replies["WM_STATE"]))
        client.command = self._command(client.pid)

    def _command(self, pid: int | None) -> str:
        if pid is None:
            return ""
        if pid not in self._commands:
            self._commands[pid] = ""
            with suppress(OSError), Path(f"/proc/{pid}/cmdline").open("rb") as file:
                self._commands[pid] = file.read(_COMMAND_BYTES).decode(errors="replace")
        return self._commands[pid]


ALWAYS: Final = float("inf")
"""Until when something is that has not ended."""


@dataclass(slots=True)
class Place:
    """Where one was shown until a moment of the monotonic clock."""

    box: Box
    until: float


@dataclass(slots=True)
class Top:
    """A child of the root window: a frame, or a window that no window manager touches."""

    id: int
    box: Box
    bare: bool
    """Whether it is no window manager's: a menu, a tip, a locker."""
    shown: bool = False
    gone: bool = False
    clients: dict[int, Client] = field(default_factory=dict[int, Client])
    places: deque[Place] = field(default_factory=deque[Place])

    def place(self, now: float) -> None:
        """It is shown where it is from now on."""
        self.leave(now)
        self.places.append(Place(self.box, ALWAYS))

    def leave(self, now: float) -> None:
        """It is not where it was any more."""
        if self.places and self.places[-1].until == ALWAYS:
            self.places[-1].until = now


def box_of(event: Any) -> Box:
    """The place that an event or an answer of the server tells, with its border."""
    border = 2 * event.border_width
    return Box(x=event.x, y=event.y, width=event.width + border, height=event.height + border)
