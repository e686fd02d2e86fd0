"""Scores timelines of recorded sessions of applications that nobody here wrote: ``python -m bench world``.

Truth was taken while recording (``bench/world/record.py``), so every statement is judged and every line that came is
looked for. Applications are split in two halves (``split.json``): one to build with, and one that is only looked at by
``python -m bench world --held-out``. Each judgement goes to ``bench/out/world/judged``.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from bench.real import METHODS
from bench.table import Table
from bench.watching import watch
from bench.world.scene import Scene
from bench.world.statements import JUDGEMENTS, Judged, judge
from bench.world.told import Told, told, untold
from bench.world.truth import OUT, Half, Truth, sessions
from core.analysis import Event, Findings, Video
from core.narrative import TOKEN_CHARACTERS, clock, narrate, sentence_of

TITLES: Final[dict[Half, str]] = {"build": "built with", "held_out": "held out"}
COLUMNS: Final = (
    "session", *JUDGEMENTS, "moments told", "lines told", "clicks told / invented", "tokens", "speed",
)  # fmt: skip


@dataclass
class Counts:
    """The outcome of one method for one or several sessions."""

    judged: Counter[str] = field(default_factory=Counter[str])
    told: Told = field(default_factory=Told)
    tokens: int = 0
    seconds: float = 0.0
    video_seconds: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.judged + other.judged,
            Told(*map(sum, zip(self.told, other.told, strict=True))),
            self.tokens + other.tokens,
            self.seconds + other.seconds,
            self.video_seconds + other.video_seconds,
        )

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row of the table."""
        count, told = max(self.judged.total(), 1), self.told
        return (
            *(f"{self.judged[each]} ({self.judged[each] / count:.0%})" for each in JUDGEMENTS),
            f"{told.moments_told} of {told.moments}",
            f"{told.lines_told} of {told.lines}",
            f"{told.actions_told} of {told.actions} / {told.actions_invented}",
            str(self.tokens),
            f"{self.video_seconds / self.seconds:.1f} x" if self.seconds else "not measured",
        )


def run(*, quick: bool = False, held_out: bool = False) -> list[Table]:
    """Measure one half with every method; when it has to be quick, with ours alone, of which kept analyses are used."""
    half: Half = "held_out" if held_out else "build"
    methods = {"ours": partial(watch, reuses=True)} if quick else METHODS
    rows, totals = list[tuple[str, ...]](), dict[str, Counts]()
    for truth, path in sessions(half):
        for name, method in methods.items():
            counts = _measured(truth, path, name, method)
            if quick:
                counts.seconds = 0.0
            total = f"all{' test runs' if truth.is_test else ''}, {name}"
            totals[total] = totals.get(total, Counts()) + counts
            if name == "ours":
                rows.append((truth.session, *counts.cells))
    rows += [(name, *counts.cells) for name, counts in sorted(totals.items())]
    return [Table(f"Sessions of applications that nobody here wrote, {TITLES[half]}", COLUMNS, rows)]


def _measured(truth: Truth, path: Path, name: str, method: Callable[[Path], tuple[Video, Findings]]) -> Counts:
    began = time.monotonic()
    video, findings = method(path)
    seconds = time.monotonic() - began
    if name == "1 fps + OCR":
        findings = _in_words(findings)
    judged = judge(findings, Scene(truth))
    _keep(truth, name, findings, judged)
    return Counts(
        Counter(each.judgement for each in judged),
        told(findings, truth),
        len(narrate(findings, video)) // TOKEN_CHARACTERS,
        seconds,
        video.duration_ms / 1000,
    )


def _in_words(findings: Findings) -> Findings:
    """Each word as a line of its own, for a method that knows no lines: its texts are the words that are new."""

    def divided(event: Event) -> Event:
        text, before = (" · ".join((words or "").split()) or None for words in (event.text, event.before))
        return event.model_copy(update={"text": text, "before": before})

    return findings.model_copy(update={"timeline": tuple(map(divided, findings.timeline))})


def _keep(truth: Truth, method: str, findings: Findings, judged: list[Judged]) -> None:
    """Write each statement with its judgement, and each line that was not told."""
    folder = OUT / "judged" / method.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    said = [
        [each.judgement, each.ground, f"[{clock(event.t_ms)}] {sentence_of(event)}"]
        for event, each in zip(findings.timeline, judged, strict=True)
    ]
    (folder / f"{truth.session}.findings").write_text(findings.model_dump_json(), encoding="utf-8")
    missing = [f"[{clock(stay.t_ms)}] {stay.text}" for stay in untold(findings.timeline, truth)]
    lines = ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in said)
    rest = ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in missing)
    text = f'{{"statements": [\n  {lines}\n ],\n "untold": [\n  {rest}\n ]}}\n'
    (folder / f"{truth.session}.json").write_text(text, encoding="utf-8")
