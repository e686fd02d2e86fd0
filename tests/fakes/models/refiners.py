"""Memories with vague steps, and a refiner that says what it is told to say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.documents import DocumentFile
from core.memories.ports import EgressGate
from core.memories.refinements import Refinement, StepRefinement
from core.memories.refining import MemoryRefining, Notes
from core.memory import Procedure
from core.recording.recordings import Segment
from core.steps import Step
from storage.memories.ledgers import SentFile
from storage.memories.memories import SqlMemories

BEGAN = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
SEGMENT = "20261120T100000.000Z"


def step(text: str, t_ms: int, *, inferred: bool = True) -> Step:
    return Step(t_ms=t_ms, until_ms=t_ms + 400, text=text, application="Firefox", window="GitHub", inferred=inferred)


def procedure(name: str = "a", start_ms: int = 10_000, *steps: Step, video: str = SEGMENT) -> Procedure:
    """Three steps: one that was logged and quotes, one that was inferred, one that was logged and is vague."""
    reported = steps or (
        step('Clicked "Settings"', start_ms + 1000, inferred=False),
        step('"New SSH key" appeared', start_ms + 3000),
        step("Clicked in Firefox", start_ms + 5000, inferred=False),
    )
    return Procedure(
        id=name,
        source="recorder",
        video=video,
        started_at=BEGAN + timedelta(milliseconds=start_ms),
        start_ms=start_ms,
        end_ms=start_ms + 8000,
        applications=("Firefox",),
        titles=("GitHub",),
        summary='Clicked "Settings" in Firefox',
        steps=reported,
        texts=("SSH keys",),
    )


def segment(path: Path = Path("/nowhere.mp4"), segment_id: str = SEGMENT, began: datetime = BEGAN) -> Segment:
    return Segment(
        id=segment_id,
        started_at=began,
        path=path,
        log=None,
        duration_ms=60_000,
        width=320,
        height=240,
        size_bytes=path.stat().st_size if path.exists() else 1000,
        complete=True,
    )


@dataclass
class ScriptedRefiner:
    """Implements ``core.memories.ports.Refiner``; ``fails`` are raised first, one a call."""

    said: Refinement = field(default_factory=Refinement)
    fails: list[Exception] = field(default_factory=list[Exception])
    meanwhile: Callable[[], object] = lambda: None
    lacking: str | None = None
    asked: list[tuple[str, tuple[int, ...]]] = field(default_factory=list[tuple[str, tuple[int, ...]]])
    name: str = "vision"
    host: str = "127.0.0.1"
    model: str = "some-model"

    def unavailable(self) -> str | None:
        return self.lacking

    def refine(self, procedure: Procedure, film: Path, asked: Sequence[int], egress: EgressGate) -> Refinement:
        assert film.suffix == ".mp4"
        egress.send("pictures", times_ms=(procedure.start_ms, procedure.end_ms), size_bytes=1000, text_bytes=50)
        self.asked.append((procedure.id, tuple(asked)))
        self.meanwhile()
        if self.fails:
            raise self.fails.pop(0)
        return self.said


def words(*texts: str | None, summary: str | None = None) -> Refinement:
    """These texts for the steps 1, 2, …"""
    steps = tuple(StepRefinement(number=number, text=text) for number, text in enumerate(texts, 1))
    return Refinement(summary=summary, steps=steps)


class RefiningScene:
    """A use case around real files, with a clock of its own."""

    def __init__(self, folder: Path, *, calls_a_day: int = 100) -> None:
        self.now = BEGAN + timedelta(minutes=5)
        self.memories = SqlMemories(folder / "memory.db")
        self.ledger = SentFile(folder)
        self.refiner = ScriptedRefiner()
        self.film: Path | None = folder / "film.mp4"
        self.find_film: Callable[[Procedure], Path | None] = lambda _: self.film
        self.folder, self.calls_a_day = folder, calls_a_day
        self.refining = self.restarted()

    def restarted(self) -> MemoryRefining:
        """The same after a restart of the daemon."""
        return MemoryRefining(
            self.refiner,
            memories=self.memories,
            film_of=lambda each: self.find_film(each),  # noqa: PLW0108 - tests set another one
            ledger=self.ledger,
            notes=DocumentFile(self.folder / "notes.json", Notes),
            calls_a_day=self.calls_a_day,
            now=lambda: self.now,
        )

    def read_reports(self, name: str = "a") -> tuple[str, ...]:
        found = self.memories.get(name)
        return () if found is None else tuple(each.text for each in found.steps)
