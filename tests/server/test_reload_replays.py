"""A replay of a front end's own actions, by the real daemon: told on ``/events``, reported on, and cut short."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from tests.clock import until
from tests.fakes.daemons.daemon_processes import Process

POSTED = {
    "triggerType": "user_message",
    "request": "remind alice of lunch",
    "summary": "Sets a reminder",
    "succeeded": True,
    "actions": [{"type": "window.create", "title": "lunch"}, {"type": "reminder.add", "to": "alice"}],
}


@pytest.fixture
def daemons() -> Iterator[list[Process]]:
    launched: list[Process] = []
    yield launched
    for process in launched:
        process.close()


class FrontEnd(threading.Thread):
    """Carries out what is emitted for it, and reports."""

    def __init__(self, daemon: Process, *, succeeded: bool) -> None:
        super().__init__()
        self.daemon_process = daemon
        self.succeeded = succeeded
        self.done: list[dict[str, Any]] = []
        self.connected = threading.Event()

    def run(self) -> None:
        event = ""
        with self.daemon_process.http.stream("GET", "/events") as stream:
            for line in stream.iter_lines():
                self.connected.set()
                name, _, value = line.partition(": ")
                event = value if name == "event" else event
                if name == "data" and event == "reload_action":
                    self.done.append(json.loads(value)["action"])
                if name == "data" and event == "reload_emitted":
                    self._report(json.loads(value))
                    return

    def _report(self, reported: dict[str, Any]) -> None:
        said = {"succeeded": self.succeeded, "reason": "the window is gone", "job_id": reported["job_id"]}
        assert self.daemon_process.http.post(reported["report_url"], json=said).is_success


@pytest.mark.nightly
def test_an_agent_takes_an_option_and_the_front_end_does_it(tmp_path: Path, daemons: list[Process]) -> None:
    daemons.append(daemon := Process(tmp_path / "data").started())
    cache_id = daemon.http.post("/reload", json=POSTED).json()["cacheId"]

    async def take(request: str) -> tuple[dict[str, Any], Any]:
        async with Client(f"http://127.0.0.1:{daemon.port}/mcp") as client:
            listed = await client.call_tool("list_reload_options", {"request": request})
            assert listed.structured_content is not None
            (option,) = listed.structured_content["options"]
            proposed = {slot["name"]: slot["proposed"] for slot in option["slots"]}
            return option, await client.call_tool("reload_cached", {"cacheId": option["cacheId"], "values": proposed})

    def taken(request: str, *, succeeded: bool) -> tuple[FrontEnd, dict[str, Any], Any]:
        front_end = FrontEnd(daemon, succeeded=succeeded)
        front_end.start()
        assert front_end.connected.wait(10)
        option, answered = anyio.run(take, request)
        front_end.join(10)
        return front_end, option, answered

    front_end, option, answered = taken("remind bob of lunch", succeeded=True)
    failed = taken("remind alice of lunch", succeeded=False)[2]
    entry = daemon.http.get(f"/reload/{cache_id}").json()

    assert option["match"] == "offer"
    assert option["slots"] == [
        {"name": "title", "value": "lunch", "proposed": "lunch"},
        {"name": "to", "value": "alice", "proposed": "bob"},
    ]
    assert front_end.done == [{"type": "window.create", "title": "lunch"}, {"type": "reminder.add", "to": "bob"}]
    assert answered.content[0].text == 'Replayed 2 actions from cache "Sets a reminder".'
    assert failed.is_error
    assert failed.content[0].text.startswith("Cache replay failed: the window is gone. Proceed manually.")
    assert (entry["useCount"], entry["successCount"], entry["failureCount"]) == (2, 1, 1)
    assert entry["quarantined"] == "the window is gone"
    assert daemon.http.get("/reload").json()["count"] == 1, "a replay is not recorded again"


@pytest.mark.nightly
def test_one_that_is_cut_short_does_not_go_on_and_counts_neither_way(tmp_path: Path, daemons: list[Process]) -> None:
    daemons.append(first := Process(tmp_path / "data").started())
    cache_id = first.http.post("/reload", json=POSTED).json()["cacheId"]
    job_id = first.http.post("/replay", json={"cache_id": cache_id}).json()["job_id"]
    until(lambda: first.http.get(f"/jobs/{job_id}").json()["progress"]["stage"] == "reload_emitted")
    first.close()

    daemons.append(second := Process(tmp_path / "data").started())
    until(lambda: second.http.get(f"/jobs/{job_id}").json()["state"] == "failed")
    entry = second.http.get(f"/reload/{cache_id}").json()

    assert second.http.get(f"/jobs/{job_id}").json()["error"]["code"] == "interrupted"
    assert (entry["useCount"], entry["successCount"], entry["failureCount"]) == (1, 0, 0)
    assert second.http.get("/reload/stats").json()["uses"]["open"] == 0
    offered = second.http.post("/reload/options", json={"request": POSTED["request"]}).json()["options"]
    assert [each["match"] for each in offered] == ["same"]
