"""One gigabyte over ``POST /analyse``: what memory the daemon takes, and how long against ``cp``.

``python -m bench.upload [MEGABYTES]``
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.daemon import MEGABYTE, Daemon, running_daemon

SIZE = 1024 * MEGABYTE
_BLOCK = 4 * MEGABYTE
Row = tuple[str, str, str]
"""What was measured, the number, the bar or what it is held against."""


def run(size: int = SIZE) -> list[Row]:
    """Measure; the rows of the benchmark's table."""
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        file = Path(folder, "big.mp4")
        _fill(file, size)
        copied = min(_copy(file) for _ in range(3))
        with running_daemon() as daemon:
            before, _ = daemon.memory()
            uploaded, answer = min(_upload(daemon, file) for _ in range(3))
            _, peak = daemon.memory()
    return [
        (f"upload of {size // MEGABYTE} MB with curl", f"{uploaded:.2f} s", f"cp: {copied:.2f} s"),
        ("as a ratio to cp", f"{uploaded / copied:.1f}", "-"),
        ("daemon's memory before, peak", f"{before:.0f}, {peak:.0f} MB", "-"),
        ("the answer to a gigabyte of noise", answer, "400 invalid_video"),
    ]


def _fill(file: Path, size: int) -> None:
    with file.open("wb") as out:
        for _ in range(size // _BLOCK):
            out.write(os.urandom(_BLOCK))


def _copy(file: Path) -> float:
    to = file.with_name("copy.mp4")
    began = time.monotonic()
    subprocess.run(["cp", file, to], check=True)
    took = time.monotonic() - began
    to.unlink()
    return took


def _upload(daemon: Daemon, file: Path) -> tuple[float, str]:
    """Seconds until the daemon has the whole file and has made a job of it, and what became of that."""
    form = ["-F", f"video=@{file}", "-H", "Prefer: respond-async", "-H", "Expect:"]
    command = ["curl", "-sS", "--noproxy", "*", "-w", "%{http_code}", "-o", os.devnull, *form, f"{daemon.url}/analyse"]
    began = time.monotonic()
    accepted = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    took = time.monotonic() - began
    if accepted != "202":
        raise RuntimeError(f"The upload was answered {accepted}.")
    return took, _outcome(daemon)


def _outcome(daemon: Daemon) -> str:
    import httpx2  # noqa: PLC0415 - its import must not be part of what is measured

    with httpx2.Client(base_url=daemon.url, trust_env=False, timeout=60) as http:
        while True:
            job = http.get("/jobs?limit=1").json()["jobs"][0]
            if job["finished_at"]:
                return f"{job['state']}: {(job['error'] or {}).get('code', '-')}"
            time.sleep(0.05)


if __name__ == "__main__":
    for row in run(*(int(number) * MEGABYTE for number in sys.argv[1:])):
        print(f"{row[0]:<45} {row[1]:>14}   {row[2]}")
