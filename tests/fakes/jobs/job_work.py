"""What the engine's tests let jobs do: here, or in a process to kill (``python -m tests.fakes.jobs.job_work``)."""

import asyncio
import itertools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from adapters.jobs.engine import DbosJobs
from core.errors import InvalidVideo
from core.jobs import JobEvent, Stage
from core.ports import JobContext
from core.values import Value
from storage.database import Database
from storage.job_events import SqlJobStore
from tests.clock import until

FRAMES = 40
LIMIT = 30.0
"""Seconds that a test waits at most."""


class Count(Value):
    """The only question and the only answer."""

    n: int = FRAMES


class Gate:
    """Where jobs stop until the test has seen them there."""

    def __init__(self) -> None:
        self._reached = threading.Semaphore(0)
        self._open = threading.Event()

    def pass_through(self) -> None:
        """A job is here."""
        self._reached.release()
        if not self._open.wait(30):
            raise TimeoutError("the test never opened the gate")

    async def reached(self) -> None:
        """Wait until one more job is here."""
        assert await asyncio.to_thread(self._reached.acquire, timeout=30)

    def open(self) -> None:
        """Let all go on, now and later."""
        self._open.set()


class Works:
    """One kind of job a method."""

    def __init__(self, gate: Gate | None = None, report: Callable[[str], None] = lambda _: None) -> None:
        self.gate = gate or Gate()
        self.done: list[str] = []
        self.looping = threading.Semaphore(0)
        self.all_submitted = threading.Event()
        self._report = report

    def table(self) -> dict[str, Callable[[dict[str, Any], JobContext], Value]]:
        """For the engine."""
        names = ("count", "steps", "hold", "refuse", "break_down", "loop", "die", "act", "linger", "find")
        return {name: getattr(self, name) for name in names}

    def count(self, request: dict[str, Any], context: JobContext) -> Value:
        """Frames, and through the gate after the last."""
        for done in range(1, request["n"] + 1):
            context.report(Stage.DECODING, done=done, total=request["n"])
        return Count(n=request["n"])

    def steps(self, request: dict[str, Any], context: JobContext) -> Value:
        """Two steps with frames in between; the gate is in the second."""
        first = context.step("first", Count, lambda: self._step(context, "first", request["n"]))
        self._frames(context, first.n)
        second = context.step("second", Count, lambda: self._held_step(context, request["n"]))
        context.report(Stage.VERIFYING)
        return Count(n=first.n + second.n)

    def hold(self, request: dict[str, Any], context: JobContext) -> Value:
        """Wait at the gate, then go on."""
        context.report(Stage.READING)
        self.gate.pass_through()
        context.report(Stage.VERIFYING)
        return Count(n=request["n"])

    def find(self, request: dict[str, Any], context: JobContext) -> Value:
        """Tell two parts of what is found, and wait at the gate."""
        for at, text in enumerate(("Saved", "Signed out")):
            event = {
                "t_ms": at,
                "kind": "appeared",
                "text": text,
                "confidence": 1.0,
                "description": f"{text} appeared.",
            }
            screen = {} if at else {"first_screen": ["Profile"]}
            context.publish(Stage.FOUND, {"done": 10 * at, "total": 40, "at": at, "timeline": [event], **screen})
        self.gate.pass_through()
        return Count(n=request["n"])

    def refuse(self, request: dict[str, Any], context: JobContext) -> Value:
        """Fail as the caller's fault."""
        context.report(Stage.READING)
        raise InvalidVideo(f"Clip {request['n']} is no video.", codec="none")

    def break_down(self, request: dict[str, Any], context: JobContext) -> Value:
        """Fail as a fault of ours, inside a step."""
        return context.step("broken", Count, lambda: Count(n=request["n"] // 0))

    def loop(self, request: dict[str, Any], context: JobContext) -> Value:
        """Never end by itself."""
        for turn in itertools.count():
            context.report(Stage.READING, done=request["n"])
            if turn == 1:
                self.looping.release()
        raise AssertionError("a loop without end has ended")

    def die(self, request: dict[str, Any], context: JobContext) -> Value:
        """Kill the process, once all jobs of the test are submitted."""
        context.report(Stage.READING)
        self.all_submitted.wait(30)
        os.kill(os.getpid(), signal.SIGKILL)
        return Count(n=request["n"])

    def linger(self, request: dict[str, Any], context: JobContext) -> Value:
        """Take a second and a half, in parts that are done again after a crash."""
        for done in range(1, 16):
            context.report(Stage.READING, done=done, total=15)
            time.sleep(0.1)
        return Count(n=request["n"])

    def act(self, request: dict[str, Any], context: JobContext) -> Value:
        """Tell what it does to the world, until it shall stop."""
        context.publish(Stage.PIXEL_ACTION, {"pixel_action": {"action": "left_click"}})
        self._report(f"acts {context.job_id}")
        self.gate.pass_through()
        until(context.raise_if_cancelled, LIMIT)
        return Count(n=request["n"])

    def _step(self, context: JobContext, name: str, n: int) -> Count:
        self.done.append(name)
        self._report(f"did {name} of {context.job_id}")
        return Count(n=n)

    def _held_step(self, context: JobContext, n: int) -> Count:
        self._frames(context, n, Stage.READING)
        self._report(f"holds {context.job_id}")
        self.gate.pass_through()
        return self._step(context, "second", n)

    def _frames(self, context: JobContext, n: int, stage: Stage = Stage.DECODING) -> None:
        for done in range(1, n + 1):
            context.report(stage, done=done, total=n)


def engine(url: str, works: Works, owner: str = "here", **options: Any) -> tuple[Database, DbosJobs]:
    """A database that is open, and the engine on it."""
    database = Database(url)
    database.open()
    options = {"max_parallel": 1, "once": ("act",), **options}
    return database, DbosJobs(store=SqlJobStore(database, owner), url=url, work=works.table(), **options)


async def stored_events(jobs: DbosJobs, *, after: int = 0, job_id: str | None = None) -> list[JobEvent]:
    """What is stored now, also what is stored and not published yet."""
    upto = max((job.progress.id for job in await jobs.list() if job.progress), default=0)
    found: list[JobEvent] = []
    if upto > after:
        async with asyncio.timeout(LIMIT):
            async for event in jobs.events(after=after):
                found += [event] if job_id in {None, event.job_id} else []
                if event.id >= upto:
                    break
    return found


async def _main(url: str, kinds: str, jobs_wanted: int, after: int, *, held: bool, room: int) -> None:
    def notify(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    works = Works(report=notify)
    if not held:
        works.gate.open()
    database, jobs = engine(url, works, max_parallel=room, quiet_seconds=0.3)
    await jobs.start()
    wanted = itertools.islice(itertools.cycle(kinds.split(",")), jobs_wanted)
    ids = [(await jobs.submit(kind, Count())).id for kind in wanted]
    works.all_submitted.set()
    open_jobs = {*ids, *(job.id for job in await jobs.list() if not job.state.is_final)}
    newest = await jobs.last_event_id()
    async for event in jobs.events(after=after):
        notify(f"event {event.model_dump_json()}")
        if event.stage in {Stage.DONE, Stage.FAILED, Stage.CANCELLED}:
            open_jobs.discard(event.job_id)
        if not open_jobs and event.id >= newest:
            break
    for job in reversed(await jobs.list()):
        reported = {"id": job.id, "kind": job.kind, "state": job.state, "result": job.result, "error": job.error}
        notify(f"job {json.dumps(reported)}")
    await jobs.stop()
    database.close()


if __name__ == "__main__":
    url, kinds, wanted, after, held, room = sys.argv[1:]
    asyncio.run(_main(url, kinds, int(wanted), int(after), held=held == "held", room=int(room)))
