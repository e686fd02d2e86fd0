"""What a test's own record tells about a video: its actions, failed requests and messages, on the video's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event

PASSIVE: Final = frozenset({"expect", "waitForSelector", "waitForTimeout", "waitForFunction"})
"""Calls that do nothing to the page."""
_LATEST_MS: Final = 2_000
"""What was seen longer after an action's end is not told as following from it."""
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


class TestTrace(Value):
    """The record of one test, placed on the video's clock."""

    __test__ = False  # no test of pytest's

    path: str
    recorder: str
    title: str | None = None
    clock: Literal["own pictures", "same pictures", "first picture"]
    """How the clocks were joined: it is watched by its own pictures; its pictures are found in the video; or the video
    is taken to begin with its first picture, because nothing moved in them."""
    actions: tuple[TraceAction, ...] = ()
    requests: tuple[TraceRequest, ...] = ()
    messages: tuple[TraceMessage, ...] = ()
    error: str | None = None
    """What the runner says that the test failed with."""


def with_events(trace: TestTrace, timeline: Sequence[Event]) -> TestTrace:
    """The trace with what was seen after each action and each answer, where the times agree."""
    ends = [*(each.t_ms for each in trace.actions[1:]), None]

    def seen(begin: int, end: int, number: int) -> tuple[int, ...]:
        limit = ends[number]
        latest = end + _LATEST_MS if limit is None else min(end + _LATEST_MS, limit)
        return tuple(at for at, event in enumerate(timeline) if begin - _EARLY_MS <= event.t_ms < latest)

    actions = tuple(
        each.model_copy(update={"events": seen(each.t_ms, each.until_ms or each.t_ms, number)})
        for number, each in enumerate(trace.actions)
    )
    requests = tuple(
        each
        if each.action is None or each.until_ms is None
        else each.model_copy(update={"events": seen(each.until_ms, each.until_ms, _last_before(trace, each.until_ms))})
        for each in trace.requests
    )
    return trace.model_copy(update={"actions": actions, "requests": requests})


def _last_before(trace: TestTrace, t_ms: int) -> int:
    return max((number for number, each in enumerate(trace.actions) if each.t_ms <= t_ms), default=0)
