"""``python -m server.watcher``: watches one video after the other for a test run, and stays warm in between.

One request a line on standard input, ``{"video_path", "expectations"}``; one answer a line on standard output, as HTTP
gives it, or the error shape. Ends with its input. Always offline: a test's videos go to nobody, unless VAIDER_SERVER
names the team's server, which has its own rules then.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys

from adapters.video.process.child import keep_child
from core.analysis import AnalysisRequest
from core.errors import VaiderError
from server.cli_output.analysis import write_json
from server.client.engine import Engine, open_engine
from server.client.job_following import ask
from server.commands.options import load, server_at


async def _watch(engine: Engine, line: str) -> None:
    asked = json.loads(line)
    request = AnalysisRequest(
        video_path=asked["video_path"], expectations=tuple(asked["expectations"]), provider="local"
    )
    try:
        write_json((await ask(engine, request, seconds=None, report=lambda _: None)).to_json())
    except VaiderError as error:
        write_json(error.to_json())


async def main() -> None:
    """Answer until there is no more input."""
    with contextlib.closing(keep_child()) as kept:
        server, label = server_at(os.environ.get("VAIDER_SERVER")), os.environ.get("VAIDER_LABEL", "")
        async with open_engine(load({}), kept, server=server, label=label) as engine:
            while line := await asyncio.to_thread(sys.stdin.readline):
                await _watch(engine, line)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except VaiderError as failed:
        write_json(failed.to_json())
