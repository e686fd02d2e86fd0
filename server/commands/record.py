"""``vaider record``: the continuous recorder is started, paused, stopped, looked at, and made to forget."""

from __future__ import annotations

import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from core.errors import Conflict, InvalidRequest
from core.recording.recorder import ReadingStatus, RecorderPhase, RecorderStatus
from server.cli_output.analysis import console, plain, write_json
from server.client.address import Address, address
from server.client.jobs import health
from server.client.recorder_and_reload import ask_recorder
from server.commands.options import with_settings
from server.composition.recorder import Forgotten, Recorder, with_segments
from server.times import ago, stretch

if TYPE_CHECKING:
    from config.settings import Settings

_NO_DAEMON = "The daemon does not run, and the recorder lives in it."
_BEGIN_SECONDS = 15.0
_LOOK_SECONDS = 0.2


@click.group()
def record() -> None:
    """Record the screen all day: start, pause, resume, stop, status and forget; import what was analysed before."""


def _action(name: str, text: str) -> None:
    @record.command(name, help=text)
    @click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /recorder does.")
    @with_settings
    def act(*, as_json: bool, settings: Settings) -> int:
        where = address(settings)
        if health(where) is None:
            raise Conflict(f"No daemon answers at {where.url}, and the recorder lives in it: `vaider serve` starts it.")
        found = RecorderStatus.model_validate(ask_recorder(where, "POST", "/recorder", {"action": name}))
        return _show(_begun(where, found), as_json=as_json)

    del act


def _begun(where: Address, found: RecorderStatus) -> RecorderStatus:
    """How the recorder is once its process has begun to record, or has failed to."""
    end = time.monotonic() + _BEGIN_SECONDS
    while found.phase is RecorderPhase.STARTING and time.monotonic() < end:
        time.sleep(_LOOK_SECONDS)
        found = RecorderStatus.model_validate(ask_recorder(where, "GET", "/recorder"))
    return found


_action(
    "start",
    "Start recording; it goes on until it is stopped, or the daemon is.\n\n"
    "Exit code: 0 when it records, 3 when it cannot, e.g. without a display.",
)
_action("pause", "Record nothing until it is resumed.")
_action("resume", "Go on recording.")
_action("stop", "Stop recording; what was recorded is kept.")


@record.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /recorder does.")
@with_settings
def status(*, as_json: bool, settings: Settings) -> int:
    """Tell whether it records, what there is, and what it costs.

    Exit code: 0, also when it is off; 3 when it should record and cannot.
    """
    where = address(settings)
    if health(where) is None:
        from server.composition.memory import RECORDINGS  # noqa: PLC0415 - only here
        from storage.segments import SegmentFolder  # noqa: PLC0415 - same

        found = RecorderStatus(phase=RecorderPhase.OFF, reason=_NO_DAEMON)
        return _show(with_segments(found, SegmentFolder(settings.data_path / RECORDINGS).list()), as_json=as_json)
    return _show(RecorderStatus.model_validate(ask_recorder(where, "GET", "/recorder")), as_json=as_json)


@record.command("forget")
@click.argument("words", nargs=-1, metavar="[last] [10m]")
@click.option("--since", metavar="TIME", help="From this moment, such as 2026-11-21T19:00+01:00.")
@click.option("--until", metavar="TIME", help="Until this moment; now if left out.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print what is gone as JSON.")
@with_settings
def forget(
    *, words: tuple[str, ...], since: str | None, until: str | None, yes: bool, as_json: bool, settings: Settings
) -> None:
    """Forget a stretch, e.g. `vaider record forget last 10m`: its pictures, its log and what was remembered of it."""
    said = [word for word in words if word.lower() != "last"]
    if len(said) > 1:
        raise InvalidRequest("Say one stretch, such as `vaider record forget last 10m`.")
    begin, end = stretch(last=said[0] if said else None, since=_moment(since), until=_moment(until))
    if not yes and sys.stdin.isatty():
        text = f"Forget all that was recorded from {begin.astimezone():%F %H:%M:%S} to {end.astimezone():%F %H:%M:%S}?"
        click.confirm(text, abort=True, err=True)
    where = address(settings)
    if health(where) is not None:
        body = {"since": begin.isoformat(), "until": end.isoformat()}
        gone = Forgotten.model_validate(ask_recorder(where, "POST", "/recorder/forget", body))
    else:
        gone = _forget_here(settings, begin, end)
    if as_json:
        write_json(gone.model_dump(mode="json"))
        return
    text = f"Forgotten: {_many(gone.segments, 'segment')} cut or removed, {_many(gone.memories, 'memory')} removed."
    console(sys.stdout).print(Text(text), soft_wrap=True)


@record.command("import")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_settings
def import_(*, folders: tuple[Path, ...], as_json: bool, settings: Settings) -> int:
    """Remember what was analysed before: the .VaiderInteractions folders at or below each FOLDER.

    What is analysed from now on is remembered by itself. Done again, it changes nothing.

    Exit code: 0 something is remembered, 1 nothing was found, 2 bad input.
    """
    from server.composition.memory import import_interactions  # noqa: PLC0415 - only here

    done = import_interactions(settings, folders)
    if as_json:
        write_json(done.model_dump(mode="json"))
    else:
        out = console(sys.stdout)
        text = f"Remembered: {_many(done.memories, 'procedure')} of {_many(done.videos, 'video')}."
        out.print(Text(text), soft_wrap=True)
        for folder in done.skipped:
            out.print(Text(plain(f"  nothing to remember in {folder}"), style="dim"), soft_wrap=True)
    return 0 if done.memories else 1


@record.command("sent")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many, the newest first."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /memory/sent does.")
@with_settings
def sent(*, limit: int, as_json: bool, settings: Settings) -> None:
    """Tell what of the recording left this machine: when, to whom, of what, and how much.

    Nothing does unless memory_refiner is set. Works with and without a daemon.
    """
    from server.cli_output.sent import show_sent  # noqa: PLC0415 - only here

    show_sent(settings, limit, as_json=as_json)


def _forget_here(settings: Settings, begin: datetime, end: datetime) -> Forgotten:
    """Without a daemon."""
    import contextlib  # noqa: PLC0415 - only here

    from server.cli_output.sent import bare_refinement_worker  # noqa: PLC0415 - same
    from server.composition.memory import Memory  # noqa: PLC0415 - only here
    from server.composition.memory_reading import RecordingReader  # noqa: PLC0415 - same

    with contextlib.closing(Memory(settings)) as memory:
        reader = RecordingReader(settings, memory)
        refinement_worker = bare_refinement_worker(settings, memory)
        try:
            return Recorder(settings, memories=lambda: refinement_worker, viewer=reader).forget(begin, end)
        finally:
            reader.stop()
            refinement_worker.stop()


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise InvalidRequest(f"{text[:60]!r} is no moment: write it as 2026-11-21T19:00+01:00.") from None


def _show(found: RecorderStatus, *, as_json: bool) -> int:
    code = 3 if found.is_amiss else 0
    if as_json:
        write_json(found.model_dump(mode="json"))
        return code
    out = console(sys.stdout)
    for name, reported in _lines(found):
        out.print(Text(plain(f"{name:10} {reported}")), soft_wrap=True)
    return code


def _lines(found: RecorderStatus) -> list[tuple[str, Any]]:
    lines: list[tuple[str, Any]] = [("recorder", found.phase.value)]
    lines += [("why", found.reason)] if found.reason else []
    if found.display:
        lines.append(("display", f"{found.display}, {found.width}x{found.height}"))
    if found.newest_picture_age_seconds is not None:
        lines.append(("seen", f"{found.newest_picture_age_seconds:g} s ago"))
    lines.append(("kept", f"{_many(found.segments, 'segment')}, {found.size_bytes / 1000**2:.1f} MB"))
    if found.oldest_at is not None:
        lines.append(("since", _format_moment(found.oldest_at)))
    if found.phase is RecorderPhase.RECORDING:
        lines.append(
            ("pictures", f"{found.frames}, {found.masked} masked, {found.dropped} dropped, {_many(found.gaps, 'gap')}")
        )
        lines.append(("cost", f"{found.cpu_percent:.1f} % of a core, {found.memory_bytes / 1000**2:.0f} MB"))
    lines += _read(found.reading) if found.reading is not None else []
    return lines + [("warning", warning) for warning in found.warnings]


def _read(reading: ReadingStatus) -> list[tuple[str, str]]:
    until = "" if reading.read_until is None else f"until {_format_moment(reading.read_until)}"
    counts = ((reading.waiting, "waiting"), (reading.left_out, "left unread"), (reading.failed, "unreadable"))
    text = ", ".join([until, *(f"{count} {what}" for count, what in counts if count)]).removeprefix(", ")
    lines = [("read", text)] if text else []
    return lines + ([("warning", reading.problem)] if reading.problem else [])


def _format_moment(at: datetime) -> str:
    return f"{at.astimezone():%F %H:%M:%S} ({ago(at)})"


def _many(count: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"
