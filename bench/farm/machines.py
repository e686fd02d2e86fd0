"""A farm to disturb: PostgreSQL with fsync, a server that speaks S3, API processes on ports of their own, workers."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx2
import psycopg
from psycopg.rows import dict_row

from tests.fakes.daemons.farm_processes import TOKEN, Farm, S3Server, free_port, running_farm, s3_server, until
from tests.fakes.jobs.postgres import Postgres, durable_postgres

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Generator, Sequence

SLEEPER: Final = (sys.executable, "-m", "bench.farm.sleeper", "worker")
ADMIN: Final = {"Authorization": f"Bearer {TOKEN}"}


class Machines:
    """What a farm is made of, each process replaceable by another one at its place."""

    def __init__(self, root: Path, postgres: Postgres, store: S3Server, farm: Farm) -> None:
        self.root = root
        self.postgres = postgres
        self.store = store
        self.farm = farm
        self.ports: list[int] = []
        self.apis: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_apis(self, number: int) -> None:
        """So many, each on a port that it keeps."""
        self.ports = [free_port() for _ in range(number)]
        self.apis = [self.farm.start("api", "--port", str(port)) for port in self.ports]
        with httpx2.Client(trust_env=False) as client:
            for port in self.ports:
                until(lambda port=port: client.get(f"http://127.0.0.1:{port}/health", headers=ADMIN).status_code == 200)

    def restart_api(self, place: int) -> None:
        """Another process on the port of one that has ended."""
        self.apis[place].wait()
        self.apis[place] = self.farm.start("api", "--port", str(self.ports[place]))

    def start_workers(self, number: int, *, slots: int = 2) -> None:
        """So many that sleep, and wait until each is alive."""
        self.workers += [self._worker(slots) for _ in range(number)]
        until(lambda: self.alive() >= number)

    def restart_worker(self, place: int, *, slots: int = 2) -> None:
        """Another process in the place of one that has ended, or will."""
        self.workers[place] = self._worker(slots)

    def replace_ended(self) -> None:
        """As whoever watches over services does; a process ends by itself when it starts without a database."""
        for place, api in enumerate(self.apis):
            if api.poll() is not None:
                self.restart_api(place)
        for place, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.restart_worker(place)

    def stop_workers(self) -> None:
        """In good order."""
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(90)
        self.workers = []

    def alive(self) -> int:
        """How many workers were heard of within the last seconds."""
        return int(
            self.rows("SELECT count(*) AS n FROM workers WHERE seen_at > clock_timestamp() - interval '5 s'")[0]["n"]
        )

    def up_workers(self) -> list[int]:
        """The places of those that do jobs."""
        seen = self.rows("SELECT id FROM workers WHERE seen_at > clock_timestamp() - interval '3 s'")
        pids = {int(row["id"].split("-")[-2]) for row in seen}
        return [place for place, worker in enumerate(self.workers) if worker.pid in pids and worker.poll() is None]

    def up_apis(self) -> list[int]:
        """The places of those that answer."""
        return [place for place, port in enumerate(self.ports) if _answers(port)]

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """What the farm's database says."""
        with psycopg.connect(self.farm.url) as connection, connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query.encode(), values).fetchall()

    def told(self) -> Sequence[dict[str, Any]]:
        """What all sleepers told of their work, in the order of time."""
        lines = [
            json.loads(line)
            for file in self.root.glob("*/work.jsonl")
            for line in file.read_text("utf-8").splitlines()
            if line.endswith("}")
        ]
        return sorted(lines, key=lambda line: line["at"])

    def faults_told(self) -> Sequence[str]:
        """The errors in all logs."""
        files = sorted(self.root.glob("*.log"))
        return [
            f"{file.name}: {line[-2000:]}"
            for file in files
            for line in file.read_text("utf-8").splitlines()
            if '"level": "error"' in line
        ]

    def _worker(self, slots: int) -> subprocess.Popen[bytes]:
        return self.farm.run("worker", *SLEEPER, VAIDER_MAX_PARALLEL_ANALYSES=str(slots))


def _answers(port: int) -> bool:
    with contextlib.suppress(httpx2.HTTPError):
        return httpx2.get(f"http://127.0.0.1:{port}/health", headers=ADMIN, trust_env=False, timeout=2).is_success
    return False


@contextlib.contextmanager
def machines(*, apis: int = 1, workers: int = 0, slots: int = 2, **settings: str) -> Generator[Machines]:
    """A farm whose processes run, on an empty database."""
    with contextlib.ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vaider-farm-")))
        postgres = stack.enter_context(durable_postgres())
        store = stack.enter_context(s3_server(root / "s3"))
        farm = stack.enter_context(running_farm(root / "farm", postgres.url, "farm", {**store.variables, **settings}))
        made = Machines(root / "farm", postgres, store, farm)
        made.start_apis(apis)
        made.start_workers(workers, slots=slots)
        yield made


def submit(
    client: httpx2.Client, port: int, content: bytes, asked: dict[str, Any], headers: dict[str, str]
) -> str | None:
    """Send a video; the id of the job that was made of it, ``None`` when it was not accepted."""
    question = json.dumps({"use_cache": False, **asked})
    answer = client.post(
        f"http://127.0.0.1:{port}/analyse",
        files={"video": ("clip.mp4", content, "video/mp4")},
        data={"metadata": question},
        headers={"Prefer": "respond-async", **headers},
    )
    return answer.json()["job_id"] if answer.status_code == 202 else None
