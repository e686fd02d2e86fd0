"""A data directory with a day that was recorded in part: what can be played, what cannot and why, and what was done."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from adapters.recording.continuous.segment_writer import finish, segment_id
from adapters.recording.encoder import FilmEncoder
from adapters.recording.files import FilmFile
from core.memory import Procedure
from core.recording.recorder import RecorderPhase
from core.steps import Step
from server.composition.memory import RECORDINGS
from server.composition.memory_reading import MARKS
from server.composition.recorder import JOURNAL
from storage.memories.ledgers import ReadingMarkFile
from storage.memories.memories import SqlMemories
from storage.recorder_journal import JournalFile

DATE = "2026-11-20"
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
SIZE = 640, 360
RECORDED = ((8, 0, 50), (8, 50, 50), (10, 0, 45), (13, 0, 30), (14, 20, 40))
"""Hour, minute, and how many minutes of film."""
HOSTILE = 'Typed "<img src=x onerror=alert(1)>" into the "Name" field in Chromium'
_SECONDS = 150


def at(hour: float, minute: float = 0) -> datetime:
    return MIDNIGHT + timedelta(hours=hour, minutes=minute)


def film(folder: Path, started_at: datetime, minutes: int) -> str:
    """A segment that says in large letters when each of its pictures was taken; tells its id."""
    path = folder / f"{segment_id(started_at)}.mp4"
    file = FilmFile(path)
    encoder = FilmEncoder(file, SIZE, 2.0, sound=False)
    for second in range(0, minutes * 60 + 1, _SECONDS):
        encoder.add(_page(f"{started_at + timedelta(seconds=second):%H:%M:%S}"), second * 1000)
    encoder.close()
    file.close()
    finish(path)
    return path.stem


def recorded_day(data: Path) -> None:
    """Make it, with the memories of it; before the daemon starts."""
    folder = data / RECORDINGS
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    marks, segments = ReadingMarkFile(data / MARKS), list[str]()
    for hour, minute, minutes in RECORDED:
        segments.append(film(folder, at(hour, minute), minutes))
        marks.finish(segments[-1])
    phase, journal = RecorderPhase, JournalFile(data / JOURNAL)
    for moment, now, veiled in (
        (at(6), phase.RECORDING, False),
        (at(8, 20), phase.RECORDING, True),
        (at(8, 35), phase.RECORDING, False),
        (at(9, 40), phase.PAUSED, False),
        (at(10), phase.RECORDING, False),
        (at(10, 45), phase.LOCKED, False),
        (at(12), phase.OFF, False),
        (at(13), phase.RECORDING, False),
        (at(13, 30), phase.FAILED, False),
        (at(14), phase.RECORDING, False),
        (at(14, 30), phase.RECORDING, True),
        (at(14, 40), phase.RECORDING, False),
        (at(15), phase.OFF, False),
    ):
        journal.note(now, veiled=veiled, at=moment)
        if not veiled and now is phase.RECORDING:
            journal.note(now, veiled=False, at=moment + timedelta(seconds=6))
    journal.forget(at(14), at(14, 20))
    memories = SqlMemories(data / "memory.db")
    for number, (segment, offset, steps) in enumerate(_done(segments), 1):
        memories.replace(f"{segment}#{number}", [_procedure(number, segment, offset, steps)])
    memories.close()


def _done(segments: list[str]) -> list[tuple[str, int, tuple[str, ...]]]:
    return [
        (
            segments[0],
            10,
            (
                "Opened github.com/settings/keys",
                'Clicked "New SSH key"',
                'Typed "work laptop" into "Title"',
                'Clicked "Add SSH key", and "Key added" appeared',
            ),
        ),
        (
            segments[1],
            12,
            (
                'Opened the page "bank.example/transfer"',
                'Typed "18.20" into the "Amount in euros" field',
                'Clicked "Send", and "Your receipt" appeared',
            ),
        ),
        (segments[2], 20, ("Ran npm publish in Terminal", 'Typed "PYPI_TOKEN" into the "Name" field')),
        (segments[3], 5, (HOSTILE, 'Clicked "Save"')),
        (segments[4], 15, ('Opened "Quarterly report" in LibreOffice', 'Chose "Export as PDF"', 'Clicked "Export"')),
    ]


def _procedure(number: int, segment: str, minute: int, steps: tuple[str, ...]) -> Procedure:
    start_ms = minute * 60_000
    began = datetime.strptime(segment, "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC)
    return Procedure.model_validate(
        {
            "id": f"mem-{number}",
            "source": "recorder",
            "video": segment,
            "started_at": began + timedelta(milliseconds=start_ms),
            "start_ms": start_ms,
            "end_ms": start_ms + 9000 * len(steps),
            "applications": ("Chromium",),
            "titles": (),
            "summary": f"{steps[-1]} in Chromium",
            "steps": [
                Step(t_ms=start_ms + 9000 * at, until_ms=start_ms + 9000 * at + 100, text=text)
                for at, text in enumerate(steps)
            ],
        }
    )


def _page(text: str) -> np.ndarray:
    image = Image.new("RGB", SIZE, "#e9eef7")
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, 0, SIZE[0], 36), fill="#26324a")
    canvas.text((120, 140), text, fill="#202830", font=ImageFont.load_default(84))
    bgra = np.full((SIZE[1], SIZE[0], 4), 255, np.uint8)
    bgra[:, :, :3] = np.asarray(image)[:, :, ::-1]
    return bgra
