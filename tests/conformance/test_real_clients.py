"""Clients that others wrote, over HTTP and stdio: the MCP inspector's command line, and fastmcp's client."""

import fcntl
import json
import shutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.daemons.commands import VAIDER, daemon
from tests.fakes.videos.playwright_browsers import NODE
from tests.fakes.videos.traces import TRACES

pytestmark = [pytest.mark.nightly, pytest.mark.programs]
CACHE = Path(__file__).parents[2] / ".cache"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
FASTMCP = "fastmcp==4.2.3"
REASON = 'refused.spec.ts:31 click "Place order" → POST /api/orders 500 (0.3 s) → "Payment failed" appeared'
PATIENCE_MS = "120000"
FASTMCP_CLIENT = """
import asyncio, json, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

command, path = json.loads(sys.argv[1]), sys.argv[2]

async def main():
    async with Client(command if isinstance(command, str) else StdioTransport(command[0], command[1:])) as client:
        tools = await client.list_tools()
        watched = await client.call_tool("analyse_video", {"path": path})
        looked = await client.call_tool("look", {"job_id": watched.structured_content["job_id"]})
        kinds = [each.type for each in looked.content]
        print(json.dumps([[each.name for each in tools], watched.structured_content, kinds]))

asyncio.run(main())
"""


def installed(name: str, entry: str, *commands: Sequence[str | Path]) -> Path:
    """A package of others, installed once into a folder that git does not see."""
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / entry).exists():
            for command in commands:
                subprocess.run(command, check=True, capture_output=True, timeout=600)
    return folder / entry


@pytest.fixture(scope="module")
def inspector() -> Path:
    npm = NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    options = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--prefix", CACHE / "inspector", INSPECTOR]
    entry = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    return installed("inspector", entry, [NODE, npm, *options])


@pytest.fixture(scope="module")
def fastmcp() -> Path:
    """A Python of its own: what fastmcp needs may be other versions than ours."""
    python = CACHE / "fastmcp" / "bin" / "python"
    return (
        installed(
            "fastmcp",
            "installed",
            [sys.executable, "-m", "venv", CACHE / "fastmcp"],
            [python, "-m", "pip", "install", "--quiet", FASTMCP],
            ["touch", CACHE / "fastmcp" / "installed"],
        ).with_name("bin")
        / "python"
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(TRACES / "refused", folder / "order-chromium")
    return folder


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with daemon(tmp_path_factory.mktemp("data")) as port:
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> str | list[str]:
    """A URL, or a command that speaks over its pipes."""
    if request.param == "http":
        return request.getfixturevalue("url")
    return [VAIDER, "mcp", "--stdio", "--set", "port=1", "--set", f"data_dir={tmp_path}"]


def inspected(inspector: Path, server: str | list[str], project: Path, *arguments: str) -> dict[str, Any]:
    """What the inspector prints of one call; it starts the server in the project, or says it in the header."""
    if isinstance(server, str):
        over = [server, "--header", f"Vaider-Project: {project}"]
    else:
        config = project / "inspector.json"
        entry = {"type": "stdio", "command": server[0], "args": server[1:], "cwd": str(project)}
        config.write_text(json.dumps({"mcpServers": {"vaider": entry}}))
        over = ["--config", str(config), "--server", "vaider"]
    command = [NODE, inspector, "--cli", *over, "--connect-timeout", PATIENCE_MS, *arguments]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_tools_watches_and_looks(inspector: Path, server: str | list[str], project: Path) -> None:
    listed = inspected(inspector, server, project, "--method", "tools/list")
    assert {"analyse_video", "look"} <= {each["name"] for each in listed["tools"]}
    call = ["--method", "tools/call", "--tool-name"]
    watched = inspected(inspector, server, project, *call, "analyse_video", "--tool-arg", "path=order-chromium")
    assert watched["structuredContent"]["why"]["text"].startswith(REASON)
    seen = ["--tool-arg", "path=order-chromium/video.webm", "at=1000"]
    looked = inspected(inspector, server, project, *call, "look", *seen)
    assert [each["type"] for each in looked["content"]] == ["text", "image"]


def test_fastmcp_lists_tools_watches_and_looks(fastmcp: Path, server: str | list[str], project: Path) -> None:
    command = [fastmcp, "-c", FASTMCP_CLIENT, json.dumps(server), str(project / "order-chromium")]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    tools, watched, kinds = json.loads(done.stdout)
    assert {"analyse_video", "look"} <= set(tools)
    assert watched["why"]["text"].startswith(REASON)
    assert kinds == ["text", "image", "image"]
