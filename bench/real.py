"""Recordings that nobody here made, labelled by eye: which facts are reported, and which statements are true.

``bench/real/*.json`` says where each comes from and what a careful tester would report of it; it was written before
any answer was seen. Videos whose licence allows it are committed beside; the others are looked for in
``bench/out/real`` by name and known by their SHA-256. The statements of a timeline are judged by eye against the
pictures: ``bench/real/judged/*.json`` keeps each judgement by the statement's time and words, so that an unchanged
statement is judged once; what is not judged yet is written to ``bench/out/real/unjudged``.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from adapters.video.video_files import VideoFile
from bench.plain import watch_plainly
from bench.rivals import sampling
from bench.table import Table
from bench.watching import watch
from bench.words import contains
from config.settings import load_settings
from core.analysis import EventKind, Findings, Region, VerdictResult
from core.expectations import judge_all
from core.narrative import TOKEN_CHARACTERS, clock, narrate, statements
from core.values import Value
from server.composition.from_settings import video_limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.analysis import Event, Video

LABELS: Final = Path(__file__).parent / "real"
ELSEWHERE: Final = Path(__file__).parent / "out" / "real"
JUDGEMENTS: Final = ("true", "partly", "false", "noise")
LASTING: Final = (EventKind.TYPED, EventKind.SCROLLED)
"""These are seen from their first moment to their last; a fact is labelled at either."""
HALVES: Final = {"build": "built with", "held-out": "held out"}


class Source(Value):
    """Where a recording was found."""

    repository: str
    commit: str
    path: str
    sha256: str
    licence: str

    def place(self, name: str) -> Path | None:
        """Its file here; ``None`` when there is none with these bytes."""
        candidates = [
            *LABELS.glob(f"videos/{name}.*"),
            *ELSEWHERE.glob(f"{name}.*"),
        ]
        return next((path for path in candidates if _digest(path) == self.sha256), None)


class Fact(Value):
    """Something that a careful tester would report."""

    t_ms: int
    tolerance_ms: int = 400
    until_ms: int | None = None
    kind: str
    words: str
    was: str | None = None
    where: str | None = None
    region: Region | None = None


class Expected(Value):
    """An expectation and its right answer."""

    text: str
    verdict: VerdictResult


class Recording(Value):
    """What is known of one recording."""

    name: str
    half: Literal["build", "held-out"]
    application: str
    kind: str
    source: Source
    video: dict[str, Any]
    facts: tuple[Fact, ...]
    expectations: tuple[Expected, ...]
    noise: tuple[str, ...] = ()


@dataclass
class Counts:
    """The outcome of one method for one or several recordings."""

    facts: int = 0
    in_time: int = 0
    anywhere: int = 0
    statements: int = 0
    tokens: int = 0
    seconds: float = 0.0
    video_seconds: float = 0.0
    right: int = 0
    unclear: int = 0
    wrong: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def recordings() -> list[tuple[Recording, Path]]:
    """Those whose video is here, by name."""
    known = [_recording(path) for path in sorted(LABELS.glob("*.json"))]
    return [(one, path) for one in known if (path := one.source.place(one.name)) is not None]


def run() -> list[Table]:
    """Measure both halves with every method."""
    return [table for half in HALVES for table in _half(half)]


def measure(one: Recording, path: Path, method: Callable[[Path], tuple[Video, Findings]]) -> tuple[Counts, Findings]:
    """What one method reports of one recording."""
    began = time.monotonic()
    video, findings = method(path)
    seconds = time.monotonic() - began
    said = [(_lasted(event), _words(event)) for event in findings.timeline]
    said += [((action.t_ms, action.t_ms), action.description) for action in findings.actions]
    frame_ms = 1000 / (video.fps or 25)
    found = [[lasted for lasted, text in said if contains(text, fact.words)] for fact in one.facts]
    in_time = sum(
        any(
            begin - fact.tolerance_ms - frame_ms <= fact.t_ms <= end + fact.tolerance_ms + frame_ms
            for begin, end in times
        )
        for fact, times in zip(one.facts, found, strict=True)
    )
    asked = one.expectations if findings.sightings is not None else ()
    answers = judge_all([each.text for each in asked], findings, video)
    pairs = [(answer.verdict, each.verdict) for answer, each in zip(answers, asked, strict=True)]
    unclear = sum(answer is VerdictResult.UNCLEAR and true is not answer for answer, true in pairs)
    right = sum(answer is true for answer, true in pairs)
    return Counts(
        facts=len(one.facts),
        in_time=in_time,
        anywhere=sum(bool(times) for times in found),
        statements=len(statements(findings.timeline, findings.actions)),
        tokens=len(narrate(findings, video)) // TOKEN_CHARACTERS,
        seconds=seconds,
        video_seconds=video.duration_ms / 1000,
        right=right,
        unclear=unclear,
        wrong=len(pairs) - right - unclear,
    ), findings


def _lasted(event: Event) -> tuple[int, int]:
    """From when until when it was done, in milliseconds: typing takes its time, a text that appears does not."""
    return event.t_ms, (event.until_ms or event.t_ms) if event.kind in LASTING else event.t_ms


def _words(event: Event) -> str:
    return f"{event.text or ''} {event.before or ''} {event.description}"


def judged(one: Recording, findings: Findings) -> Counter[str]:
    """How many statements are true, partly true, false or noise; those not judged yet are counted, and written down."""
    place = LABELS / "judged" / f"{one.name}.json"
    known: dict[str, str] = json.loads(place.read_text("utf-8")) if place.exists() else {}
    reported = statements(findings.timeline, findings.actions)
    said = [f"[{clock(statement.t_ms)}] {statement.sentence}" for statement in reported]
    left = [statement for statement in said if statement not in known]
    if left:
        unjudged = ELSEWHERE / "unjudged" / f"{one.name}.json"
        unjudged.parent.mkdir(parents=True, exist_ok=True)
        unjudged.write_text(json.dumps(dict.fromkeys(left, ""), ensure_ascii=False, indent=1), encoding="utf-8")
    return Counter(known.get(statement, "not judged") for statement in said)


def _half(half: str) -> list[Table]:
    there = [(one, path) for one, path in recordings() if one.half == half]
    totals, truth, rows = dict.fromkeys(METHODS, Counts()), Counter[str](), list[tuple[str, ...]]()
    for one, path in there:
        for name, method in METHODS.items():
            counts, findings = measure(one, path, method)
            totals[name] += counts
            if name == "ours":
                truth += judged(one, findings)
                rows.append((one.name, *_cells(counts)))
    rows += [(f"all, {name}", *_cells(counts)) for name, counts in totals.items()]
    which = HALVES[half]
    columns = ("recording", "facts in time", "anywhere", "right / unclear / wrong", "statements", "tokens", "speed")
    missing = len([path for path in LABELS.glob("*.json") if _recording(path).half == half]) - len(there)
    note = f"{missing} recordings are not here; see bench/real." if missing else ""
    count = truth.total() - truth["not judged"]
    shares = [(each, str(truth[each]), f"{truth[each] / max(count, 1):.0%}") for each in JUDGEMENTS]
    return [
        Table(f"Recordings that nobody here made, {which}", columns, rows, note),
        Table(
            f"Statements of their timelines, {which}",
            ("judged by eye", "statements", "share"),
            shares,
            f"{truth['not judged']} are not judged.",
        ),
    ]


def _cells(counts: Counts) -> tuple[str, ...]:
    return (
        f"{counts.in_time} of {counts.facts}",
        str(counts.anywhere),
        f"{counts.right} / {counts.unclear} / {counts.wrong}",
        str(counts.statements),
        str(counts.tokens),
        f"{counts.video_seconds / max(counts.seconds, 0.001):.1f} x",
    )


def _inspected(path: Path) -> Video:
    return VideoFile(**video_limits(load_settings(environment={}))).inspect(path)


METHODS: Final[dict[str, Callable[[Path], tuple[Video, Findings]]]] = {
    "ours": watch,
    "plain rival": lambda path: (_inspected(path), watch_plainly(path)),
    "1 fps + OCR": lambda path: (_inspected(path), Findings(timeline=sampling(path))),
}


@functools.cache
def _recording(path: Path) -> Recording:
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))
    for fact in known["facts"]:
        if "from" in fact:
            fact["was"] = fact.pop("from")
    return Recording.model_validate(known)


@functools.cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
