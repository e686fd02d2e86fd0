"""What is known about a labelled clip: its events, its words, and which expectations it meets."""

import json
from pathlib import Path

from core.analysis import EventKind, VerdictResult
from core.values import Value


class TrueEvent(Value):
    """One thing that happened, stamped by the page or program itself when it was on the glass."""

    t_ms: int
    until_ms: int | None = None
    kind: EventKind
    text: str | None = None
    """Words that a report of this event has to contain; ``None`` when it shows none."""
    before: str | None = None
    also: tuple[EventKind, ...] = ()
    """Kinds that describe it no worse than ``kind`` does."""


class ScreenWords(Value):
    """All words that could be read at one calm moment."""

    t_ms: int
    words: tuple[str, ...]


class TrueVerdict(Value):
    """An expectation in plain words and the right answer to it."""

    text: str
    verdict: VerdictResult


class Truth(Value):
    """The truth of one clip. Times are milliseconds from its first frame, sizes are pixels."""

    clip: str
    width: int
    height: int
    fps: float
    duration_ms: int
    events: tuple[TrueEvent, ...] = ()
    optional: tuple[TrueEvent, ...] = ()
    """What may be reported or not, e.g. a focus ring or the end of a short toast."""
    vocabulary: tuple[str, ...] = ()
    """Every line that was on screen at any time."""
    screen_words: tuple[ScreenWords, ...] = ()
    expectations: tuple[TrueVerdict, ...] = ()

    @property
    def frame_ms(self) -> float:
        """The time from one frame to the next."""
        return 1000 / self.fps


def read_truth(path: Path) -> Truth:
    """Read the truth that lies beside a clip, ``<clip>.truth.json``."""
    return Truth.model_validate_json(path.read_text(encoding="utf-8"))


def write_truth(truth: Value, path: Path) -> None:
    """Write it in a form that a person can read and compare, one event a line."""
    data = truth.model_dump(mode="json", exclude_defaults=True)
    lines = [f"  {json.dumps(key)}: {_value(value)}" for key, value in data.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _value(value: object) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType] - what JSON holds
    return "[\n" + ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in items) + "\n  ]"
