"""What it costs an agent over MCP to get from a red test to the line, the request and the picture.

``python -m bench.agent_walk``
"""

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from mcp import Client

from tests.fakes.daemons.commands import daemon
from tests.fakes.daemons.served import cost_of, fields_of
from tests.fakes.videos.traces import TRACES

BAR = 4000
Row = tuple[str, str, str]
"""A call, what it cost, the bar."""


def run() -> list[Row]:
    """Walk; the rows of the benchmark's table."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "test-results"
        shutil.copytree(TRACES / "refused", results / "shop-checkout-chromium")
        shutil.copytree(TRACES / "passed-10", results / "shop-login-chromium")
        (Path(folder) / "data").mkdir()
        with daemon(Path(folder) / "data") as port:
            return asyncio.run(_walked(f"http://127.0.0.1:{port}/mcp", results))


async def _walked(url: str, results: Path) -> list[Row]:
    async with Client(url) as client:

        async def cost(tool: str, **arguments: Any) -> tuple[float, Any]:
            answered = await client.call_tool(tool, arguments)
            return cost_of(answered), answered

        which, _ = await cost("analyse_video", path=str(results))
        watched, answered = await cost("analyse_video", path=str(results / "shop-checkout-chromium"))
        looked, _ = await cost("look", job_id=fields_of(answered)["job_id"])
    return [
        ("analyse_video of the run's results: which tests there are", f"{which:.0f} tokens", "-"),
        ("analyse_video of the red one: line, request, what was seen", f"{watched:.0f} tokens", "-"),
        ("look: the screen before and after, two pictures", f"{looked:.0f} tokens", "-"),
        ("the three calls", f"{which + watched + looked:.0f} tokens", f"{BAR} tokens"),
    ]


if __name__ == "__main__":
    for row in run():
        print(*row, sep="  |  ")
