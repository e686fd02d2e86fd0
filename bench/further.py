"""Further questions about a video that was watched: one after the other, and twenty at once.

``python -m bench.further``
"""

import shutil
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path

from tests.fakes.daemons.daemon_processes import Process

SAMPLE = Path(__file__).parents[1] / "samples" / "checkout.mp4"
ALONE = 60
AT_ONCE = 20
ROUNDS = 8
Row = tuple[str, str, str]
"""What was measured, the number, the bar or what it is held against."""


def run() -> list[Row]:
    """Measure; the rows of the benchmark's table."""
    with tempfile.TemporaryDirectory() as folder:
        video = Path(folder) / "checkout.mp4"
        shutil.copy(SAMPLE, video)
        daemon = Process(Path(folder) / "data").started()
        try:
            return _rows(daemon, video)
        finally:
            daemon.close()


def _rows(daemon: Process, video: Path) -> list[Row]:
    def ask(text: str) -> float:
        asked = {"video_path": str(video), "expectations": [f'"{text}" is shown']}
        begun = time.perf_counter()
        answer = daemon.http.post("/analyse", json=asked, timeout=60)
        took = 1000 * (time.perf_counter() - begun)
        if answer.status_code != HTTPStatus.OK:
            raise RuntimeError(answer.text)
        return took

    watched = ask("Order 1042 confirmed")
    alone = [ask(f"Question {number}") for number in range(ALONE)]
    together: list[float] = []
    with ThreadPoolExecutor(AT_ONCE) as callers:
        for turn in range(ROUNDS):
            together += callers.map(ask, [f"Question {turn} of {number}" for number in range(AT_ONCE)])
    return [
        ("the first question, which has the video watched", f"{watched:.0f} ms", "-"),
        (f"one further question, median and p95 of {ALONE}", "{:.0f}, {:.0f} ms".format(*_spread(alone)), "300 ms"),
        (
            f"{AT_ONCE} at once, median and p95 of {ROUNDS} rounds",
            "{:.0f}, {:.0f} ms".format(*_spread(together)),
            "300 ms",
        ),
    ]


def _spread(took: list[float]) -> tuple[float, float]:
    return statistics.median(took), statistics.quantiles(took, n=20)[18]


if __name__ == "__main__":
    for row in run():
        print(*row, sep="  |  ")
