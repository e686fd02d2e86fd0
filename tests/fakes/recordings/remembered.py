"""A data directory with a recording and what is remembered of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from adapters.recording.encoder import FilmEncoder
from adapters.recording.files import FilmFile
from core.memory import Procedure
from core.recording.input_log import Clicked, Focused, InputEvent, InputLogHeader, line_of, log_beside
from core.steps import Step
from storage.memories.memories import SqlMemories

SEGMENT = "20261121T090000.000Z"
STARTED = datetime(2026, 11, 21, 9, tzinfo=UTC)
STEP = 6
"""Between the greys of two half seconds."""


def procedure(number: int = 1, *steps: str, source: str = "recorder", video: str = SEGMENT) -> Procedure:
    """Ten seconds of the recording, from the tenth on."""
    said = steps or ("Opened github.com/settings/keys", 'Clicked "New SSH key"', 'Clicked "Add SSH key"')
    return Procedure.model_validate(
        {
            "id": f"mem-{number}",
            "source": source,
            "video": video,
            "started_at": STARTED + timedelta(seconds=10 * number),
            "start_ms": 10_000,
            "end_ms": 20_000,
            "applications": ("Firefox",),
            "titles": ("SSH and GPG keys",),
            "summary": f"{said[-1]} in Firefox",
            "steps": [
                Step(t_ms=10_000 + 100 * at, until_ms=10_100 + 100 * at, text=each) for at, each in enumerate(said)
            ],
        }
    )


def remember(data: Path, *procedures: Procedure) -> None:
    """Keep them, as the daemon's reading does."""
    memories = SqlMemories(data / "memory.db")
    for each in procedures:
        memories.replace(f"{each.video}#{each.id}", [each])
    memories.close()


def record(data: Path, *, seconds: int = 30) -> Path:
    """A segment that tells by its grey when it is, with an input log."""
    folder = data / "recordings"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{SEGMENT}.mp4"
    file = FilmFile(path)
    encoder = FilmEncoder(file, (160, 90), 2, sound=False)
    for half in range(2 * seconds):
        encoder.add(np.full((90, 160, 4), half * STEP % 250, np.uint8), half * 500)
    encoder.close()
    file.close()
    events: list[InputEvent] = [
        Focused(t_ms=0, application="Firefox", title="Keys"),
        Clicked(t_ms=5_000, x=1, y=1),
        Clicked(t_ms=12_000, x=80, y=45),
        Clicked(t_ms=29_000, x=1, y=1),
    ]
    header = InputLogHeader(width=160, height=90, started_at=STARTED)
    log_beside(path).write_bytes(b"".join(map(line_of, (header, *events))))
    return path
