"""A farm with a long queue: ten thousand jobs wait, and who comes then is answered as soon as ever."""

from __future__ import annotations

import base64
import contextlib
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx2
import psycopg
from psycopg.rows import dict_row

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
    from collections.abc import Callable, Mapping, Sequence

WAITING = 10_000
MOST_BEFORE_LATE = 2
"""Rounds of the slots in which the few jobs of who comes later begin."""
_SLOTS = 8
_TURNS = 100
_DONE = 200
_POST = "POST /analyse of 20 kB"
_BARS = {"POST": "100 ms", "GET": "200 ms"}


def run(*, waiting: int = WAITING, crowd: int = 5_000) -> list[Table]:
    """The tables."""
    with machines() as farm:
        before = _answered(farm)
        fill(farm, waiting, "crowd")
        after = _answered(farm)
        memory = _memory(farm.apis[0].pid)
        most = _most_events(farm)
    with machines() as farm:
        between = _turns(farm, crowd)
    rows: list[tuple[str, ...]] = [
        (f"{label}, 95th percentile", _ms(took), _ms(after[label]), _BARS.get(label.split()[0], "-"))
        for label, took in before.items()
    ]
    rows += [
        ("events of a job, most", "-", f"{most}", "6"),
        ("memory of the API process", "-", f"{memory:.0f} MB", "250 MB"),
        (
            f"jobs begun until the five of a later label had, behind {crowd} of another one, with {_SLOTS} slots",
            "-",
            f"{between}",
            f"{MOST_BEFORE_LATE * _SLOTS}",
        ),
    ]
    columns = ("", "few jobs wait", f"{waiting} wait", "bar")
    note = (
        f"What is compared took turns: {_TURNS} times each. By itself: the bytes put into the same store and one row "
        "committed to the same database, by the benchmark's own process; and a route that asks no database."
    )
    return [Table("A farm with a long queue", columns, rows, note)]


def fill(farm: Machines, number: int, submitter: str, seconds: float = 0.0) -> None:
    """The first as the API processes do it, without a video; the others are copies of its rows by other ids."""
    database = Database(farm.farm.url)
    database.open()
    with (
        contextlib.closing(database),
        contextlib.closing(FarmQueue(database.url, queue_version(HEAD))) as queue,
        psycopg.connect(farm.farm.url) as connection,
    ):
        asked = AnalysisRequest(video_path="uploads/none/none", uploaded=True, metadata={"seconds": seconds})
        new = NewJob(new_job_id(), "analysis", asked.model_dump(mode="json"))
        FarmJobStore(database, FARM).create(new, {}, lambda within: queue.enqueue(within, new.id, submitter))
        ids = [new_job_id() for _ in range(number - 1)]
        for rows in _ROWS:
            _copy_rows(connection, *rows, [new.id, *ids])
        for numbered_on in _SEQUENCES:
            connection.execute(numbered_on)


_ROWS: Final = (
    ("jobs", b"SELECT * FROM jobs WHERE id = %s", "number"),
    ("job_briefs", b"SELECT * FROM job_briefs WHERE job = (SELECT number FROM jobs WHERE id = %s)", "job"),
    ("job_events", b"SELECT * FROM job_events WHERE job_id = %s", "id"),
    ("dbos.workflow_status", b"SELECT * FROM dbos.workflow_status WHERE workflow_uuid = %s", "priority"),
    ("dbos.workflow_input", b"SELECT * FROM dbos.workflow_input WHERE workflow_uuid = %s", None),
)
"""Where a job that waits has a row, how that is found, and which column is one more for the next job."""
_SEQUENCES: Final = (
    b"SELECT setval(pg_get_serial_sequence('jobs', 'number'), (SELECT max(number) FROM jobs))",
    b"SELECT setval(pg_get_serial_sequence('job_events', 'id'), (SELECT max(id) FROM job_events))",
)


def _copy_rows(
    connection: psycopg.Connection, table: str, of_one: bytes, counted: str | None, ids: Sequence[str]
) -> None:
    """Of the first one's row, for all the others."""
    first, *others = ids
    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(of_one, [first]).fetchone()
        if row is None:
            raise RuntimeError(f"The first job has no row in {table}.")
        row = {name: value for name, value in row.items() if value is not None}
        with cursor.copy(f"COPY {table} ({', '.join(row)}) FROM STDIN".encode()) as copy:
            for place, job_id in enumerate(others, 1):
                own = {name: _renamed(value, first, job_id) for name, value in row.items()}
                if counted is not None:
                    own[counted] += place
                copy.write_row(list(own.values()))


def _renamed(value: Any, old: str, new: str) -> Any:
    """With another job's id, which is as long; also within what DBOS has pickled."""
    if not isinstance(value, str):
        return value
    with contextlib.suppress(ValueError):
        packed = base64.b64decode(value, validate=True)
        if old.encode() in packed:
            return base64.b64encode(packed.replace(old.encode(), new.encode())).decode()
    return value.replace(old, new)


def _answered(farm: Machines) -> dict[str, float]:
    """The 95th percentile of the seconds that each of these takes, all in turn, while no worker is there."""
    content = b"x" * 20_000
    objects = farm.farm.objects()
    base = f"http://127.0.0.1:{farm.ports[0]}"
    with (
        tempfile.NamedTemporaryFile() as file,
        psycopg.connect(farm.farm.url, autocommit=True) as connection,
        httpx2.Client(base_url=base, trust_env=False, timeout=60, headers=ADMIN) as client,
    ):
        file.write(content)
        file.flush()
        connection.execute("CREATE TABLE IF NOT EXISTS bare (number integer)")

        def bare() -> None:
            objects.put_file("bare", Path(file.name))
            connection.execute("INSERT INTO bare VALUES (1)")

        def get(path: str) -> Callable[[], object]:
            return lambda: client.get(path).raise_for_status()

        def post() -> None:
            if submit(client, farm.ports[0], content, {"label": "late"}, ADMIN) is None:
                raise RuntimeError("A job was not accepted.")

        post()
        one = client.get("/jobs?limit=1").json()["jobs"][0]["id"]
        paths = ("/jobs?brief=true", "/jobs?state=queued&limit=500&brief=true", "/jobs?label=late", f"/jobs/{one}")
        asked = {f"GET {path.replace(one, '{job_id}')}": get(path) for path in (*paths, "/health", "/metrics")}
        return _in_turn({_POST: post, "by itself": bare, **asked, "by itself, GET /health/live": get("/health/live")})


def _most_events(farm: Machines) -> int:
    """Of a job, once two hundred of the queue are done."""
    farm.start_workers(2, slots=4)
    until(lambda: farm.rows("SELECT count(*) AS n FROM jobs WHERE state = 'done'")[0]["n"] >= _DONE, 600)
    counted = """SELECT max(n) AS most FROM (SELECT count(*) AS n FROM job_events JOIN jobs ON jobs.id = job_id
                 WHERE state = 'done' GROUP BY job_id) AS each"""
    return int(farm.rows(counted)[0]["most"])


def _turns(farm: Machines, crowd: int) -> int:
    """Thousands of one label, then five of another one: after how many others these have begun."""
    fill(farm, crowd, "crowd", seconds=0.5)
    farm.start_workers(2, slots=_SLOTS // 2)
    until(lambda: len(_begun(farm)) >= 2 * _SLOTS)
    with httpx2.Client(trust_env=False, timeout=60) as client:
        few = {submit(client, farm.ports[0], b"x", {"label": "few", "seconds": 0.5}, ADMIN) for _ in range(5)}
    sent = len(_begun(farm))
    until(lambda: few <= set(_begun(farm)), 120)
    return max(_begun(farm).index(job_id) for job_id in few) + 1 - sent


def _begun(farm: Machines) -> Sequence[str]:
    return [line["job"] for line in farm.told() if line["what"] == "begun"]


def _in_turn(asked: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    took: dict[str, list[float]] = {label: [] for label in asked}
    for _ in range(_TURNS):
        for label, what in asked.items():
            began = time.monotonic()
            what()
            took[label].append(time.monotonic() - began)
    return {label: sorted(each)[int(len(each) * 0.95)] for label, each in took.items()}


def _memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(dict(line.split(":", 1) for line in status.splitlines())["VmRSS"].split()[0]) / 1024


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"
