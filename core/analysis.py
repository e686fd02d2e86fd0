"""What was seen in a video, what was asked about it, and the use case that answers."""

from enum import StrEnum
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field

from core.traces import TestTrace, TraceFile, Why
from core.values import Value

Region = tuple[int, int, int, int]
"""x, y, width, height in pixels of the upright video frame."""


class EventKind(StrEnum):
    """What kind of thing happened."""

    APPEARED = "appeared"
    VANISHED = "vanished"
    CHANGED = "changed"
    TYPED = "typed"
    SCROLLED = "scrolled"
    NAVIGATED = "navigated"
    BUSY = "busy"


BETWEEN_LINES: Final = " \u00b7 "
"""Parts the lines of an event's text."""

COMES: Final = frozenset({EventKind.APPEARED, EventKind.CHANGED, EventKind.NAVIGATED})
"""Events in which something comes: they show that something was done."""


class ActionKind(StrEnum):
    """What kind of thing was done."""

    CLICK = "click"
    RIGHT_CLICK = "right_click"
    CHOOSE = "choose"
    DISMISS = "dismiss"
    TYPE = "type"
    PRESS = "press"
    SCROLL = "scroll"


SET: Final = "ticked"
UNSET: Final = "cleared"


class Action(Value):
    """One thing that somebody did, as far as it can be seen. Its effects are the events that name it as their cause."""

    t_ms: int
    until_ms: int | None = None
    kind: ActionKind
    target: str | None = None
    """The words on or beside what it was done to; ``None`` where that is not known."""
    value: str | None = None
    """What was typed or chosen, or the key; of a click on a box beside words, ``ticked`` or ``cleared``."""
    region: Region | None = None
    confidence: Annotated[float, Field(ge=0, le=1)]
    description: str
    """One plain past-tense sentence."""


class Event(Value):
    """One thing that happened on screen. Times are milliseconds from the clip's first frame."""

    t_ms: int
    until_ms: int | None = None
    kind: EventKind
    text: str | None = None
    before: str | None = None
    region: Region | None = None
    confidence: Annotated[float, Field(ge=0, le=1)]
    frame: str | None = None
    """Path of a picture of it, below the interaction folder."""
    description: str
    """One plain past-tense sentence that quotes what was on screen."""
    field: str | None = None
    """The label of the field that was typed into."""
    cause: int | None = None
    """Index of the action that it follows from; ``None`` where none is known."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Its text, line by line; none where it has no text."""
        return tuple(self.text.split(BETWEEN_LINES)) if self.text else ()


class Sighting(Value):
    """One line of text and the time it stood on the screen: what quoted text in an expectation is looked up in.

    ``until_ms`` is the first moment at which it was gone, ``None`` when it was still there at the end.
    """

    text: str
    t_ms: int
    until_ms: int | None = None
    region: Region | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    frame: str | None = None
    earlier: tuple[tuple[int, Region], ...] = ()
    """Where it stood before it moved to ``region``: each place with the time at which it left it."""

    def place_at(self, t_ms: int) -> Region | None:
        """Where it stood at a moment of its time."""
        return next((place for left_ms, place in self.earlier if t_ms < left_ms), self.region)


class Unread(Value):
    """A place of which not all was read: it never came to rest meanwhile, or no words could be made out in it."""

    t_ms: int
    until_ms: int
    region: Region


class VerdictResult(StrEnum):
    """The answer to an expectation."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNCLEAR = "unclear"


class Evidence(Value):
    """Where a verdict can be seen: the moment, a picture of it, and the text that stood there."""

    t_ms: int
    frame: str | None = None
    quote: str | None = None


class Verdict(Value):
    """Whether one expectation was met, why, and what proves it."""

    expectation: str
    verdict: VerdictResult
    reason: str
    evidence: tuple[Evidence, ...] = ()
    judged_by: str | None = None
    """``agent`` where an agent that looked at the pictures judged what was unclear; ``None``: who watched."""


class Chapter(Value):
    """A part of a video that its container names: of a film that Cypress recorded, a test."""

    t_ms: int
    """Where it begins."""
    title: str


class Video(Value):
    """A video file, as its container and its first frames tell."""

    path: str
    duration_ms: int
    width: int
    """Upright, after rotation."""
    height: int
    fps: float | None
    """Average frame rate, ``None`` when unknown."""
    codec: str
    size_bytes: int
    sha256: str
    chapters: tuple[Chapter, ...] = ()
    trace: TraceFile | None = None
    """The record of the test that the video shows."""

    def named(self, path: str, trace: str | None = None) -> Self:
        """The same with the names that the file and its trace have elsewhere; without ``trace``, its name alone."""
        record = self.trace
        if record is not None:
            trace = path if record.path == self.path else trace or PurePath(record.path).name
            record = record.model_copy(update={"path": trace})
        return self.model_copy(update={"path": path, "trace": record})


class AnalysisRequest(Value):
    """What somebody wants to know about a video."""

    video_path: str
    expectations: tuple[str, ...] = ()
    provider: str = "auto"
    use_cache: bool = True
    uploaded: bool = False
    """Whether the file is Vaider's own copy of an upload: then its interaction folder lies in the data directory."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """What else the caller said; kept in the interaction log, never interpreted."""


class Findings(Value):
    """What an analyser found out."""

    timeline: tuple[Event, ...] = ()
    actions: tuple[Action, ...] = ()
    first_screen: tuple[str, ...] = ()
    """The lines that stood on the first settled screen, top to bottom."""
    first_frame: str | None = None
    sightings: tuple[Sighting, ...] | None = None
    """Every text and its time on screen; ``None`` when the analyser judges expectations itself."""
    unread: tuple[Unread, ...] = ()
    """Where and when a text may have stood that is not among the sightings."""
    runner_column: Region | None = None
    """Where a test runner writes beside the page, if it was found; the page begins at its right."""
    closing_ms: int | None = None
    """From then on the screen was blank because the recording itself ended; ``None`` if it showed the program to the
    end. What went then is no event of the program."""
    verdicts: tuple[Verdict, ...] = ()
    """The analyser's own answers, one per expectation in the order asked, when it judges itself."""
    usage: dict[str, int] = Field(default_factory=dict)
    """Tokens or seconds spent, by the provider's own names."""
    warnings: tuple[str, ...] = ()


class FindingsSoFar(Value):
    """What was found of a video that is still being watched: a part of it, or all there is by now.

    What comes later may still be joined to it, so the answer may say it otherwise; its pictures come with the answer.
    """

    done: int
    """Milliseconds of the video that were watched."""
    total: int
    first_screen: tuple[str, ...] = ()
    """As in the answer; only in the first part that knows it."""
    at: int = 0
    """The place in the whole timeline of the first event here; what was known from there on is replaced."""
    timeline: tuple[Event, ...] = ()
    provisional: Literal[True] = True

    def and_then(self, part: Self) -> Self:
        """This with the next part. One that begins anew, because the watching did, replaces everything."""
        screen = part.first_screen or (self.first_screen if part.at else ())
        timeline = (*self.timeline[: part.at], *part.timeline)
        return type(self)(done=part.done, total=part.total, first_screen=screen, timeline=timeline)


class Observation(Value):
    """What an analyser saw in a video, kept so that further questions about the same bytes are judged from it."""

    video_sha256: str
    provider: str
    model: str
    settings: str
    """The settings of the analyser that change what it sees."""
    findings: Findings
    """With sightings, and without verdicts of the analyser's own."""


class Analysis(Value):
    """The answer to ``POST /analyse``, ``analyse_video`` and ``vaider analyse --json``."""

    description: str
    """The timeline as text: ``[mm:ss.s] sentence`` a line."""
    duration_ms: int
    """What the analysis took."""
    video: Video
    first_screen: tuple[str, ...]
    timeline: tuple[Event, ...]
    actions: tuple[Action, ...] = ()
    verdicts: tuple[Verdict, ...]
    trace: TestTrace | None = None
    """What the test's own record tells, on the video's clock."""
    why: Why | None = None
    """Why the test failed, if its record says that it did."""
    provider: str
    provider_reason: str
    """Why this provider judged: asked for, or the choice of ``auto`` and its ground."""
    model: str
    cached: bool
    interactions_dir: str
    job_id: str
    usage: dict[str, int]
    warnings: tuple[str, ...]
