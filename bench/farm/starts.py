"""Eight processes of a farm start at once on an empty database."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import httpx2

from bench.farm.machines import ADMIN, SLEEPER, Machines, submit
from bench.table import Table
from tests.fakes.daemons.farm_processes import free_port, running_farm, s3_server, until
from tests.fakes.jobs.postgres import durable_postgres

_EACH = 4


def run() -> list[Table]:
    """The table."""
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vaider-farm-")))
        postgres = stack.enter_context(durable_postgres())
        store = stack.enter_context(s3_server(root / "s3"))
        farm = stack.enter_context(running_farm(root / "farm", postgres.url, "farm", store.variables))
        made = Machines(root / "farm", postgres, store, farm)
        up = start_together(made)
    return [Table("A farm's first start", ("", "measured", "bar"), [("of eight processes at once, up", f"{up}", "8")])]


def start_together(farm: Machines) -> int:
    """How many of four API processes and four workers are up after their start on an empty database."""
    ports = [free_port() for _ in range(_EACH)]
    apis = [farm.farm.start("api", "--port", str(port)) for port in ports]
    workers = [farm.farm.run("worker", *SLEEPER) for _ in range(_EACH)]
    with httpx2.Client(trust_env=False, timeout=30) as client:
        for port in ports:
            until(
                lambda port=port: client.get(f"http://127.0.0.1:{port}/health", headers=ADMIN).status_code == 200, 120
            )
        until(lambda: farm.alive() == _EACH, 120)
        jobs = [submit(client, port, b"x", {}, ADMIN) for port in ports]
        done = "SELECT count(*) AS n FROM jobs WHERE state = 'done'"
        until(lambda: farm.rows(done)[0]["n"] == len(jobs), 60)
    return sum(process.poll() is None for process in [*apis, *workers])
