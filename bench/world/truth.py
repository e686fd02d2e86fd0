"""What is known of one session: every line of text with its place and time, what scrolled, and what was done."""

import functools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

from core.analysis import Region
from core.values import Value

HERE: Final = Path(__file__).parent
CLIPS: Final = HERE / "clips"
"""The committed clips, each with its truth beside it."""
OUT: Final = HERE.parent / "out" / "world"
SUFFIX: Final = ".truth.json"
_SENT: Final = re.compile(r"on|y|yes|true")
_BESIDE: Final = 60
IN_FIELD: Final = frozenset({"ctrl+a", "End"})
"""Keys that select what a field holds, or go to its end."""
"""Pixels between a box and its label, at most."""
Half = Literal["build", "held_out"]
ActionKind = Literal["click", "type", "choose", "scroll", "press", "navigate"]


class Lasting(Value):
    """A time with its beginning and its end; where no program stamped them, each is known between two looks."""

    since_ms: int | None = None
    """The last look before ``t_ms``: it began between the two. ``None`` when it began at ``t_ms``."""
    t_ms: int
    stood_ms: int | None = None
    """The last look before ``until_ms``: it ended between the two. ``None`` when it ended at ``until_ms``."""
    until_ms: int | None = None
    """The first moment at which it was gone; ``None`` when it stood at the end."""

    @property
    def begins(self) -> tuple[int, int]:
        """The first and the last moment at which it may have begun."""
        return self.t_ms if self.since_ms is None else self.since_ms, self.t_ms

    @property
    def ends(self) -> tuple[int, int] | None:
        """The first and the last moment at which it may have ended."""
        if self.until_ms is None:
            return None
        return self.until_ms if self.stood_ms is None else self.stood_ms, self.until_ms


class Stay(Lasting):
    """A line of text, or a picture without one, and the time in which it stood on the screen."""

    text: str = ""
    box: Region
    moves: tuple[tuple[int, Region], ...] = ()
    """Where it stood later, and from when on."""
    cut: bool = False
    """Whether a border or something above it hid a part."""
    covered: tuple[Lasting, ...] = ()
    """When a menu, a dialog or another window stood over it, or over a part of it."""

    def at(self, t_ms: float) -> Region:
        """Where it stood at a moment."""
        return next((box for since, box in reversed(self.moves) if since <= t_ms), self.box)

    def stands(self, t_ms: float) -> bool:
        """Whether it stood there at a moment, with nothing over it."""
        return _includes(self, t_ms) and not any(_includes(each, t_ms) for each in self.covered)


def _includes(time: Lasting, t_ms: float) -> bool:
    return time.t_ms <= t_ms and (time.until_ms is None or t_ms < time.until_ms)


class Shift(Value):
    """Lines that moved together by as much; what scrolls, and what makes room for something new."""

    t_ms: int
    until_ms: int
    by: tuple[int, int]
    box: Region


class Action(Value):
    """What was done, in words of the screen."""

    t_ms: int
    until_ms: int | None = None
    kind: ActionKind
    target: str = ""
    value: str = ""
    point: tuple[int, int] | None = None

    @property
    def moves_focus(self) -> bool:
        """Whether it goes to another field, to the end of what that holds, or selects it."""
        return self.kind == "press" and set(self.value.split()) <= {"Tab", *IN_FIELD}


class Truth(Value):
    """The truth of one session. Times are milliseconds from its first frame, places are pixels of its frames."""

    session: str
    application: str
    kind: Literal["web", "desktop", "terminal"]
    look: str
    """Theme, size, rate and codec, in words."""
    width: int
    height: int
    fps: float
    duration_ms: int
    actions: tuple[Action, ...] = ()
    texts: tuple[Stay, ...] = ()
    bars: tuple[Stay, ...] = ()
    """What the window's frame, the browser's bars and its own hints show."""
    pictures: tuple[Stay, ...] = ()
    moving: tuple[Stay, ...] = ()
    """What was animated without an end."""
    shifts: tuple[Shift, ...] = ()

    @property
    def is_test(self) -> bool:
        """Whether a test did it, and no person."""
        return "test" in self.look.split()

    @property
    def setting(self) -> str:
        """What it was recorded in."""
        return "test run" if self.is_test else self.kind


def clicked_words(truth: Truth, action: Action) -> str:
    """What was clicked, in words of the screen.

    That is, of what has no name of its own, the text that stands there, and of a box whose page tells what its form
    sends, the nearest text.
    """
    is_box = truth.kind == "web" and _SENT.fullmatch(action.target) is not None
    if action.point is None or (action.target and not is_box):
        return action.target
    x, y = action.point
    places = [(stay.text, stay.at(action.t_ms)) for stay in truth.texts if stay.stands(action.t_ms)]
    if not is_box:
        return next((text for text, (left, top, w, h) in places if 0 <= x - left <= w and 0 <= y - top <= h), "")
    apart = [
        (max(left - x, 0, x - left - width) + max(top - y, 0, y - top - height), text)
        for text, (left, top, width, height) in places
    ]
    near = min((each for each in apart if each[0] <= _BESIDE), default=None)
    return near[1] if near is not None else action.target


def halves() -> dict[str, Half]:
    """Which half each application belongs to; it was written before anything was analysed."""
    split: dict[Half, list[str]] = json.loads((HERE / "split.json").read_text("utf-8"))
    return {application: half for half, applications in split.items() for application in applications}


def sessions(half: Half) -> list[tuple[Truth, Path]]:
    """The sessions of one half whose clip is here."""
    known, found = halves(), list[tuple[Truth, Path]]()
    for path in sorted(CLIPS.glob(f"*{SUFFIX}")):
        truth = read(path)
        clip = next(iter(_clips(path)), None)
        if clip is not None and known[truth.application] == half:
            found.append((truth, clip))
    return found


def _clips(truth: Path) -> Iterable[Path]:
    name = truth.name.removesuffix(SUFFIX)
    return (path for folder in (CLIPS, OUT / "clips") for path in folder.glob(f"{name}.*") if path.suffix != ".json")


@functools.cache
def read(path: Path) -> Truth:
    """Read the truth that lies beside a clip."""
    return Truth.model_validate_json(path.read_text(encoding="utf-8"))
