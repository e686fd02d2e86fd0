"""What X windows say of themselves: their class, title and program, and whose dialog they are."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from xcffib import res

from adapters.desktop.x11.connection import WindowGone
from adapters.desktop.x11.windows import numbers_of, pid_of, text_of
from core.recording.recorder import WindowFacts, exclusion_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.desktop.x11.connection import Connection
    from core.recording.recorder import Exclusion, Exclusions

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
