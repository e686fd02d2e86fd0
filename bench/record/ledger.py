"""Collects what pages and programs tell about themselves, and makes the truth of a clip of it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.record.encode import Profile
from bench.record.recorder import Footage
from bench.truth import ScreenWords, TrueEvent, TrueVerdict, Truth
from core.analysis import EventKind

FEW_FRAMES = 4
"""What typing or spinning shows in fewer frames may be told as something that appeared or changed."""
SHORT_LIFE_MS = 2000
"""What goes away sooner is one event with its end; its going is no event of its own."""


@dataclass
class Entry:
    """One event while it is still being told; times in wall clock milliseconds."""

    t: float
    kind: EventKind
    text: str | None = None
    until: float | None = None
    before: str | None = None
    optional: bool = False
    also: tuple[EventKind, ...] = ()


@dataclass
class Ledger:
    """What was told so far."""

    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    lines: dict[str, None] = field(default_factory=dict[str, None])
    screens: list[tuple[float, list[str]]] = field(default_factory=list[tuple[float, list[str]]])

    def take(self, report: dict[str, Any]) -> None:
        """Take one report of ``truth.js``, or of a program that speaks like it."""
        self.lines.update(dict.fromkeys(report.get("lines", ())))
        t: float = report["t"]
        key: str = report.get("key", "")
        match report["op"]:
            case "begin":
                self.entries[key] = _entry(t, EventKind(report["kind"]), report)
            case "end":
                self.entries[key].until = t
            case "typed":
                entry = self.entries.setdefault(key, _entry(t, EventKind.TYPED, report))
                entry.until, entry.text = t, report["text"]
            case "calm":
                self.screens.append((t, report["lines"]))
            case _:
                pass

    def truth(
        self, clip: str, footage: Footage, profile: Profile, frames: int, expectations: Sequence[TrueVerdict]
    ) -> Truth:
        """The truth of the clip that ``profile`` makes of the footage: what no frame shows is left out."""
        start, last = footage.started * 1000, (frames - 1) * 1000 / profile.fps
        events, optional = self._events(start, last, profile.fps)
        width, height = profile.size or (footage.width, footage.height)
        words = [ScreenWords(t_ms=round(t - start), words=tuple(split_words(lines))) for t, lines in self.screens]
        return Truth(
            clip=clip,
            width=width,
            height=height,
            fps=profile.fps,
            duration_ms=round(frames * 1000 / profile.fps),
            events=tuple(sorted(events, key=lambda event: event.t_ms)),
            optional=tuple(sorted(optional, key=lambda event: event.t_ms)),
            vocabulary=tuple(self.lines),
            screen_words=tuple(screen for screen in words if 0 <= screen.t_ms <= last),
            expectations=tuple(expectations),
        )

    def _events(self, start: float, last: float, fps: float) -> tuple[list[TrueEvent], list[TrueEvent]]:
        """What a report has to hold, and what it may hold."""
        events: list[TrueEvent] = []
        optional: list[TrueEvent] = []
        for entry in self.entries.values():
            t, until = entry.t - start, None if entry.until is None else entry.until - start
            if t > last or (until is not None and not _is_seen(t, until, fps, entry.kind)):
                continue
            event = TrueEvent(
                t_ms=round(t),
                until_ms=None if until is None or until > last else round(until),
                kind=entry.kind,
                text=entry.text,
                before=entry.before,
                also=(*entry.also, *also_in_few_frames(entry.kind, t, until, fps)),
            )
            (optional if entry.optional else events).append(event)
            if until is not None and until <= last and entry.kind in {EventKind.APPEARED, EventKind.BUSY}:
                going = TrueEvent(t_ms=round(until), kind=EventKind.VANISHED, text=entry.text)
                is_required = entry.kind is EventKind.APPEARED and until - t >= SHORT_LIFE_MS
                (events if is_required and not entry.optional else optional).append(going)
        return events, optional


def _entry(t: float, kind: EventKind, report: dict[str, Any]) -> Entry:
    also = tuple(EventKind(kind) for kind in report.get("also", ()))
    return Entry(t, kind, report.get("text"), None, report.get("before"), report.get("optional", False), also)


def _is_seen(t: float, until: float, fps: float, kind: EventKind) -> bool:
    """Whether a frame falls between appearing and going; what is typed stays when the typing ends."""
    return kind is EventKind.TYPED or math.ceil(t * fps / 1000) * 1000 / fps < until


def also_in_few_frames(kind: EventKind, t: float, until: float | None, fps: float) -> tuple[EventKind, ...]:
    """The further kinds that are right when there are too few frames to see letter after letter, or a turn."""
    if until is None or kind not in {EventKind.TYPED, EventKind.BUSY}:
        return ()
    return (EventKind.APPEARED, EventKind.CHANGED) if (until - t) * fps / 1000 < FEW_FRAMES else ()


def split_words(lines: Sequence[str]) -> list[str]:
    """The words of some lines, without what is no letter or digit at their ends."""
    return [word for line in lines for word in re.split(r"\s+", line) if re.search(r"\w", word)]
