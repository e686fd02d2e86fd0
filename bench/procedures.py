"""How well a recording of several undertakings is remembered: ``bench procedures``.

Each recording is made by the product's recorder, at the two pictures a second of the one that runs all day. What is
told of it is held against what was done: the steps, where one undertaking ends and the next begins, the summaries.
"""

import difflib
import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from adapters.recording.recorder import DemonstrationRecorder
from adapters.video.local import LocalAnalyser
from adapters.video.video_files import VideoFile
from bench.learning import MAX_BYTES, MAX_PIXELS, MAX_SECONDS, SIZE, served
from bench.procedure_sessions import RECORDINGS, Activity, Recorded
from bench.record.browser import chromium
from bench.record.ledger import Ledger
from bench.record.screen import Screen, virtual_screen
from bench.table import Table
from core.analysis import Findings
from core.memory import Procedure
from core.plans.phrasing import quoted
from core.procedures.procedures import procedures_of
from core.recording.input_log import InputLog, log_beside, parse_input_log
from tests.fakes.jobs.contexts import FakeContext

ROOT: Final = Path(__file__).parents[1]
FPS: Final = 2.0
_SPACING_MS: Final = 2500
"""A boundary is in its place if it is no farther from where the undertaking began."""
_DISTINCTIVE: Final = re.compile(
    r'(?:\w+-)?(?:Clicked|clicked|Chose|Ticked|Unticked|Typed|Opened the page) (?:the )?(?:\w+ )?["“«`]'
)
"""A sentence that claims what was acted on."""


@dataclass(frozen=True)
class Taken:
    """A recording that was read."""

    findings: Findings
    log: InputLog
    duration_ms: int
    begins: tuple[int, ...]
    """When each undertaking began, in milliseconds of the recording."""


@dataclass(frozen=True)
class Score:
    """What is told of one recording, against what was done."""

    right: int
    of: int
    invented: tuple[str, ...]
    found: int
    """Boundaries in their places."""
    boundaries: int
    reported: int
    """Boundaries that are told."""
    summaries: int
    """Summaries that quote something, and nothing that was not there."""
    procedures: int
    ms: float


def run() -> list[Table]:
    """Measure."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    scores: list[tuple[Score, Score]] = []
    for name, recorded in RECORDINGS.items():
        taken = take(recorded)
        pair = (score(recorded, taken, taken.log), score(recorded, taken, None))
        scores.append(pair)
        rows.append((name, *_cells(pair[0]), *_cells(pair[1]), f"{pair[0].ms:.1f} ms"))
        notes += [f"- {name}: invented {each}" for one in pair for each in one.invented]
    logged, seen = (tuple(each) for each in zip(*scores, strict=True))
    rows.append(("all", *_total(logged), *_total(seen), f"{max(one.ms for one in logged):.1f} ms"))
    columns = ("steps right", "invented", "boundaries found", "told", "summaries true")
    header = ("recording", *(f"{each}, {means}" for means in ("log", "video") for each in columns), "told in")
    return [Table("Undertakings told from recordings", header, rows, "\n".join([_BAR, *notes]))]


_BAR = (
    "Several undertakings one after another, done by real hands in real programs and recorded at two pictures a "
    "second. The bar: none invented. With the video alone, what was clicked cannot be seen, and is not told."
)


def take(recorded: Recorded) -> Taken:
    """Record it, and read it."""
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        path = Path(folder, "recording.mp4")
        begins = _record(recorded, path, Path(folder))
        log = parse_input_log(log_beside(path).read_bytes(), path.name)
        video = VideoFile(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS).inspect(path)
        analyser = LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS)
        findings = analyser.analyse(video, (), _Pictures(Path(folder)), FakeContext())
    return Taken(findings, log, video.duration_ms, begins)


@dataclass(frozen=True)
class _Pictures:
    """Implements ``core.ports.FrameFolder``."""

    directory: Path
    prefix: str = "01_"
    relative: str = "frames"


def _record(recorded: Recorded, path: Path, home: Path) -> tuple[int, ...]:
    with served(ROOT) as (url, _), virtual_screen(*SIZE) as screen:
        screen.glide(960, 420, steps=2)
        with chromium(screen, Ledger(), framed=True) as stage, _terminal(screen, home):
            stage.page.goto(f"{url}/{recorded.opens}")
            stage.page.wait_for_load_state("load")
            screen.press("alt+Tab")
            stage.wait(1.5)
            return _filmed(recorded, Hands(stage, screen, url), screen, path)


@dataclass
class Hands:
    """A browser and a terminal on one screen, and the hands that use them; what a ``Step`` gets."""

    browser: Any
    screen: Screen
    url: str

    def click(self, selector: str, times: int = 1) -> None:
        """As a browser does."""
        self.browser.click(selector, times)

    def write(self, text: str, pace_ms: int) -> None:
        """Type where the focus is; ``URL`` is where the pages are."""
        self.screen.type(text.replace("URL", self.url), pace_ms)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.browser.wait(seconds)


@contextmanager
def _terminal(screen: Screen, home: Path) -> Generator[None]:
    command = ["xterm", "-fa", "DejaVu Sans Mono", "-fs", "14", "-geometry", "70x14+420+330", "-T", "work"]
    environment = {**os.environ, **screen.environment, "HOME": str(home), "PS1": "work: "}
    process = subprocess.Popen([*command, "-e", "bash", "--noprofile", "--norc", "-i"], env=environment, cwd=home)
    try:
        time.sleep(1.0)
        yield
    finally:
        process.terminate()
        process.wait(10)


def _filmed(recorded: Recorded, hands: Hands, screen: Screen, path: Path) -> tuple[int, ...]:
    recorder = DemonstrationRecorder(display=screen.display, microphone="none", fps=FPS)
    stop, begun = threading.Event(), threading.Event()
    zero: list[float] = []

    def note(state: Any) -> None:
        if not zero:
            zero.append(time.monotonic() - state.elapsed_ms / 1000)
        begun.set()

    thread = threading.Thread(target=lambda: recorder.record(path, stop, note))
    thread.start()
    begun.wait(10)
    begins: list[int] = []
    try:
        for activity in recorded.activities:
            hands.wait(1.5)
            begins.append(round((time.monotonic() - zero[0]) * 1000))
            activity.play(hands)
        hands.wait(2.0)
    finally:
        stop.set()
        thread.join()
    return tuple(begins)


def derive_procedures(taken: Taken, log: InputLog | None) -> tuple[Procedure, ...]:
    """What is remembered of it."""
    return procedures_of(
        taken.findings,
        log,
        video="bench",
        source="recorder",
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        duration_ms=taken.duration_ms,
        size=SIZE,
    )


def score(recorded: Recorded, taken: Taken, log: InputLog | None) -> Score:
    """Hold what is told against what was done."""
    began = time.perf_counter()
    procedures = derive_procedures(taken, log)
    ms = (time.perf_counter() - began) * 1000
    truth = [sentence for each in recorded.activities for sentence in each.steps]
    if log is None:
        # That it was sent, and to what, is not seen.
        truth = [re.sub(r"\ARan ", "Typed ", each) for each in truth]
    shown = [step.text for procedure in procedures for step in procedure.steps]
    named = [next((each for each in truth if text.startswith(each)), text) for text in shown]
    same = difflib.SequenceMatcher(a=truth, b=named, autojunk=False).get_matching_blocks()
    invented = [text for text, name in zip(shown, named, strict=True) if name not in truth and _DISTINCTIVE.match(text)]
    starts = [procedure.start_ms for procedure in procedures[1:]]
    places = list(taken.begins[1:])
    return Score(
        right=sum(block.size for block in same),
        of=len(truth),
        invented=tuple(invented),
        found=sum(any(-500 <= start - place <= _SPACING_MS for start in starts) for place in places),
        boundaries=len(places),
        reported=len(starts),
        summaries=sum(_is_true(procedure.summary, taken, recorded.activities) for procedure in procedures),
        procedures=len(procedures),
        ms=ms,
    )


def _is_true(summary: str, taken: Taken, activities: Sequence[Activity]) -> bool:
    said = quoted(summary)
    shown = {one.text for one in taken.findings.sightings or ()}
    done = " ".join(sentence for each in activities for sentence in each.steps)
    return said is not None and bool(said.texts) and all(text in shown or text in done for text in said.texts)


def _cells(one: Score) -> tuple[str, ...]:
    return (
        f"{one.right} of {one.of}",
        str(len(one.invented)),
        f"{one.found} of {one.boundaries}",
        str(one.reported),
        f"{one.summaries} of {one.procedures}",
    )


def _total(scores: Sequence[Score]) -> tuple[str, ...]:
    right, of = sum(one.right for one in scores), sum(one.of for one in scores)
    found, result = sum(one.found for one in scores), sum(one.reported for one in scores)
    boundaries = sum(one.boundaries for one in scores)
    return (
        f"{right} of {of} ({right / of:.0%})",
        str(sum(len(one.invented) for one in scores)),
        f"{found} of {boundaries}",
        str(result),
        f"{sum(one.summaries for one in scores)} of {sum(one.procedures for one in scores)}",
    )
