"""What a test's own record tells about a video: its actions, failed requests and messages, on the video's clock."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from core.text import one_line
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event

PASSIVE: Final = frozenset({"expect", "waitForSelector", "waitForTimeout", "waitForFunction"})
"""Calls that do nothing to the page."""
_LATEST_MS: Final = 2_000
"""What was seen longer after an action's end is not taken to follow from it."""
_EARLY_MS: Final = 100
"""How far the two clocks may be apart."""


class SourceLine(Value):
    """A line of the test's code."""

    file: str
    line: int


class TraceAction(Value):
    """One call of the test's. Times are milliseconds from the clip's first frame; before it they are negative."""

    t_ms: int
    until_ms: int | None = None
    """``None`` when it never ended."""
    method: str
    """``click``, ``fill``, ``goto``, ``expect``, …, as the recorder calls it."""
    title: str
    """``click "Place order"``; what was typed is left out."""
    selector: str | None = None
    """The locator, as the test's language writes it."""
    source: SourceLine | None = None
    error: str | None = None
    events: tuple[int, ...] = ()
    """Indices of what was seen after it and before the next one."""


class TraceRequest(Value):
    """A request that failed: refused, answered from 400 on, or never answered."""

    t_ms: int
    until_ms: int | None = None
    """When it was answered."""
    method: str | None = None
    """``None`` where the trace has but the browser's message about it."""
    url: str
    """Without its query."""
    status: int | None = None
    failure: str | None = None
    action: int | None = None
    """Index of the last action before it that did something to the page; of the last one when none did."""
    events: tuple[int, ...] = ()
    """Indices of what was seen after its answer and before the next action."""


class TraceMessage(Value):
    """What the page said to its console, or an exception that nothing caught."""

    t_ms: int
    kind: Literal["error", "warning", "pageerror"]
    text: str
    place: str | None = None
    action: int | None = None


class TraceFile(Value):
    """The file of a test's record, found beside the video or watched itself."""

    path: str
    sha256: str


class TestResult(Value):
    """One of the tests that a video shows, by its chapter in the container or by the mark before its title."""

    __test__ = False  # no test of pytest's

    title: str
    t_ms: int
    """Where its chapter begins, by the container, which may be seconds early; else when its mark was first seen."""
    until_ms: int | None = None
    """When its mark, or its error, was first seen."""
    ended: Literal["passed", "failed"] | None = None
    """``None`` where no mark was seen."""


class TestTrace(Value):
    """The record of one test, placed on the video's clock."""

    __test__ = False  # no test of pytest's

    path: str
    recorder: str
    title: str | None = None
    clock: Literal["own pictures", "same pictures", "first picture", "own rows"]
    """How the clocks were joined: it is watched by its own pictures; its pictures are found in the video; they are one
    picture alone, which the video shows from its last change on; or the runner wrote it into the video itself."""
    actions: tuple[TraceAction, ...] = ()
    requests: tuple[TraceRequest, ...] = ()
    messages: tuple[TraceMessage, ...] = ()
    ended: Literal["passed", "failed"] | None = None
    """As the runner says; ``None`` where the trace has no word of its."""
    tests: tuple[TestResult, ...] = ()
    """Those that the video names, or shows as over."""
    error: str | None = None
    """What the runner says that the test failed with."""
    error_source: SourceLine | None = None


class TraceReading(Value):
    """What came of reading a trace: it, or why it is left out."""

    trace: TestTrace | None = None
    warning: str | None = None


class Clause(Value):
    """One thing that one source says."""

    text: str
    source: str
    """``action 3 of trace.zip``, ``request 1 of trace.zip``, ``event 4 of the video``."""
    t_ms: int | None = None
    frame: str | None = None


class Why(Value):
    """The chain from what was done to what failed."""

    text: str
    clauses: tuple[Clause, ...]
    t_ms: int | None = None
    """The moment that shows it, if the video does."""
    frame: str | None = None
    """A picture of it; where nothing new was seen, of the screen as it last was before."""


def acts_of(trace: TestTrace) -> list[int]:
    """Indices of the actions that did something to the page."""
    return [number for number, each in enumerate(trace.actions) if each.method not in PASSIVE]


def with_events(trace: TestTrace, timeline: Sequence[Event]) -> TestTrace:
    """The trace with what was seen after each action and each answer, and before the next action."""
    acts = acts_of(trace)

    def seen(begin: int, end: int) -> tuple[int, ...]:
        following = (trace.actions[each].t_ms for each in acts if trace.actions[each].t_ms > begin)
        latest = min(end + _LATEST_MS, next(following, end + _LATEST_MS))
        return tuple(at for at, event in enumerate(timeline) if begin - _EARLY_MS <= event.t_ms < latest)

    actions, claimed = list(trace.actions), set[int]()
    for number in reversed(acts):  # an event that two clocks put on both sides of an action is the later one's
        action = actions[number]
        found = tuple(at for at in seen(action.t_ms, action.until_ms or action.t_ms) if at not in claimed)
        claimed.update(found)
        actions[number] = action.model_copy(update={"events": found})
    requests = tuple(
        each if each.until_ms is None else each.model_copy(update={"events": seen(each.until_ms, each.until_ms)})
        for each in trace.requests
    )
    return trace.model_copy(update={"actions": tuple(actions), "requests": requests})


def placed(action: TraceAction) -> str:
    """The action with its line: ``checkout.spec.ts:42 click "Place order"``."""
    return f"{line_of(action.source)}{action.title}"


def line_of(source: SourceLine | None) -> str:
    """``checkout.spec.ts:42`` and a space, or nothing."""
    return "" if source is None else f"{PurePosixPath(source.file.replace(chr(92), '/')).name}:{source.line} "


def answered(request: TraceRequest) -> str:
    """``POST /api/orders 500 (0.3 s)``."""
    url = urlsplit(request.url)
    what = f"{request.method} {url.path or request.url}" if request.method else url.path or request.url
    how = str(request.status) if request.status else one_line(request.failure or "was not answered")
    took = "" if request.until_ms is None else f" ({(request.until_ms - request.t_ms) / 1000:.1f} s)"
    return f"{what} {how}{took if request.method else ''}"
