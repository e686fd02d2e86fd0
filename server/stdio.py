"""MCP over stdin and stdout: nothing but the protocol on stdout, everything else on stderr."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.keys import Keys
from mcp_tools import surface
from mcp_tools.looking import LookParts
from server.client.engine import open_engine
from server.composition.memory import Memory
from server.composition.task_tools import reload_parts, task_parts
from server.composition.watching import build_looking
from server.logs import JsonLines
from server.media.frames import read_frame

if TYPE_CHECKING:
    from config.settings import Settings


INTERRUPTED: Final = 130
_GOODBYE_SECONDS: Final = 1.0
"""How long the calls that are under way have to cancel their jobs."""


def serve_stdio(settings: Settings) -> int:
    """Serve one client until it closes stdin; returns the exit code."""
    _log_to_stderr(settings)
    asyncio.run(_serve(settings))
    return 0


async def _serve(settings: Settings) -> None:
    with contextlib.closing(Memory(settings)) as memory:
        interrupted = await _serve_client(settings, memory)
    if interrupted:
        # The thread that reads stdin waits for the client and cannot be stopped; all else is closed by now.
        os._exit(INTERRUPTED)


async def _serve_client(settings: Settings, memory: Memory) -> bool:
    """Serve until the client closes stdin or a signal comes; whether it was a signal."""
    async with open_engine(settings) as engine:
        logging.getLogger("vaider.stdio").info("stdio.serving", extra={"daemon": engine.daemon or "none"})
        server = surface.build(
            jobs=engine.jobs,
            analyse=engine.analyse,
            tasks=task_parts(settings, admit=engine.admit, admit_learning=engine.admit_lesson),
            recall=memory.recall,
            reload=reload_parts(settings, engine.reloads, engine.admit),
            look=LookParts(looking=build_looking(settings), judge=engine.judge, read_frame=read_frame),
            compare=engine.compare,
            approve=engine.answer,
            elsewhere=engine.daemon is not None,
            version=metadata.version("vaider"),
            project=lambda _: Path.cwd(),
            provider=settings.provider,
        )
        serving = asyncio.create_task(server.run_stdio_async())
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            serving.cancel()
            await asyncio.wait({serving}, timeout=_GOODBYE_SECONDS)
            return True
    return False


def _log_to_stderr(settings: Settings) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(Keys(os.environ, vision_base_url=settings.vision_base_url).redact))
    # Clients show this to people unchanged, so only errors are logged unless more was requested.
    level = logging.WARNING if settings.log_level == "info" else settings.log_level.upper()
    logging.basicConfig(level=level, handlers=[handler], force=True)
