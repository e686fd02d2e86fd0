"""``vaider learn``: make a task of a recording, or record a demonstration and make a task of that."""

from __future__ import annotations

import asyncio
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import Cancelled, InvalidRequest, TimedOut, VaiderError
from core.files import make_private
from core.jobs import JobState
from core.tasks.ports import Learned, LearnRequest
from server.cli_output.analysis import Bars, console, write_json
from server.cli_output.task import answer_questions, show_learned
from server.client.engine import open_engine
from server.client.job_following import submit, until_final
from server.client.jobs import error_from
from server.commands.options import with_settings
from server.commands.tasks import complete_tasks
from server.presenters import tasks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from config.settings import Settings

CAPTURES = "captures"


@click.command()
@click.argument("videos", nargs=-1, metavar="[VIDEO]...", type=click.Path(path_type=Path))
@click.option("--record", "records", is_flag=True, help="Record a demonstration now, and learn from that.")
@click.option("--memory", metavar="ID", help="Learn from a memory, as `vaider recall` tells its id.")
@click.option("--into", metavar="TASK", help="Merge into this task.", shell_complete=complete_tasks)
@click.option("--provider", metavar="NAME", help="Who makes the task: auto, local or gemini.")
@click.option("--display", metavar="DISPLAY", help="With --record: current, :1, or a monitor as in current@HDMI-1.")
@click.option("--microphone", metavar="NAME", help="With --record: default, none, or a device's name.")
@click.option(
    "--seconds", type=click.FloatRange(min=1, max=300), metavar="S", help="With --record: stop after so many seconds."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="With --record: keep the recording there.")
@click.option("--timeout", "limit", type=click.FloatRange(min=1), metavar="S", help="Give up learning after so long.")
@click.option("--no-ask", is_flag=True, help="Do not ask the task's questions here.")
@click.option("--json", "as_json", is_flag=True, help="Print what was learned as JSON.")
@with_settings
def learn(
    *,
    videos: Sequence[Path],
    records: bool,
    memory: str | None,
    into: str | None,
    provider: str | None,
    display: str | None,
    microphone: str | None,
    seconds: float | None,
    out: Path | None,
    limit: float | None,
    no_ask: bool,
    as_json: bool,
    settings: Settings,
) -> int:
    """Make a task of VIDEOs: a HEARTBEAT.md to be read and corrected, with one round of questions.

    Several VIDEOs show the same task: the first makes it, the others are merged into it. At most 2 GB and 5 minutes
    each. With --record, a demonstration is recorded first: Esc or Ctrl-C ends it. With --memory, what was done once
    is learned from the private recording.

    Exit code: 0 learned, 2 bad input or no task in it, 3 a provider or the daemon failed, 130 cancelled.
    """
    if records + bool(videos) + (memory is not None) != 1:
        raise InvalidRequest("Name recordings to learn from, or a --memory, or say --record to make one; one of them.")
    if not records and any((display, microphone, seconds, out)):
        raise InvalidRequest("--display, --microphone, --seconds and --out go with --record.")
    chosen = provider or settings.learning_provider
    if not records:
        paths = tuple(str(video.absolute()) for video in videos)
        request = LearnRequest(videos=paths, memory=memory, into=into, provider=chosen)
        learned = asyncio.run(_learn(settings, request, limit))
    else:
        learned = _from_demonstration(settings, out, (display, microphone, seconds), (into, chosen, limit))
    if as_json:
        write_json(learned.model_dump(mode="json"))
        return 0
    show_learned(console(sys.stdout), learned)
    if not no_ask and sys.stdin.isatty() and sys.stderr.isatty():
        answer_questions(console(sys.stdout), tasks_of(settings), learned)
    return 0


def _from_demonstration(
    settings: Settings,
    out: Path | None,
    how: tuple[str | None, str | None, float | None],
    then: tuple[str | None, str, float | None],
) -> Learned:
    """Record, then learn; a recording of which nothing was learned is kept, and it is said where."""
    from server.cli_output.recording import record_demonstration  # noqa: PLC0415 - the codecs are not needed to learn from files

    display, microphone, seconds = how
    into, provider, limit = then
    path = out.absolute() if out is not None else make_private(settings.data_path / CAPTURES) / _capture_name()
    recording = record_demonstration(settings, display=display, microphone=microphone, out=path, seconds=seconds)
    request = LearnRequest(videos=(str(recording.path),), into=into, provider=provider)
    try:
        learned = asyncio.run(_learn(settings, request, limit))
    except (VaiderError, KeyboardInterrupt, asyncio.CancelledError) as error:
        text = f"The recording is kept; to try again: vaider learn {recording.path}"
        if isinstance(error, VaiderError):
            raise type(error)(f"{error.message} {text}", **error.details) from None
        raise Cancelled(text) from None
    if out is None and learned.recordings:
        # The task has its own copy.
        for file in (recording.path, recording.log):
            if file is not None:
                file.unlink(missing_ok=True)
    return learned


def _capture_name() -> str:
    return f"capture-{datetime.now(UTC):%Y-%m-%dT%H-%M-%SZ}-{secrets.token_hex(4)}.mp4"


async def _learn(settings: Settings, request: LearnRequest, seconds: float | None) -> Learned:
    """Submit it and follow it; what it tells goes to stderr."""
    name = Path(request.videos[0]).name if request.videos else f"memory {request.memory}"
    with Bars(sys.stderr) as bars:
        bars.add(name, name)
        async with open_engine(settings) as engine:
            admitted = await asyncio.to_thread(engine.admit_lesson, request)
            job = await submit(engine.jobs, "learning", admitted)
            try:
                job = await until_final(engine.jobs, job, lambda event: bars.show_event(name, event), seconds=seconds)
            except TimeoutError:
                raise TimedOut(f"Learning took longer than {seconds:g} s and was stopped; raise --timeout.") from None
    if job.state is JobState.DONE and job.result is not None:
        return Learned.model_validate(job.result)
    raise error_from(job.error or {})
