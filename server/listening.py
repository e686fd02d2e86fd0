"""The daemon's address: taking it, saying who has it, and one daemon for one data directory."""

import asyncio
import contextlib
import errno
import http.client
import json
import os
import socket
from collections.abc import Generator
from http import HTTPStatus
from pathlib import Path
from types import FrameType
from typing import Any, Final, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from core.errors import Conflict, InvalidSetting
from core.files import Held, hold, make_private, storage_failure
from server.http.errors import refusal
from server.security import PEER_ACCOUNT, account_of

GRACE_SECONDS: Final = 1
"""How long open requests and streams have for their farewell when the daemon stops."""
_ASK_SECONDS: Final = 1.0
_TICK_SECONDS: Final = 1.0
_TICKS: Final = 10
"""uvicorn's count for a second, at which it renews its headers."""


class _Protocol(H11Protocol):
    """What is no HTTP, or names no Host or two, never reaches the app; it is answered in our shape all the same."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Send each answer's body at once: it is written after its head, and would wait 40 ms for its receipt."""
        super().connection_made(transport)
        # asyncio does so itself only where the listener was made with IPPROTO_TCP.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send_400_response(self, msg: str) -> None:
        """Say so and close the connection."""
        body = bytes(refusal(HTTPStatus.BAD_REQUEST, f"This is no request that HTTP knows: {msg.rstrip('.')}.").body)
        head = f"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.transport.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        self.transport.close()


class _AskingProtocol(_Protocol):
    """Asks the kernel, once for each connection, which account is at its other end."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Keep the answer where each request of this connection finds it."""
        super().connection_made(transport)
        peer, own = (transport.get_extra_info(name) for name in ("peername", "sockname"))
        account = account_of(peer, own) if peer and own else None
        self.app_state = {**self.app_state, PEER_ACCOUNT: account}


class DaemonServer(uvicorn.Server):
    """uvicorn with our manners: quiet, and the app hears that it stops before its connections are waited for.

    Args:
        app: what is served.
        stopping: set when the stop begins.
        asks_for_peers: whether requests tell from which account they come, as ``state[PEER_ACCOUNT]`` of their scope.

    """

    def __init__(self, app: ASGIApp, *, stopping: asyncio.Event, asks_for_peers: bool) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="on",
                http=_AskingProtocol if asks_for_peers else _Protocol,
                ws="none",
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._stopping = stopping
        self._reported = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def stop(self) -> None:
        """Begin the stop; from any thread or signal handler."""
        self.should_exit = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # stopped already, and the loop is closed
                self._loop.call_soon_threadsafe(self._reported.set)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at a signal."""
        super().handle_exit(sig, frame)
        self.stop()

    async def main_loop(self) -> None:
        """Keep the Date header right until shutdown; uvicorn's own loop wakes ten times a second."""
        self._loop = asyncio.get_running_loop()
        counter = 0
        while not await self.on_tick(counter):
            counter += _TICKS
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._reported.wait(), _TICK_SECONDS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say that it stops, then stop."""
        self._stopping.set()
        await super().shutdown(sockets)


@contextlib.contextmanager
def only_daemon(directory: Path) -> Generator[None]:
    """Hold the data directory for this process; the lock goes with the process, however it ends.

    Raises:
        Conflict: another daemon has it.
        StorageFailed: the directory cannot be written.

    """
    path = make_private(directory) / "daemon.lock"
    try:
        descriptor = hold(path, str(os.getpid()))
    except Held as error:
        message = f"A daemon (pid {str(error) or 'unknown'}) works in {directory} already"
        raise Conflict(f"{message}; use that one, stop it, or choose another data_dir.") from None
    except OSError as error:
        raise storage_failure(path, error) from None
    try:
        yield
    finally:
        os.close(descriptor)


def take_address(host: str, port: int) -> socket.socket:
    """A bound socket, ready to be listened on.

    Raises:
        Conflict: the port is taken; the message says by whom.
        InvalidSetting: the address cannot be listened on.

    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise Conflict(_who_has(host, port), port=port) from None
        message = f"Vaider cannot listen on {host}, port {port}: {error.strerror}. Choose another host or port."
        raise InvalidSetting(message) from None
    return listener


def _who_has(host: str, port: int) -> str:
    own = _our_health(host, port)
    if own is not None and "access" in own:
        return f"Port {port} is taken by a Vaider that asks for its token. Choose another port with --port."
    if own is not None:
        return f"Vaider {own['version']} is already running on port {port} (pid {own['pid']})."
    return f"Port {port} is taken by another program; `ss -ltnp` names it. Stop that, or choose another with --port."


def _our_health(host: str, port: int) -> dict[str, Any] | None:
    """What a Vaider there says of itself, or its refusal to, which has ``access``."""
    reachable = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104 - compared, not listened on
    connection = http.client.HTTPConnection(reachable, port, timeout=_ASK_SECONDS)
    try:
        connection.request("GET", "/health")
        answer = json.loads(connection.getresponse().read(65536))
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    if not isinstance(answer, dict):
        return None
    health = cast("dict[str, Any]", answer)
    is_known = health.get("name") == "vaider" and {"version", "pid"} <= health.keys()
    return health if is_known or "access" in health else None
