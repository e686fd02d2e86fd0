"""Our own analyser, used as the daemon uses it. ``python -m bench.watching CLIP`` prints what one analysis took."""

import functools
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.video.local import LocalAnalyser
from adapters.video.video_files import VideoFile
from bench.kept_analyses import KeptAnalyser
from config.settings import load_settings
from core.analysis import Findings, Video
from core.jobs import Stage
from core.ports import ValueT
from server.composition.from_settings import video_limits


@dataclass(frozen=True)
class Cost:
    """What one analysis took: seconds from the call to the answer, and the most memory of its process in MB."""

    seconds: float
    peak_mb: float


@dataclass(frozen=True)
class _Frames:
    directory: Path
    prefix: str = ""
    relative: str = "frames"


class _Alone:
    """A job context where there is no daemon: nothing is kept, nobody is told."""

    job_id = "bench"

    def publish(self, stage: Stage, data: Mapping[str, Any]) -> None:
        del stage, data

    def raise_if_cancelled(self) -> None:
        """Nobody stops a benchmark."""

    def extend_deadline(self, seconds: float) -> None:
        """There is no end of its time."""

    def report(self, stage: Stage, **data: int | str | None) -> None:
        del stage, data

    def step(self, name: str, result: type[ValueT], work: Callable[[], ValueT]) -> ValueT:
        del name, result
        return work()


@functools.cache
def watch(path: Path, *, reuses: bool = False) -> tuple[Video, Findings]:
    """Analyse a clip, or take what was found of it before; the answer is kept for the other benchmarks."""
    limits = video_limits(load_settings(environment={}))
    video, analyser = VideoFile(**limits).inspect(path), KeptAnalyser(LocalAnalyser(**limits), reuses)
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        return video, analyser.analyse(video, (), _Frames(Path(folder)), _Alone())


def cost(path: Path) -> Cost:
    """What an analysis takes, measured in a fresh process so that no memory of others counts."""
    command = [sys.executable, "-m", "bench.watching", str(path)]
    reported = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    return Cost(**json.loads(reported.stdout))


def main() -> None:
    """Analyse one clip and print its cost as JSON."""
    began = time.monotonic()
    watch(Path(sys.argv[1]).resolve())
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    print(json.dumps({"seconds": seconds, "peak_mb": peak}))


if __name__ == "__main__":
    main()
