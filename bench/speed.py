"""How fast and how hungry an analysis is, against the bare decode and against reading every changed frame whole."""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from bench.clips import Clip, clip, long_clips
from bench.rivals import bare_decode, seconds_to_read_changed_frames
from bench.table import Table
from bench.watching import cost

SHORT = ("checkout", "checkout_800x450", "checkout_2fps", "dashboard", "film", "still")
ROUNDS = 3


def run(*, quick: bool = False) -> list[Table]:
    """Measure; ours and the bare decode take turns, and medians are compared."""
    there = [clip(name) for name in SHORT] + ([] if quick else long_clips())
    columns = ("clip", "length", "ours", "x real time", "/ bare decode", "reading every changed frame / ours", "peak")
    note = (
        f"Medians of {ROUNDS} rounds in which both took turns. Ours counts from the call to the answer: process start, "
        "loading the models, reading the first screen. Peak: memory of the analysis process."
    )
    return [Table("Speed and memory", columns, [_row(each) for each in there], note)]


def _row(measured: Clip) -> tuple[str, ...]:
    decodes: list[float] = []
    costs = [cost(measured.path)]
    for _ in range(ROUNDS):
        decodes.append(_timed(bare_decode, measured.path))
        costs.append(cost(measured.path))
    ours = statistics.median(each.seconds for each in costs[1:])
    whole = seconds_to_read_changed_frames(measured.path)
    length = measured.truth.duration_ms / 1000
    return (
        f"{measured.name} ({measured.truth.width}x{measured.truth.height}, {measured.truth.fps:g} fps)",
        f"{length:.1f} s",
        f"{ours:.2f} s",
        f"{length / ours:.1f}",
        f"{ours / statistics.median(decodes):.1f}",
        f"{whole / ours:.1f}",
        f"{max(each.peak_mb for each in costs):.0f} MB",
    )


def _timed(work: Callable[[Path], object], path: Path) -> float:
    began = time.monotonic()
    work(path)
    return time.monotonic() - began
