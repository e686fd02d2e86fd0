"""Eight processes of a farm start at once on an empty database; and a farm is upgraded while an old worker runs."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx2

from bench.clips import clip
from bench.farm.machines import ADMIN, SLEEPER, Machines, submit
from bench.table import Table
from storage.schema import HEAD
from tests.fakes.daemons.farm_processes import free_port, running_farm, s3_server, until
from tests.fakes.jobs.postgres import durable_postgres

if TYPE_CHECKING:
    from collections.abc import Generator

_EACH: Final = 4
_PATIENCE_SECONDS: Final = 600
OLD: Final = "10e23e13e46349c8af3a0576dab5d7ea78eaa5a6"
"""The last commit whose database has an older schema, with a farm."""
_LEFT: Final = 2
_WATCHED_SECONDS: Final = 10
"""For so long the old worker is given the chance to take something new."""


def run() -> list[Table]:
    """The table."""
    with _machines() as farm:
        up = start_together(farm)
    with _machines() as farm, code_of(OLD) as code:
        taken, done = upgraded(farm, code)
    rows = [
        ("of eight processes that start at once on an empty database, up", f"{up}", "8"),
        (f"new jobs that an old worker took within {_WATCHED_SECONDS} s while nobody else was there", f"{taken}", "0"),
        ("of two new jobs, and two that an old API process took, done by a new worker", f"{done}", f"{2 * _LEFT}"),
    ]
    return [Table("A farm's first start and upgrade", ("", "measured", "bar"), rows)]


@contextmanager
def _machines() -> Generator[Machines]:
    """A farm without processes, on an empty database."""
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vaider-farm-")))
        postgres = stack.enter_context(durable_postgres())
        store = stack.enter_context(s3_server(root / "s3"))
        farm = stack.enter_context(running_farm(root / "farm", postgres.url, "farm", store.variables))
        yield Machines(root / "farm", postgres, store, farm)


def start_together(farm: Machines) -> int:
    """How many of four API processes and four workers are up after their start on an empty database."""
    ports = [free_port() for _ in range(_EACH)]
    apis = [farm.farm.start("api", "--port", str(port)) for port in ports]
    workers = [farm.farm.run("worker", *SLEEPER) for _ in range(_EACH)]
    with httpx2.Client(trust_env=False, timeout=30) as client:
        for port in ports:
            _answers(client, port)
        until(lambda: farm.alive() == _EACH, _PATIENCE_SECONDS)
        jobs = [submit(client, port, b"x", {}, ADMIN) for port in ports]
        until(lambda: _count(farm, "done") == len(jobs), _PATIENCE_SECONDS)
    return sum(process.poll() is None for process in [*apis, *workers])


@contextmanager
def code_of(commit: str) -> Generator[Path]:
    """The tree of a commit. Raises ``CalledProcessError`` where the repository has no history."""
    command = ["git", "-C", str(Path(__file__).parents[2]), "archive", commit]
    with tempfile.TemporaryDirectory(prefix="vaider-old-") as folder:
        archive = subprocess.run(command, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as members:
            members.extractall(folder, filter="data")
        yield Path(folder)


def upgraded(farm: Machines, code: Path) -> tuple[int, int]:
    """How many new jobs an old worker began that had nothing else to do, and how many jobs a new one then did."""
    video = clip("still").path.read_bytes()
    environment = {"PYTHONPATH": str(code), "VAIDER_PROVIDER": "local", "VAIDER_MAX_PARALLEL_ANALYSES": "1"}

    def start(role: str, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        # Without the working directory, which may be this tree, before the older one.
        command = (sys.executable, "-P", "-c", "from server.cli import main; main()", "serve", "--role", role)
        return farm.farm.run(role, *command, *arguments, **variables)

    with httpx2.Client(trust_env=False, timeout=60) as client:
        port = free_port()
        start("api", "--port", str(port), **environment)
        _answers(client, port)
        if farm.rows("SELECT version_num FROM alembic_version")[0]["version_num"] == HEAD:
            raise RuntimeError("What was started is no older farm.")
        old = start("worker", **environment)
        submit(client, port, video, {}, ADMIN)
        until(lambda: _count(farm, "done") == 1, _PATIENCE_SECONDS)
        # This brings the schema up to date below the old ones.
        new_port = free_port()
        farm.farm.start("api", "--port", str(new_port))
        _answers(client, new_port)
        for _ in range(_LEFT):
            submit(client, new_port, video, {}, ADMIN)
        time.sleep(_WATCHED_SECONDS)
        taken = _LEFT - _count(farm, "queued")
        old.terminate()
        old.wait(_PATIENCE_SECONDS)
        for _ in range(_LEFT):
            submit(client, port, video, {}, ADMIN)
        farm.farm.start("worker", VAIDER_PROVIDER="local")
        until(lambda: _count(farm, "done") + _count(farm, "failed") == 1 + 2 * _LEFT, _PATIENCE_SECONDS)
        return taken, _count(farm, "done") - 1


def _answers(client: httpx2.Client, port: int) -> None:
    until(lambda: client.get(f"http://127.0.0.1:{port}/health", headers=ADMIN).status_code == 200, _PATIENCE_SECONDS)


def _count(farm: Machines, state: str) -> int:
    return int(farm.rows("SELECT count(*) AS n FROM jobs WHERE state = %s", state)[0]["n"])
