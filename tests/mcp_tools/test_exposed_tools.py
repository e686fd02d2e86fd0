"""Tasks and workflows as tools of their own, where the user wants that, as clients of both eras meet them."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.fakes.daemons.served import fields_of, served, text_of
from tests.fakes.daemons.task_tools import TaskTable
from tests.fakes.jobs.memory_jobs import MemoryJobs
from tests.fakes.jobs.run_results import run_result

pytestmark = pytest.mark.anyio
ERAS = ["legacy", "auto"]
EXAMPLES = Path(__file__).parents[2] / "examples" / "workflows"


def table(folder: Path, *exposed: str) -> TaskTable:
    """With the example's workflow, and one task."""
    shutil.copytree(EXAMPLES, folder / "workflows")
    jobs = MemoryJobs(lambda jobs, job: jobs.finish(job.id, run_result()))
    made = TaskTable(jobs, folder / "tasks", exposed=exposed, workflow_roots=(folder / "workflows",))
    made.task("Send the weekly report")
    return made


@pytest.mark.parametrize("era", ERAS)
async def test_a_workflow_is_a_tool_with_its_own_name_and_parameters(era: str, tmp_path: Path) -> None:
    made = table(tmp_path, "parcel-form", "Send the weekly report", "no-such")
    async with served(made.surface()) as url, Client(url, mode=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        answered = await client.call_tool("run_parcel_form", {"recipient": "Grace Hopper"})
        refused = await client.call_tool("run_parcel_form", {"recipent": "Grace"})
        task = await client.call_tool("run_send_the_weekly_report", {})
    properties = tools["run_parcel_form"].input_schema["properties"]
    assert {"recipient", "street", "city"} <= set(properties)
    assert "Who gets the parcel" in properties["recipient"]["description"]
    assert tools["run_parcel_form"].input_schema["required"] == []
    assert tools["run_parcel_form"].annotations is not None
    assert tools["run_parcel_form"].annotations.destructive_hint
    assert not [name for name in tools if "no_such" in name]
    first, second = (job.request for job in made.jobs.jobs.values())
    assert (first["workflow"], first["params"]) == ("parcel-form", {"recipient": "Grace Hopper"})
    assert second["task"] == "Send the weekly report"
    assert (fields_of(answered)["status"], fields_of(task)["status"]) == ("SUCCESS", "SUCCESS")
    assert "Did you mean 'recipient'?" in text_of(refused)


async def test_it_is_off_by_default(tmp_path: Path) -> None:
    async with Client(table(tmp_path).surface()) as client:
        assert len((await client.list_tools()).tools) == 12
        assert "There is no tool" in text_of(await client.call_tool("run_parcel_form", {}))


def change(folder: Path) -> None:
    """Rename the workflow's first parameter."""
    file = folder / "workflows" / "parcel-form" / "schema.json"
    file.write_text(file.read_text().replace('"recipient"', '"addressee"').replace("{recipient}", "{addressee}"))
    assert json.loads(file.read_text())["task_params"][0]["name"] == "addressee"


async def test_a_client_that_listens_is_told_when_a_tool_has_changed(tmp_path: Path) -> None:
    made = table(tmp_path, "parcel-form")
    async with served(made.surface()) as url, Client(url) as client:
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed
        await client.list_tools()
        async with client.listen(tools_list_changed=True) as changes:
            change(tmp_path)
            await client.call_tool("list_videos", {})
            async with asyncio.timeout(30):
                await anext(aiter(changes))
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert "addressee" in tools["run_parcel_form"].input_schema["properties"]


async def test_a_client_of_the_older_protocol_is_told_too(tmp_path: Path) -> None:
    made, told = table(tmp_path, "parcel-form"), asyncio.Event()

    async def hear(message: Any) -> None:
        if "tools/list_changed" in str(getattr(message, "method", "")):
            told.set()

    async with served(made.surface()) as url, Client(url, mode="legacy", message_handler=hear) as client:
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed
        await client.list_tools()
        change(tmp_path)
        async with asyncio.timeout(30):
            while not told.is_set():
                await client.call_tool("list_videos", {})
