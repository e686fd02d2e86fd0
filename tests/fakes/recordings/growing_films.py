"""A film of a screen that is written while somebody reads it: text comes when the test says so."""

import itertools
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from adapters.recording.encoder import FilmEncoder
from adapters.recording.files import FilmFile
from core.recording.recordings import Segment

WIDTH, HEIGHT = 1280, 720
FPS = 2.0
PAGE = ("Account settings", "Profile", "Notifications", "Security", "Keys and tokens", "Sign out")
_BOUND_SECONDS = 10.0


def screen(*lines: str) -> NDArray[np.uint8]:
    """BGRA pixels of a page with lines of text below its own."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    canvas = ImageDraw.Draw(image)
    for number, line in enumerate((*PAGE, *lines)):
        canvas.text((60, 40 + 44 * number), line, fill="#202830", font=ImageFont.load_default(22))
    bgra = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    bgra[:, :, :3] = np.asarray(image)[:, :, ::-1]
    return bgra


class GrowingFilm:
    """Writes what stands on the screen twice a second, by a clock of its own, until it is left.

    Args:
        path: of the film.
        rests_ms: how long a picture that shows nothing new is left out; with 0 every look makes a picture.

    """

    def __init__(self, path: Path, *, rests_ms: int = 0) -> None:
        self._path = path
        self._rests_ms = rests_ms
        self._lines: tuple[str, ...] = ()
        self._began = 0.0
        self._ended = threading.Event()
        self._some = threading.Event()
        self._thread = threading.Thread(target=self._write, name="growing film")
        self.size = 0

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._some.wait(_BOUND_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def show(self, *lines: str) -> int:
        """These stand on the screen from now on; tells which millisecond of the film that is."""
        self._lines = lines
        return self.now_ms

    @property
    def now_ms(self) -> int:
        return round((time.monotonic() - self._began) * 1000)

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def is_ended(self) -> bool:
        return self._ended.is_set() and not self._thread.is_alive()

    def segment(self) -> Segment:
        return segment_of(self._path)

    def _write(self) -> None:
        file = FilmFile(self._path)
        encoder = FilmEncoder(file, (WIDTH, HEIGHT), FPS, sound=False)
        shown: tuple[str, ...] | None = None
        self._began = time.monotonic()
        again = 0
        for look in itertools.count():
            if self._ended.wait(max(0.0, self._began + look / FPS - time.monotonic())):
                break
            lines, now_ms = self._lines, self.now_ms
            if lines != shown:
                encoder.add(screen(*lines), now_ms)
                # The muxer hands a picture over when two others have come.
                shown, again = lines, 2
            elif again or now_ms - encoder.last_ms >= self._rests_ms:
                encoder.repeat(now_ms)
                again = max(0, again - 1)
            if file.size > 1000:
                self._some.set()
        encoder.close()
        file.close()


def segment_of(path: Path, *, complete: bool = False) -> Segment:
    """A segment of that film."""
    return Segment(
        id=path.stem,
        started_at=datetime(2026, 11, 21, 19, tzinfo=UTC),
        path=path,
        log=None,
        duration_ms=0,
        width=WIDTH,
        height=HEIGHT,
        size_bytes=path.stat().st_size if path.exists() else 0,
        complete=complete,
    )


def write_film(path: Path, *shown: tuple[int, Sequence[str]], until_ms: int) -> Segment:
    """The same film at once: which lines stand on the screen from which millisecond on."""
    file = FilmFile(path)
    encoder = FilmEncoder(file, (WIDTH, HEIGHT), FPS, sound=False)
    before: Sequence[str] | None = None
    for t_ms in range(0, until_ms, round(1000 / FPS)):
        lines = next(lines for since_ms, lines in reversed(shown) if since_ms <= t_ms)
        if lines == before:
            encoder.repeat(t_ms)
        else:
            encoder.add(screen(*lines), t_ms)
        before = lines
    encoder.close()
    file.close()
    return segment_of(path, complete=True)
