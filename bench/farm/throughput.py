"""How a farm's throughput grows with its workers, how long a slot is empty after a job, and what idle workers cost."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from adapters.jobs.farm.taking import REST_SECONDS
from bench.farm.machines import Machines, machines
from bench.farm.waiting import fill
from bench.table import Table
from tests.fakes.daemons.farm_processes import until

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

_SLOTS = 2
_IDLE_SECONDS = 20
_POLL_SECONDS = 0.25


def run(numbers: Sequence[int] = (1, 2, 4, 8), *, job_seconds: float = 2.0, rounds: int = 8) -> list[Table]:
    """The table."""
    with machines(workers=1, slots=_SLOTS) as farm:
        time.sleep(5)
        (idle,) = _cost(farm.workers[0].pid)
        time.sleep(REST_SECONDS)
        with _bare(farm) as bare:
            resting, least = _cost(farm.workers[0].pid, bare)
        woken = _woken(farm)
    rates: dict[int, float] = {}
    gaps: list[float] = []
    late: list[float] = []
    for number in numbers:
        with machines(workers=number, slots=_SLOTS) as farm:
            with _looking(farm, late):
                rates[number], waited = _rate(farm, number * _SLOTS * rounds, job_seconds)
            gaps += waited
    base = rates[numbers[0]] / numbers[0]
    rows: list[tuple[str, ...]] = [
        (
            f"{number} workers of {_SLOTS} slots, jobs of {job_seconds:g} s: jobs a minute, of linear",
            f"{rate * 60:.0f}, {rate / number / base:.2f}",
            "0.90",
        )
        for number, rate in rates.items()
    ]
    rows += [
        (f"gap after a job, median and 95th percentile of {len(gaps)}", _middle(gaps), "0.5 s"),
        ("a look at the same database, and how much longer than a quarter of a second between two", _middle(late), "-"),
        (f"an idle worker, of a core, over {_IDLE_SECONDS} s of its first minute", f"{idle * 100:.1f} %", "-"),
        ("the same afterwards, when it rests", f"{resting * 100:.1f} %", "1 %"),
        ("by itself, a process that asks one question each second", f"{least * 100:.1f} %", "-"),
        ("how soon it then begins a job", f"{woken:.1f} s", "-"),
    ]
    return [Table("A farm's throughput", ("", "measured", "bar"), rows, "Work that sleeps, on a shared machine.")]


@contextlib.contextmanager
def _looking(farm: Machines, late: list[float]) -> Generator[None]:
    """Meanwhile do what a worker does at the least, and keep by how many seconds it takes longer than it should."""
    stopping = threading.Event()

    def look() -> None:
        with psycopg.connect(farm.farm.url, autocommit=True) as connection:
            while not stopping.is_set():
                began = time.monotonic()
                time.sleep(_POLL_SECONDS)
                connection.execute("SELECT count(*) FROM workers")
                late.append(time.monotonic() - began - _POLL_SECONDS)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _middle(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return f"{ordered[len(ordered) // 2]:.2f}, {ordered[int(len(ordered) * 0.95)]:.2f} s"


def _rate(farm: Machines, number: int, job_seconds: float) -> tuple[float, list[float]]:
    """Jobs a second while all slots are full, and the seconds for which a slot was empty between two jobs."""
    fill(farm, number, "all", seconds=job_seconds)
    until(lambda: sum(line["what"] == "ended" for line in farm.told()) >= number, 900)
    by_worker: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in farm.told():
        by_worker[line["worker"]].append(line)
    gaps: list[float] = []
    for lines in by_worker.values():
        begun = [line["at"] for line in lines if line["what"] == "begun"]
        ended = [line["at"] for line in lines if line["what"] == "ended"]
        gaps += [began - end for began, end in zip(begun[_SLOTS:], ended, strict=False)]
    told = [line["at"] for line in farm.told()]
    return number / (told[-1] - told[0]), gaps


def _cost(*pids: int) -> list[float]:
    """What processes and their children use of a core."""
    groups = [[pid, *_children(pid)] for pid in pids]
    before = [sum(map(_cpu_seconds, group)) for group in groups]
    time.sleep(_IDLE_SECONDS)
    return [(sum(map(_cpu_seconds, group)) - was) / _IDLE_SECONDS for group, was in zip(groups, before, strict=True)]


_BARE = """
import sys, time
import psycopg

with psycopg.connect(sys.argv[1], autocommit=True) as connection:
    while True:
        connection.execute("SELECT count(*) FROM workers")
        time.sleep(1)
"""


@contextlib.contextmanager
def _bare(farm: Machines) -> Generator[int]:
    """A process that does nothing but ask the database a question each second."""
    process = subprocess.Popen([sys.executable, "-c", _BARE, farm.farm.url])
    try:
        time.sleep(5)
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _woken(farm: Machines) -> float:
    """Seconds from a job's being in the queue until it is begun."""
    fill(farm, 1, "all")
    sent = time.time()
    until(lambda: any(line["what"] == "begun" for line in farm.told()), 60)
    return next(line["at"] for line in farm.told() if line["what"] == "begun") - sent


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [int(each) for each in found]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
