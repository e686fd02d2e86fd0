"""A worker of a farm whose work is a sleep: ``python -m bench.farm.sleeper worker``; the settings are a farm's.

Everything else is a worker's own: the queue, the steps, the pictures, the store, the drain. What it does when is
told in ``work.jsonl`` of its data directory.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from config.settings import load_settings
from core.analysis import Analysis, AnalysisRequest, Event, EventKind, Video
from core.farm import FARM
from core.files import make_private
from core.jobs import Stage
from core.values import Value
from server.farm.worker import KeptSteps, run_worker
from storage.answers import AnswerIndex
from storage.database import Database
from storage.object_logs import ObjectLogs, answer_prefix
from storage.objects import Objects

if TYPE_CHECKING:
    from config.settings import Settings
    from core.ports import JobContext

PICTURES: Final = 3
_TICK: Final = 0.05


class _Drawn(Value):
    sha256: str
    attempt: int


class _Paid(Value):
    attempt: int


class Sleeping:
    """Does what the job's metadata says: ``seconds`` of sleep, ``pictures`` or none."""

    def __init__(self, settings: Settings, scratch: Path) -> None:
        database = Database(settings.database_url)
        database.open()
        self._objects = Objects(settings.store_url, patience_seconds=60)
        self._answers = AnswerIndex(database, FARM)
        self._scratch = scratch
        self._name = settings.data_path.name
        self._told = (settings.data_path / "work.jsonl").open("a", buffering=1)

    def run(self, request: dict[str, Any], context: JobContext, attempt: int) -> Analysis:
        """See ``adapters.jobs.farm.worker.Work``."""
        asked = AnalysisRequest.model_validate(request)
        seconds = float(asked.metadata.get("seconds", 0))
        self._tell(context.job_id, attempt, "begun")
        if asked.metadata.get("kills"):
            os._exit(9)
        video = Video(
            path=Path(asked.video_path).name,
            duration_ms=1,
            width=1,
            height=1,
            fps=1,
            codec="none",
            size_bytes=0,
            sha256="",
        )
        if asked.metadata.get("pictures"):
            answer = self._draw(asked, video, context, attempt, seconds)
        else:
            self._sleep(context, seconds)
            answer = _answer(context.job_id, video, "", ())
        self._tell(context.job_id, attempt, "ended")
        return answer

    def _draw(
        self, asked: AnalysisRequest, video: Video, context: JobContext, attempt: int, seconds: float
    ) -> Analysis:
        """Read the video, draw of it, pay, and answer; each a step as those of an analysis are."""
        folder = make_private(self._scratch / f"{context.job_id}-{attempt}")
        prefix = answer_prefix(context.job_id, attempt)
        logs = ObjectLogs(self._objects, self._answers, prefix, make_private(folder / "log"), lambda text: text)
        interaction = logs.open(video, asked, context.job_id)
        steps = KeptSteps(context, logs, attempt)
        frames = interaction.frames

        def draw() -> _Drawn:
            self._tell(context.job_id, attempt, "drawing")
            context.report(Stage.DECODING, done=0, total=PICTURES)
            self._objects.get_file(asked.video_path, folder / "video")
            sha256 = hashlib.sha256((folder / "video").read_bytes()).hexdigest()
            for number in range(PICTURES):
                (frames.directory / f"{frames.prefix}{number}.png").write_text(sha256, "utf-8")
                self._sleep(context, seconds / PICTURES / 2)
            return _Drawn(sha256=sha256, attempt=attempt)

        def pay() -> _Paid:
            self._tell(context.job_id, attempt, "paying")
            context.report(Stage.ASKING)
            self._sleep(context, seconds / 2)
            return _Paid(attempt=attempt)

        drawn = steps.step("draw", _Drawn, draw)
        steps.step("pay", _Paid, pay)
        names = tuple(f"{frames.relative}/{frames.prefix}{number}.png" for number in range(PICTURES))
        answer = _answer(context.job_id, video.model_copy(update={"sha256": drawn.sha256}), prefix, names)
        interaction.answer(answer)
        return answer

    def _sleep(self, context: JobContext, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            context.raise_if_cancelled()
            time.sleep(min(left, _TICK))

    def _tell(self, job_id: str, attempt: int, what: str) -> None:
        told = {"job": job_id, "attempt": attempt, "what": what, "worker": self._name, "at": time.time()}
        self._told.write(json.dumps(told) + "\n")


def _answer(job_id: str, video: Video, prefix: str, frames: tuple[str, ...]) -> Analysis:
    return Analysis(
        description="It slept.",
        duration_ms=0,
        video=video,
        first_screen=(),
        timeline=tuple(
            Event(t_ms=0, kind=EventKind.APPEARED, confidence=1, frame=frame, description="It was drawn.")
            for frame in frames
        ),
        verdicts=(),
        provider="local",
        provider_reason="It sleeps.",
        model="none",
        cached=False,
        interactions_dir=prefix,
        job_id=job_id,
        usage={},
        warnings=(),
    )


def main() -> None:
    """Work until a signal stops it."""
    settings = load_settings(environment=os.environ, flags={}).with_role("worker")
    run_worker(settings, lambda scratch: Sleeping(settings, scratch).run)


if __name__ == "__main__":
    main()
