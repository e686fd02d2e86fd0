"""``/mcp``: the MCP server, built a moment after the daemon answers, since importing it takes a third of the start."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.errors import Internal, TooLarge
from server.security import MAX_OTHER_BODY, is_near

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("vaider.mcp")

PROJECT_HEADER: Final = "Vaider-Project"
"""As ``vaider init`` writes it into the configuration of clients (``config/clients/mcp.json``)."""

_HEAD_START_SECONDS: Final = 1.0
"""So long other requests go first; a call to ``/mcp`` itself is not kept waiting."""


class McpRoute:
    """An ASGI endpoint that hands requests to an MCP server once it is there.

    Args:
        build: makes the server; called once, in a thread.

    """

    def __init__(self, build: Callable[[], MCPServer[Any]]) -> None:
        self._build = build
        self._app: ASGIApp | None = None
        self._wanted = asyncio.Event()
        self._ready = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; the first ones wait until the server is built."""
        self._wanted.set()
        await self._ready.wait()
        if self._app is None:
            raise Internal("The MCP server could not be built; the daemon's log says why.")
        # Read here, since the SDK would refuse one that is too large in a shape of its own.
        await self._app(scope, await _read(receive) if scope["method"] == "POST" else receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Build and run the server inside; its sessions end with it."""
        # One task builds, opens and closes: the SDK's task group must be left by the task that entered it.
        host = asyncio.ensure_future(self._host())
        try:
            yield
        finally:
            host.cancel()
            await asyncio.gather(host, return_exceptions=True)

    async def _host(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), _HEAD_START_SECONDS)
        try:
            server = await asyncio.to_thread(self._build)
            app = server.streamable_http_app(transport_security=_unguarded())
            async with server.session_manager.run():
                self._app = app
                self._ready.set()
                await asyncio.Event().wait()
        except Exception:
            log.exception("mcp.failed")
        finally:
            self._app = None
            self._ready.set()


def project_of(context: Context[Any, Any]) -> Path | None:
    """The project that the client says it is in; ``None`` from elsewhere, whose folders are not this machine's.

    It says where relative paths begin, and opens nothing: what may be read is checked as with an absolute path.
    """
    request = context.request_context.request
    if request is None or not is_near(request):
        return None
    given: str = request.headers.get(PROJECT_HEADER, "").strip()
    with contextlib.suppress(UnicodeError):  # some clients send UTF-8, some Latin-1
        given = given.encode("latin-1").decode()
    return Path(given) if given.startswith("/") and "\0" not in given else None


async def _read(receive: Receive) -> Receive:
    """What yields the whole body, then whatever comes. Raises ``TooLarge``, also where no length was announced."""
    body = bytearray()
    message: Message = {"type": "http.request", "more_body": True}
    while message["type"] == "http.request" and message.get("more_body", False):
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_OTHER_BODY:
            raise TooLarge(f"The body is over {MAX_OTHER_BODY} bytes; send less.", limit=MAX_OTHER_BODY)
    rest: list[Message] = [{**message, "body": bytes(body)}] if message["type"] == "http.request" else [message]

    async def replay() -> Message:
        return rest.pop() if rest else await receive()

    return replay


def _unguarded() -> Any:
    # The guard before every route has checked Host and Origin already, with this daemon's own list.
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - see the module

    return TransportSecuritySettings(enable_dns_rebinding_protection=False)
