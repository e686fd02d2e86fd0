"""The page that a client with MCP Apps opens beside a tool's result."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client
from mcp.client import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.server.mcpserver.resources import TextResource
from mcp.types import TextResourceContents
from playwright.sync_api import Browser, expect, sync_playwright

from mcp_tools.video_page import URI, video_page
from tests.fakes.daemons.task_tools import TaskTable
from tests.fakes.jobs.memory_jobs import MemoryJobs

CHROMIUM = os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium")
HOST = """<iframe sandbox="allow-scripts"></iframe><script>
const frame = document.querySelector("iframe")
window.heard = []
const send = message => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*")
window.addEventListener("message", ({ data }) => {
  window.heard.push(data)
  if (data.method === "ui/initialize") send({ id: data.id, result: { protocolVersion: "2026-01-26" } })
  if (data.method === "ui/notifications/initialized") send({ method: "ui/notifications/tool-result", params: {
    content: [{ type: "text", text: '[00:00.4] "<b>Order 1</b> confirmed" appeared.' }],
    structuredContent: { job_id: "job-1", state: "done" } } })
  if (data.method === "tools/call") send({ id: data.id, result: { content: [
    { type: "image", mimeType: "image/gif", data: "R0lGODlhAQABAAAAACwAAAAAAQABAAA=" }] } })
})
</script>"""


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver, driver.chromium.launch(executable_path=CHROMIUM) as started:
        yield started


@pytest.mark.anyio
async def test_a_client_with_apps_finds_the_page_of_the_tools_that_show_a_video(tmp_path: Path) -> None:
    surface = TaskTable(MemoryJobs(), tmp_path).surface()
    apps = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
    async with Client(surface, extensions=[apps]) as client:
        tools = (await client.list_tools()).tools
        (page,) = (await client.read_resource(URI)).contents
    async with Client(surface) as plain:
        others = (await plain.list_tools()).tools
    bound = {tool.name for tool in tools if (tool.meta or {}).get("ui") == {"resourceUri": URI}}
    assert bound == {"analyse_video", "job_status", "look"}
    assert [tool.meta for tool in others if tool.meta] == [], "a client without apps pays nothing for them"
    assert isinstance(page, TextResourceContents)
    assert page.mime_type == APP_MIME_TYPE
    assert "http" not in page.text, "it loads nothing"


@pytest.mark.nightly
def test_the_page_shows_a_results_pictures_and_takes_those_of_a_moment(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(HOST)
    (binding,) = video_page().resources()
    assert isinstance(binding.resource, TextResource)
    page.evaluate("html => { document.querySelector('iframe').srcdoc = html }", binding.resource.text)
    inside = page.frame_locator("iframe")
    expect(inside.get_by_role("img")).to_be_visible()
    expect(inside.locator("#text")).to_contain_text('"<b>Order 1</b> confirmed" appeared.')
    inside.get_by_role("button", name="00:00.4").click()
    calls = "heard.filter(each => each.method === 'tools/call').map(each => each.params.arguments)"
    page.wait_for_function(f"{calls}.length === 2")
    assert page.evaluate(calls) == [{"job_id": "job-1"}, {"job_id": "job-1", "at": "00:00.4"}]
