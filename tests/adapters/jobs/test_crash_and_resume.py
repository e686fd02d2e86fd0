"""A process with the engine is killed as the kernel kills, and another one goes on."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest

from core.jobs import JobEvent, Stage
from tests.fakes.jobs.job_work import FRAMES

pytestmark = pytest.mark.programs
REPOSITORY = Path(__file__).parents[3]


class Process:
    """A process that submits jobs, prints what happens line by line, and ends when all are final."""

    def __init__(
        self, url: str, kind: str, jobs: int, *, after: int = 0, held: bool = False, capacity: int = 1
    ) -> None:
        arguments = [url, kind, str(jobs), str(after), "held" if held else "free", str(capacity)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.jobs.job_work", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
        )
        self.lines: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read_until(self, *wanted: str) -> None:
        """Read lines until each of ``wanted`` was in one; the process gives up by itself after half a minute."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))
            if all(any(text in sentence for sentence in self.lines) for text in wanted):
                return
        raise AssertionError(f"ended early with {self.lines[-3:]}: {self._process.communicate()[1]}")

    def ends_within(self, seconds: float) -> bool:
        """Whether it ended by itself in that time."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """No farewell, no flush; what was printed until then is read."""
        os.kill(self._process.pid, signal.SIGKILL)
        self.lines += self._process.communicate()[0].splitlines()

    def finish(self) -> int:
        """Read to the end; the exit code. Nothing may have been said on stderr."""
        output, errors = self._process.communicate(timeout=60)
        self.lines += output.splitlines()
        assert errors == ""
        return self._process.returncode

    @property
    def events(self) -> list[JobEvent]:
        """What its viewer has seen of what is stored."""
        seen = [JobEvent.model_validate_json(line[6:]) for line in self.lines if line.startswith("event ")]
        return [event for event in seen if event.id]

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """How all jobs stood at its end, oldest first."""
        return [json.loads(line[4:]) for line in self.lines if line.startswith("job ")]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'vaider.db'}"


def test_killed_in_the_middle_it_goes_on_from_the_last_finished_step_and_viewers_miss_nothing(url: str) -> None:
    with Process(url, "steps", 3, held=True) as first:
        first.read_until("holds ", '"reading"')
        first.kill()
    seen = first.events
    with Process(url, "steps", 0, after=seen[-1].id) as second:
        assert second.finish() == 0
    held = next(line.split()[-1] for line in first.lines if line.startswith("holds "))
    assert [line for line in second.lines if line.startswith("did ") and held in line] == [f"did second of {held}"]
    assert [job["result"] for job in second.jobs] == [{"n": 2 * FRAMES}] * 3
    both = seen + second.events
    assert [event.id for event in both] == list(range(1, len(both) + 1))
    reported = [(event.stage, event.data.get("done")) for event in both if event.job_id == held]
    assert reported == [
        (Stage.QUEUED, None),
        (Stage.DECODING, 1),
        (Stage.DECODING, FRAMES),
        (Stage.READING, 1),
        (Stage.READING, FRAMES),
        (Stage.VERIFYING, None),
        (Stage.DONE, None),
    ]


@pytest.mark.nightly
def test_after_a_crash_the_line_keeps_its_order(url: str) -> None:
    with Process(url, "steps", 4, held=True) as first:
        first.read_until("holds ", '"place":3')
        first.kill()
    with Process(url, "steps", 1, after=first.events[-1].id) as second:
        assert second.finish() == 0
    submitted = [job["id"] for job in second.jobs]
    assert [event.job_id for event in second.events if event.stage is Stage.DONE] == submitted
    assert len(submitted) == 5


@pytest.mark.nightly
def test_of_several_jobs_only_the_one_that_kills_its_process_each_time_is_given_up(url: str) -> None:
    with Process(url, "count,die,count,count", 4) as process:
        assert process.finish() == -signal.SIGKILL
    deaths = 1
    while True:
        with Process(url, "", 0, capacity=2) as process:
            if process.finish() == 0:
                break
        deaths += 1
    assert deaths == 4
    states = [(job["kind"], job["state"]) for job in process.jobs]
    assert states == [("count", "done"), ("die", "failed"), ("count", "done"), ("count", "done")]
    assert "4 times" in process.jobs[1]["error"]["error"]


def kill_again_and_again(url: str, times: int, seed: int) -> list[dict[str, Any]]:
    """Twelve jobs, two at a time, in a process that is killed at any moment of its life; how they ended."""
    moments = random.Random(seed)
    with Process(url, ",".join(["linger"] * 12), 12, capacity=2) as first:
        first.read_until('"reading"')
        first.kill()
    for _ in range(times - 1):
        with Process(url, "", 0, capacity=2) as process:
            if not process.ends_within(moments.uniform(0.5, 4.0)):
                process.kill()
    with Process(url, "", 0, capacity=2) as last:
        assert last.finish() == 0
    return last.jobs


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_forty_kills_lose_no_job(url: str, seed: int) -> None:
    assert [job["state"] for job in kill_again_and_again(url, 40, seed)] == ["done"] * 12


def test_a_job_that_had_acted_on_the_world_does_not_go_on_after_a_crash(url: str) -> None:
    with Process(url, "act", 1, held=True) as first:
        first.read_until("acts ", "pixel_action")
        first.kill()
    with Process(url, "act", 0) as second:
        assert second.finish() == 0
    (job,) = second.jobs
    assert (job["state"], job["error"]["code"]) == ("failed", "interrupted")
    assert not [line for line in second.lines if line.startswith("acts ")]
    assert [event.stage for event in second.events] == [Stage.QUEUED, Stage.PIXEL_ACTION, Stage.FAILED]
