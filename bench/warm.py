"""Clips of fifteen seconds through a daemon that has just started, and through one that has watched before.

``python -m bench warm``
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import httpx2
import psutil

from adapters.video.process.child import KEPT_SECONDS
from adapters.video.video_files import VideoCutter
from bench.clips import clip
from bench.daemon import MEGABYTE, Daemon, running_daemon
from bench.table import Table
from config.settings import load_settings
from server.composition.from_settings import video_limits

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES: Final = ("checkout", "todo", "parcels")
"""1280x720, 25 fps; longer than what is cut from them."""
LENGTH_MS: Final = 15_000
ROUNDS: Final = 4
COLD_ROUNDS: Final = 2
PATIENCE_SECONDS: Final = 300.0


class _Took(NamedTuple):
    """Seconds from the beginning of the upload."""

    finding: float
    """Until the first finding was on ``/events``."""
    answer: float


def run(*, quick: bool = False) -> list[Table]:
    """Measure; with ``quick`` the memory is not waited for."""
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        clips = [_cut(name, Path(folder)) for name in SOURCES]
        rows = [_row(each) for each in clips]
        memory = () if quick else (_memory(clips[0]),)
    columns = ("clip", "no daemon", "cold: finding", "cold: answer", "warm: finding", "warm: answer")
    note = (
        f"15 s, 1280x720. The best of {COLD_ROUNDS} starts of the daemon and of {ROUNDS} warm rounds, from the "
        "beginning of the upload until the first finding is on /events, and until the answer is there. No daemon: "
        "the command `vaider analyse` alone, its start included."
    )
    return [Table("A clip of 15 s through a daemon", columns, rows, note), *memory]


def _cut(name: str, folder: Path) -> Path:
    source, to = clip(name).path, folder / f"{name}.mp4"
    VideoCutter(**video_limits(load_settings(environment={}))).cut(source, to, 0, LENGTH_MS)
    return to


def _row(video: Path) -> tuple[str, ...]:
    alone = min(_alone(video) for _ in range(COLD_ROUNDS))
    cold: list[_Took] = []
    warm: list[_Took] = []
    for turn in range(COLD_ROUNDS):
        with running_daemon() as daemon:
            cold.append(_upload(daemon, video))
            if turn == 0:
                warm = [_upload(daemon, video) for _ in range(ROUNDS)]
    best = [f"{min(took):.2f} s" for took in (*zip(*cold, strict=True), *zip(*warm, strict=True))]
    return (video.stem, f"{alone:.2f} s", *best)


def _alone(video: Path) -> float:
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        environment = os.environ | {"VAIDER_DATA_DIR": folder, "VAIDER_PORT": "1", "VAIDER_PROVIDER": "local"}
        command = [str(Path(sys.executable).with_name("vaider")), "analyse", "--no-cache", "--json", str(video)]
        began = time.monotonic()
        subprocess.run(command, env=environment, check=True, capture_output=True, cwd=folder)
        return time.monotonic() - began


def _upload(daemon: Daemon, video: Path) -> _Took:
    with (
        httpx2.Client(base_url=daemon.url, trust_env=False, timeout=PATIENCE_SECONDS) as http,
        http.stream("GET", "/events") as events,
        ThreadPoolExecutor(1) as threads,
    ):
        lines = events.iter_lines()
        next(lines)
        began = time.monotonic()

        def first_finding() -> float:
            next(line for line in lines if line.strip() == "event: found")
            return time.monotonic() - began

        finding = threads.submit(first_finding)
        files = {"video": (video.name, video.read_bytes(), "video/mp4")}
        http.post("/analyse", files=files, data={"metadata": '{"use_cache": false}'}).raise_for_status()
        answer = time.monotonic() - began
        return _Took(finding.result(PATIENCE_SECONDS), answer)


def _memory(video: Path) -> Table:
    with running_daemon() as daemon:
        rows = [("before the first video", *_sizes(daemon))]
        _upload(daemon, video)
        _until(lambda: len(psutil.Process(daemon.pid).children(recursive=True)) == 1)
        rows.append(("while the analyser waits for the next", *_sizes(daemon)))
        _until(lambda: not psutil.Process(daemon.pid).children(recursive=True), KEPT_SECONDS + PATIENCE_SECONDS)
        rows.append((f"{KEPT_SECONDS:g} s after the last video", *_sizes(daemon)))
    return Table("What a daemon keeps between videos", ("", "daemon", "analyser"), rows)


def _sizes(daemon: Daemon) -> tuple[str, str]:
    kept = sum(child.memory_info().rss for child in psutil.Process(daemon.pid).children(recursive=True))
    return f"{daemon.memory()[0]:.0f} MB", f"{kept / MEGABYTE:.0f} MB"


def _until(holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("The analyser is still there.")
        time.sleep(0.05)
