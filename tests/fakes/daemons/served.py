"""A tool surface behind a real HTTP server, and what its answers say."""

import asyncio
import base64
import io
import json
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.types import CallToolResult
from PIL import Image


@asynccontextmanager
async def served(server: MCPServer[Any]) -> AsyncGenerator[str]:
    """The server behind uvicorn on a free port of loopback; yields its URL."""
    # With this protocol asyncio sends an answer without waiting for the receipt of its head.
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(server.streamable_http_app(), log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        await task


def text_of(answered: CallToolResult) -> str:
    """What a tool says."""
    return "".join(getattr(block, "text", "") for block in answered.content)


def fields_of(answered: CallToolResult) -> dict[str, Any]:
    """What a tool answers to programs."""
    assert answered.structured_content is not None, text_of(answered)
    return answered.structured_content


def tokens_of(answered: CallToolResult) -> float:
    """About as many tokens as an answer takes."""
    wire = json.dumps(answered.model_dump(mode="json", by_alias=True, exclude_none=True), ensure_ascii=False)
    return len(wire.encode()) / 3.5


def cost_of(answered: CallToolResult) -> float:
    """What all of an answer costs a model: text, structure and pictures."""
    pictures = 0.0
    for block in answered.content:
        if block.type == "image":
            picture = Image.open(io.BytesIO(base64.b64decode(block.data)))
            pictures += picture.width * picture.height / 750
    words = answered.model_copy(update={"content": [each for each in answered.content if each.type == "text"]})
    return tokens_of(words) + pictures


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until it holds, while the loop runs on."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - the condition is another process's or task's state
            await asyncio.sleep(0.01)
