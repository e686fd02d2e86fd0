"""A farm with a long queue: ten thousand jobs wait, and who comes then is answered as soon as ever."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from adapters.jobs.farm.queue import FarmQueue
from bench.farm.machines import ADMIN, Machines, machines, submit
from bench.table import Table
from core.analysis import AnalysisRequest
from core.farm import FARM, queue_version
from core.jobs import NewJob, new_job_id
from storage.database import Database
from storage.farm_jobs import FarmJobStore
from storage.schema import HEAD
from tests.fakes.daemons.farm_processes import until

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WAITING = 10_000
MOST_BEFORE_LATE = 2
"""Rounds of the slots in which the few jobs of who comes later begin."""
_SLOTS = 8


def run(*, waiting: int = WAITING, crowd: int = 5_000) -> list[Table]:
    """The tables."""
    with machines() as farm:
        fill(farm, waiting, "crowd")
        rows = _asked_meanwhile(farm)
    with machines() as farm:
        rows += _turns(farm, crowd)
    return [Table("A farm with a long queue", ("", "measured", "bar"), rows)]


def fill(farm: Machines, number: int, submitter: str, seconds: float = 0.0) -> None:
    """As the API processes do it, without a video for each."""
    database = Database(farm.farm.url)
    database.open()
    with contextlib.closing(database), contextlib.closing(FarmQueue(database.url, queue_version(HEAD))) as queue:
        store = FarmJobStore(database, FARM)
        asked = AnalysisRequest(video_path="uploads/none", uploaded=True, metadata={"seconds": seconds})
        for _ in range(number):
            new = NewJob(new_job_id(), "analysis", asked.model_dump(mode="json"))
            store.create(new, {}, lambda connection, new=new: queue.enqueue(connection, new.id, submitter))


def _asked_meanwhile(farm: Machines, posts: int = 200, gets: int = 50) -> list[tuple[str, ...]]:
    """What the API answers, and how soon, while all of that waits."""
    with httpx2.Client(trust_env=False, timeout=60, headers=ADMIN) as client:
        port = farm.ports[0]
        submitted = _timed(posts, lambda: submit(client, port, b"x" * 20_000, {"label": "late"}, ADMIN))
        base = f"http://127.0.0.1:{port}"
        lists = {
            path: _timed(gets, lambda path=path: client.get(f"{base}{path}").raise_for_status())
            for path in ("/jobs?brief=true", "/jobs?state=queued&limit=500&brief=true", "/jobs?label=late", "/health")
        }
        one = client.get(f"{base}/jobs?limit=1").json()["jobs"][0]
        lists["/jobs/{job_id}"] = _timed(gets, lambda: client.get(f"{base}/jobs/{one['id']}").raise_for_status())
    memory = _memory(farm.apis[0].pid)
    farm.start_workers(2, slots=4)
    ended = "SELECT count(*) AS n FROM jobs WHERE state = 'done'"
    until(lambda: farm.rows(ended)[0]["n"] >= 200, 180)
    counted = """SELECT max(n) AS most FROM (SELECT count(*) AS n FROM job_events JOIN jobs ON jobs.id = job_id
                 WHERE state = 'done' GROUP BY job_id) AS each"""
    most = farm.rows(counted)[0]["most"]
    rows = [(f"POST /analyse, 95th percentile of {posts}", _ms(submitted), "100 ms")]
    rows += [(f"GET {path}, 95th percentile of {gets}", _ms(took), "200 ms") for path, took in lists.items()]
    return [
        *rows,
        ("events of a job, most", f"{most}", "6"),
        ("memory of the API process", f"{memory:.0f} MB", "250 MB"),
    ]


def _turns(farm: Machines, crowd: int) -> list[tuple[str, ...]]:
    """Thousands of one label, then five of another one: after how many others these have begun."""
    fill(farm, crowd, "crowd", seconds=0.5)
    farm.start_workers(2, slots=_SLOTS // 2)
    until(lambda: len(_begun(farm)) >= 2 * _SLOTS)
    with httpx2.Client(trust_env=False, timeout=60) as client:
        few = {submit(client, farm.ports[0], b"x", {"label": "few", "seconds": 0.5}, ADMIN) for _ in range(5)}
    sent = len(_begun(farm))
    until(lambda: few <= set(_begun(farm)), 120)
    between = max(_begun(farm).index(job_id) for job_id in few) + 1 - sent
    return [
        (
            f"jobs begun until the five of a later label had, behind {crowd} of another one, with {_SLOTS} slots",
            f"{between}",
            f"{MOST_BEFORE_LATE * _SLOTS}",
        )
    ]


def _begun(farm: Machines) -> Sequence[str]:
    return [line["job"] for line in farm.told() if line["what"] == "begun"]


def _timed(times: int, what: Callable[[], Any]) -> float:
    """The 95th percentile of its seconds."""
    took: list[float] = []
    for _ in range(times):
        began = time.monotonic()
        if what() is None:
            raise RuntimeError("A job was not accepted.")
        took.append(time.monotonic() - began)
    return sorted(took)[int(len(took) * 0.95)]


def _memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(dict(line.split(":", 1) for line in status.splitlines())["VmRSS"].split()[0]) / 1024


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"
