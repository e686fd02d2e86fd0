"""The official inspector and fastmcp's client use the real server, over stdio and over HTTP."""

import fcntl
import json
import os
import subprocess
import venv
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.test_mcp_conformance import CACHE
from tests.fakes.daemons.commands import VAIDER, daemon
from tests.fakes.videos.playwright_browsers import NODE

pytestmark = pytest.mark.nightly

SAMPLE = Path(__file__).parents[2] / "samples" / "checkout.mp4"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
FASTMCP = "fastmcp==4.2.3"
SCRIPT = """
import asyncio, json, sys
from fastmcp import Client
async def main():
    async with Client(json.loads(sys.argv[1])) as client:
        tools = [tool.name for tool in await client.list_tools()]
        said = await client.call_tool("analyse_video", {"path": sys.argv[2]})
        print(json.dumps({"tools": tools, "text": said.content[0].text}))
asyncio.run(main())
"""


@contextmanager
def _alone(name: str) -> Generator[Path]:
    """A folder that git does not see, for what is installed once."""
    folder = CACHE.parent / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _run(command: Sequence[Path | str], seconds: float = 300) -> str:
    environment = {**os.environ, "MCP_INSPECTOR_SECRET_STORE": "memory"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, env=environment)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def inspector() -> Path:
    with _alone("inspector") as folder:
        entry = folder / "node_modules" / ".bin" / "mcp-inspector"
        if not entry.exists():
            npm = NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            _run([NODE, npm, "install", "--no-save", "--no-audit", "--prefix", folder, INSPECTOR])
    return entry


@pytest.fixture(scope="module")
def fastmcp() -> Path:
    with _alone("fastmcp") as folder:
        if not (folder / "bin" / "fastmcp").exists():
            venv.create(folder, with_pip=True)
            _run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", FASTMCP])
    return folder / "bin" / "python"


@pytest.fixture(params=["stdio", "http"])
def servers(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[dict[str, Any]]:
    """A client's configuration."""
    if request.param == "stdio":
        arguments = ["mcp", "--stdio", "--port", "0", "--data-dir", str(tmp_path)]
        yield {"mcpServers": {"vaider": {"command": str(VAIDER), "args": arguments}}}
        return
    with daemon(tmp_path) as port:
        yield {"mcpServers": {"vaider": {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"}}}


def test_the_inspector_lists_the_tools_and_analyses_a_video(
    inspector: Path, servers: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "servers.json"
    file.write_text(json.dumps(servers))
    command = [NODE, inspector, "--cli", "--config", file, "--server", "vaider", "--method"]
    listed = json.loads(_run([*command, "tools/list"]))
    assert "analyse_video" in {tool["name"] for tool in listed["tools"]}
    called = json.loads(_run([*command, "tools/call", "--tool-name", "analyse_video", "--tool-arg", f"path={SAMPLE}"]))
    assert "Order 1042 confirmed" in called["content"][0]["text"]


def test_fastmcps_client_lists_the_tools_and_analyses_a_video(fastmcp: Path, servers: dict[str, Any]) -> None:
    told = json.loads(_run([fastmcp, "-c", SCRIPT, json.dumps(servers), str(SAMPLE)]).splitlines()[-1])
    assert "analyse_video" in told["tools"]
    assert "Order 1042 confirmed" in told["text"]
