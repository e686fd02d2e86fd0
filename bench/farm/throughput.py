"""How a farm's throughput grows with its workers, how long a slot is empty after a job, and what idling costs."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.farm.machines import Machines, machines
from bench.farm.waiting import fill
from bench.table import Table
from tests.fakes.daemons.farm_processes import until

if TYPE_CHECKING:
    from collections.abc import Sequence

_SLOTS = 2
_JOB_SECONDS = 2.0
_ROUNDS = 8
_IDLE_SECONDS = 20


def run(numbers: Sequence[int] = (1, 2, 4, 8)) -> list[Table]:
    """The table."""
    with machines(workers=1, slots=_SLOTS) as farm:
        idle = _idle(farm)
    rates: dict[int, float] = {}
    gaps: list[float] = []
    for number in numbers:
        with machines(workers=number, slots=_SLOTS) as farm:
            rates[number], waited = _rate(farm, number)
            gaps += waited
    base = rates[numbers[0]] / numbers[0]
    rows: list[tuple[str, ...]] = [
        (
            f"{number} workers of {_SLOTS} slots, jobs of {_JOB_SECONDS:g} s: jobs a minute, of linear",
            f"{rate * 60:.0f}, {rate / number / base:.2f}",
            "0.90",
        )
        for number, rate in rates.items()
    ]
    gaps.sort()
    rows += [
        (
            f"gap after a job, median and 95th percentile of {len(gaps)}",
            f"{gaps[len(gaps) // 2]:.2f}, {gaps[int(len(gaps) * 0.95)]:.2f} s",
            "0.5 s",
        ),
        (f"an idle worker, of a core, over {_IDLE_SECONDS} s", f"{idle * 100:.1f} %", "1 %"),
    ]
    return [Table("A farm's throughput", ("", "measured", "bar"), rows, "Work that sleeps, on a shared machine.")]


def _rate(farm: Machines, workers: int) -> tuple[float, list[float]]:
    """Jobs a second while all slots are full, and the seconds for which a slot was empty between two jobs."""
    number = workers * _SLOTS * _ROUNDS
    fill(farm, number, "all", seconds=_JOB_SECONDS)
    until(lambda: sum(line["what"] == "ended" for line in farm.told()) >= number, 300)
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


def _idle(farm: Machines) -> float:
    """What a worker and its child use of a core while there is nothing to do."""
    time.sleep(5)
    pids = [farm.workers[0].pid, *_children(farm.workers[0].pid)]
    before = sum(map(_cpu_seconds, pids))
    time.sleep(_IDLE_SECONDS)
    return (sum(map(_cpu_seconds, pids)) - before) / _IDLE_SECONDS


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [int(each) for each in found]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
