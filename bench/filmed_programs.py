"""Films that strangers made of their own programs, learned alone: which steps are told, as each was seen by eye.

``bench/filmed/*.json`` says where each film comes from and what is done in it, watched picture by picture before any
answer was seen; the films are looked for in ``bench/out/filmed`` by name, and known by their SHA-256. All programs are
small web pages that run without a network, so that what was learned can be run as well: with ``vaider run``, by hand.
A value that the film hides has no words. An icon is told as "icon 2/3: Ada", the second of three in the row of "Ada".
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import TypeAdapter

from adapters.models.learning.local import LocalExtractor
from adapters.video.local import LocalAnalyser
from adapters.video.video_files import VideoFile
from bench.films import Deed, Score, compared
from bench.learning import MAX_BYTES, MAX_PIXELS, MAX_SECONDS
from bench.table import Table
from core.tasks.learning_gate import read_extraction
from core.values import Value
from tests.fakes.jobs.contexts import FakeContext

LABELS: Final = Path(__file__).parent / "filmed"
FILMS: Final = Path(__file__).parent / "out" / "filmed"
_HALVES: Final = {"build": "built with", "held-out": "held out"}


class _Done(NamedTuple):
    """A ``Deed``, as it is written in a row."""

    t_ms: int
    until_ms: int
    kind: str
    words: str
    is_needed: bool
    whole: str = ""


class _Filmed(Value):
    """One film: its source, and what was done in it."""

    name: str
    half: Literal["build", "held-out"]
    source: dict[str, Any]
    deeds: tuple[_Done, ...]

    @property
    def path(self) -> Path | None:
        """Where it is here; ``None`` where there is no file with these bytes."""
        there = (path for path in FILMS.glob(f"{self.name}.*") if path.is_file())
        return next((path for path in there if _digest(path) == self.source["sha256"]), None)


def run() -> list[Table]:
    """Learn from every film that is here."""
    read = TypeAdapter(_Filmed).validate_json
    filmed = [read(path.read_bytes()) for path in sorted(LABELS.glob("*.json"))]
    return [_table([one for one in filmed if one.half == half], words) for half, words in _HALVES.items()]


def _table(filmed: list[_Filmed], words: str) -> Table:
    extractor = LocalExtractor(LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS))
    inspector = VideoFile(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS)
    total, rows = Score(), list[tuple[str, ...]]()
    for one in filmed:
        if (path := one.path) is None:
            continue
        began = time.monotonic()
        reply = extractor.extract(inspector.inspect(path), None, FakeContext())
        score = compared([Deed(*deed) for deed in one.deeds], read_extraction(reply.text).heartbeat)
        score.seconds = time.monotonic() - began
        total.add(score)
        rows.append((one.name, *_cells(score)))
    rows.append(("all", *_cells(total)))
    missing = len(filmed) - total.films
    note = f"{missing} films are not here; see bench/filmed." if missing else ""
    columns = ("film", "steps told exactly", "invented", "questions a film", "refused", "seconds")
    return Table(f"Films of strangers' programs learned alone, {words}", columns, rows, note)


def _cells(score: Score) -> tuple[str, ...]:
    told, invented, asked, refused, _, seconds = score.cells
    return told, invented, asked, refused, seconds


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
