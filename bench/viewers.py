"""A thousand people watch the daemon's events while it works: does each of them see every event, and how soon?

``python -m bench.viewers [VIEWERS]``
"""

import asyncio
import resource
import sys
import time
from pathlib import Path

import httpx2

from bench.daemon import Daemon, running_daemon

VIEWERS = 1000
ANALYSES = 40
STARTS = 5
CLIP = Path(__file__).parent.parent / "tests" / "clips" / "still.mp4"
PATIENCE_SECONDS = 120.0
Row = tuple[str, str, str]
"""What was measured, the number, the bar or what it is held against."""


class Viewer:
    """One connection to ``/events``: which ids came, and when the last one did."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.last_seconds = 0.0

    async def watch(self, port: int, connected: asyncio.Semaphore, until_id: asyncio.Future[int]) -> None:
        """Read until the event ``until_id`` has come."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        while not (await reader.readline()).startswith(b"retry:"):
            pass
        connected.release()
        while not (until_id.done() and self.ids and self.ids[-1] >= until_id.result()):
            line = await reader.readline()
            if not line:
                break
            if line.startswith(b"id: "):
                self.ids.append(int(line[4:]))
                self.last_seconds = time.monotonic()
        writer.close()


async def _measure(daemon: Daemon, count: int) -> list[Row]:
    connected = asyncio.Semaphore(0)
    last_id: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    viewers = [Viewer() for _ in range(count)]
    began = time.monotonic()
    watching = [asyncio.ensure_future(viewer.watch(daemon.port, connected, last_id)) for viewer in viewers]
    for _ in viewers:
        await asyncio.wait_for(connected.acquire(), PATIENCE_SECONDS)
    joined = time.monotonic() - began
    cpu = daemon.cpu_seconds()
    async with httpx2.AsyncClient(base_url=daemon.url, trust_env=False, timeout=PATIENCE_SECONDS) as http:
        began = time.monotonic()
        accepted = [await _start_analysis(http) for _ in range(ANALYSES)]
        for job_id in accepted:
            await http.get("/events", params={"job": job_id})  # ends with the job
        worked = time.monotonic()
        jobs = (await http.get("/jobs", params={"limit": ANALYSES})).json()["jobs"]
        last_id.set_result(max(job["progress"]["id"] for job in jobs))
    _, late = await asyncio.wait(watching, timeout=PATIENCE_SECONDS)
    for task in late:
        task.cancel()
    expected = list(range(1, last_id.result() + 1))
    missing = sum(len(set(expected) - set(viewer.ids)) for viewer in viewers)
    repeated = sum(len(viewer.ids) - len(set(viewer.ids)) for viewer in viewers)
    disordered = sum(viewer.ids != sorted(viewer.ids) for viewer in viewers)
    behind = max(viewer.last_seconds for viewer in viewers) - worked
    return [
        (f"{count} SSE viewers: connected within", f"{joined:.1f} s", "-"),
        ("events x viewers delivered", f"{sum(len(viewer.ids) for viewer in viewers):,}", f"{len(expected) * count:,}"),
        ("events missing, repeated, out of order", f"{missing}, {repeated}, {disordered}", "0, 0, 0"),
        (f"{ANALYSES} analyses while all watched", f"{worked - began:.1f} s", "-"),
        ("last viewer behind the last event's job", f"{max(0.0, behind):.2f} s", "-"),
        ("daemon's processor time meanwhile", f"{daemon.cpu_seconds() - cpu:.1f} s", "-"),
        ("daemon's peak memory", f"{daemon.memory()[1]:.0f} MB", "-"),
    ]


async def _start_analysis(http: httpx2.AsyncClient) -> str:
    answer = await http.post(
        "/analyse", json={"video_path": str(CLIP), "no_cache": True}, headers={"Prefer": "respond-async"}
    )
    return answer.json()["job_id"]


def run(count: int = VIEWERS) -> list[Row]:
    """Measure; the rows of the benchmark's table."""
    _allow_files(count + 200)
    starts = sorted(_start() for _ in range(STARTS))
    with running_daemon() as daemon:
        # Once the MCP server is loaded too, the daemon is what it is when it idles.
        httpx2.get(f"{daemon.url}/mcp", trust_env=False)
        idle, _ = daemon.memory()
        return [
            (f"daemon's first answer after, median of {STARTS}", f"{starts[STARTS // 2]:.2f} s", "1.5 s"),
            ("daemon's memory when idle", f"{idle:.0f} MB", "150 MB"),
            *asyncio.run(_measure(daemon, count)),
        ]


def _start() -> float:
    with running_daemon() as daemon:
        return daemon.first_answer_seconds


def _allow_files(wanted: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))


if __name__ == "__main__":
    for row in run(*map(int, sys.argv[1:])):
        print(f"{row[0]:<45} {row[1]:>14}   {row[2]}")
