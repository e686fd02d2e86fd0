"""The real daemon, started as a process of its own by the installed command."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from server.media.playable import MARK
from tests.clock import until
from tests.fakes.daemons.daemon_processes import START_SECONDS, Process
from tests.fakes.daemons.memory_daemon import PATIENCE

CLIP = Path(__file__).parent.parent / "clips" / "still.mp4"


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    launched: list[Process] = []

    def launcher(data: str = "data", **settings: Any) -> Process:
        launched.append(Process(tmp_path / data, **settings))
        return launched[-1]

    yield launcher
    for process in launched:
        process.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """One for tests that only ask, and leave it as it was."""
    process = Process(tmp_path_factory.mktemp("shared"))
    try:
        yield process.started()
    finally:
        process.close()


@pytest.mark.nightly
def test_it_analyses_tells_the_truth_about_itself_and_stops_when_told(launch: Callable[..., Process]) -> None:
    daemon = launch().started()
    reported: list[str] = []
    watching = threading.Event()

    def watch() -> None:
        with daemon.http.stream("GET", "/events") as stream:
            for line in stream.iter_lines():
                watching.set()
                reported.append(line)

    viewer = threading.Thread(target=watch)
    viewer.start()
    assert watching.wait(PATIENCE)

    with CLIP.open("rb") as video:
        answer = daemon.http.post("/analyse", files={"video": ("still.mp4", video)}, data={"metadata": "{}"})
    health = daemon.http.get("/health").json()
    until(lambda: list((daemon.data / "uploads").rglob(MARK)))
    kept = daemon.http.get(f"/jobs/{answer.json()['job_id']}/video")
    broken = daemon.http.post("/analyse", files={"video": ("broken.mp4", b"no video" * 100)}).json()
    daemon.process.send_signal(signal.SIGTERM)
    code, said = daemon.ended(5)
    viewer.join(PATIENCE)

    assert answer.status_code == 200, answer.text
    assert answer.json()["provider"] == "local"
    assert health["last_analysis"] | {"finished_at": ""} == {
        "job_id": answer.json()["job_id"],
        "state": "done",
        "finished_at": "",
        "code": None,
    }
    assert broken["code"] == "invalid_video"
    assert "uploads" not in broken["error"]
    assert health["queue"] == {"running": 0, "waiting": 0, "max_parallel_analyses": 2}
    assert health["database_ok"] is True
    assert code == 0
    assert {"event: queued", "event: done", "event: shutdown"} <= set(reported)
    assert [json.loads(line)["event"] for line in said.splitlines()] == ["daemon.listening", "daemon.stopping"]
    assert (daemon.data / "daemon.log").read_text().splitlines() == said.splitlines()
    assert kept.content == CLIP.read_bytes()


@pytest.mark.nightly
def test_a_start_imports_nothing_that_only_some_requests_need(tmp_path: Path) -> None:
    script = """
import asyncio, sys
from config.settings import load_settings
from server.vaider import open_vaider

async def start():
    async with open_vaider(load_settings(environment={}, flags={"data_dir": sys.argv[1]}), {}) as vaider:
        vaider.refinement_worker.start()
        vaider.reader.start()
        vaider.recorder.begin()
        assert vaider.reader.status() is None
        # As `/health` asks.
        assert set(vaider.analysis.providers) and set(vaider.replaying.replay.providers)

asyncio.run(start())
print(*(name for name in sys.argv[2:] if name in sys.modules))
import server.daemon
print(*(name for name in sys.argv[2:] if name in sys.modules))
"""
    needless = ["alembic", "av", "cv2", "httpx2", "mcp", "numpy", "PIL", "rich"]
    needless += [
        "fastapi",
        "adapters.models.computer.function_tools",
        "core.memories.reading",
        "core.procedures.procedures",
        "core.reload.options",
        "storage.reload.entries",
        "storage.memories.memories",
    ]
    reported = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), *needless],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    alone, behind_its_address = reported.stdout.splitlines()
    assert alone == "", "a command that works by itself waits for no web server"
    assert behind_its_address == "fastapi"


def test_mcp_answers_on_the_same_port_in_both_eras(shared: Process) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    who = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    old = shared.http.post(
        "/mcp", headers=accept, json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who}
    )
    new = shared.http.post(
        "/mcp",
        headers={**accept, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"},
        json={"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}},
    )

    assert '"protocolVersion":"2025-11-25"' in old.text
    assert new.json()["result"]["supportedVersions"] == ["2026-07-28"]
    assert shared.http.post("/mcp", headers={"Origin": "null"}, json={}).json()["code"] == "forbidden"


@pytest.mark.nightly
def test_an_idle_daemon_hardly_wakes_up(launch: Callable[..., Process]) -> None:
    daemon = launch().started()
    assert daemon.http.get("/mcp").status_code < 500, "what is built a moment after the start is there by then"
    daemon.http.close()
    process = psutil.Process(daemon.process.pid)

    before = process.num_ctx_switches().voluntary
    with pytest.raises(psutil.TimeoutExpired):
        process.wait(3)

    assert process.num_ctx_switches().voluntary - before < 15


def test_a_body_that_mcp_does_not_take_is_refused_in_the_one_shape(shared: Process) -> None:
    unannounced = (b" " * 65536 for _ in range(65))
    json_headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    large = shared.http.post("/mcp", headers=json_headers, content=unannounced)
    form = shared.http.post("/mcp", files={"video": ("a.mp4", b"a")})

    assert (large.status_code, large.json()["code"]) == (413, "too_large")
    assert (form.status_code, form.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.nightly
def test_a_second_daemon_says_who_has_the_port_or_the_data(launch: Callable[..., Process]) -> None:
    first = launch().started()

    same_port = launch("other", port=first.port).ended()
    same_data = launch().ended()

    pid = first.process.pid
    assert same_port == (3, f"Vaider 0.1.0 is already running on port {first.port} (pid {pid}).\n")
    assert same_data[0] == 3
    assert f"(pid {pid})" in same_data[1]


@pytest.mark.nightly
def test_a_port_that_somebody_else_has_is_explained(launch: Callable[..., Process]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, said = launch(port=port).ended()

    assert code == 3
    assert said.startswith(f"Port {port} is taken by another program")


def test_beyond_loopback_it_wants_the_token_of_its_file(launch: Callable[..., Process]) -> None:
    daemon = launch(host="0.0.0.0")  # noqa: S104 - what is tested
    until(lambda: (daemon.data / "token").exists() and _status(daemon, "x") == 401, seconds=START_SECONDS)

    assert _status(daemon, (daemon.data / "token").read_text().strip()) == 200


def _status(daemon: Process, token: str) -> int | None:
    try:
        return daemon.http.get("/health", headers={"Authorization": f"Bearer {token}"}).status_code
    except httpx2.TransportError:
        return None


@pytest.mark.nightly
def test_a_killed_daemon_leaves_a_job_that_goes_on_and_a_stream_without_gap_or_repeat(
    launch: Callable[..., Process],
) -> None:
    daemon = launch(max_parallel_analyses=1).started()
    accepted = [
        daemon.http.post("/analyse", json={"video_path": str(CLIP)}, headers={"Prefer": "respond-async"}).json()
        for _ in range(3)
    ]
    seen = _ids(daemon, "0", at_most=2)
    daemon.process.kill()
    daemon.ended()

    again = launch().started()
    for job in accepted:
        with again.http.stream("GET", "/events", params={"job": job["job_id"]}) as stream:
            stream.read()
        assert again.http.get(job["job_url"]).json()["state"] == "done"
    last = max(job["progress"]["id"] for job in again.http.get("/jobs").json()["jobs"])
    seen += _ids(again, str(seen[-1]), at_most=last - len(seen))

    assert seen == list(range(1, last + 1))


def _ids(daemon: Process, after: str, *, at_most: int) -> list[int]:
    ids: list[int] = []
    with daemon.http.stream("GET", "/events", headers={"Last-Event-ID": after}) as stream:
        for line in stream.iter_lines():
            if line.startswith("id: "):
                ids.append(int(line[4:]))
            if len(ids) == at_most:
                break
    return ids
