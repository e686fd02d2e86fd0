"""A real recording, watched offline: every way in gives the same answer."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult

from tests.fakes.daemons.commands import VAIDER, daemon, vaider

pytestmark = [pytest.mark.anyio, pytest.mark.programs]
CLIP = Path(__file__).parents[1] / "clips" / "toasts.mp4"
EXPECTATIONS = ['"Digest saved" is shown', '"Digest saved" disappears', '"Order 1042 confirmed" is shown']
VERDICTS = ["pass", "pass", "fail"]


async def finished(client: Client, answered: CallToolResult) -> dict[str, Any]:
    """The answer, asked after for as long as it takes."""
    for _ in range(8):
        assert answered.structured_content is not None, answered.content
        if answered.structured_content["state"] == "done":
            return answered.structured_content
        job = {"job_id": answered.structured_content["job_id"], "wait_seconds": 30}
        answered = await client.call_tool("job_status", job)
    raise AssertionError("it takes too long")


def are_files(*paths: str) -> bool:
    return all(Path(path).is_file() for path in paths)


def are_private(folder: Path) -> bool:
    modes = {path.name: path.stat().st_mode & 0o077 for path in folder.rglob("*")}
    assert any(name.endswith(".jpg") for name in modes)
    return not any(modes.values())


@pytest.mark.nightly
async def test_http_stdio_and_the_command_agree_on_what_a_recording_shows(tmp_path: Path) -> None:
    clip = shutil.copy(CLIP, tmp_path / "toasts.mp4")
    arguments = {"path": str(clip), "expectations": EXPECTATIONS}
    reported: list[float] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        assert total == 100, message
        reported.append(progress)

    (tmp_path / "data").mkdir()
    with daemon(tmp_path / "data") as port:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            answered = await client.call_tool("analyse_video", arguments, progress_callback=listen)
            over_http = await finished(client, answered)
        expect = [part for text in EXPECTATIONS for part in ("--expect", text)]
        command = vaider("analyse", str(clip), *expect, "--json", "--port", str(port), cwd=tmp_path)
    alone = ["mcp", "--stdio", "--port", "1", "--data-dir", str(tmp_path / "other")]
    async with Client(StdioServerParameters(command=VAIDER, args=alone, env=dict(os.environ))) as client:
        over_stdio = await finished(client, await client.call_tool("analyse_video", arguments))

    printed = json.loads(command.stdout)
    assert command.returncode == 1
    assert (over_http["cached"], printed["cached"], over_stdio["cached"]) == (False, True, False)
    for way in (over_http, over_stdio, printed):
        assert [one["verdict"] for one in way["verdicts"]] == VERDICTS
        assert way["description"] == printed["description"]
        assert [event["t_ms"] for event in way["timeline"]] == [event["t_ms"] for event in printed["timeline"]]
    evidence = over_http["verdicts"][0]["evidence"][0]
    assert abs(evidence["t_ms"] - 1578) <= 100
    assert evidence["quote"] == "Digest saved"
    assert are_files(over_http["full_response"], f"{over_http['interactions_dir']}/{evidence['frame']}")
    assert are_private(Path(over_http["interactions_dir"])), "others on this machine may not look"
    assert reported == sorted(set(reported))
    assert len(reported) > 3
