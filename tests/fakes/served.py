"""A tool surface behind a real HTTP server."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mcp.server import MCPServer


@asynccontextmanager
async def served(server: MCPServer[Any]) -> AsyncGenerator[str]:
    """The server behind uvicorn on a free port of loopback; yields its URL."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(server.streamable_http_app(), log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        await task
