"""Why a test failed: the first thing that was not as expected, each clause with the source that says it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from core.analysis import COMES, Event, EventKind
from core.text import one_line
from core.traces import PASSIVE, Clause, Why, acts_of, answered, line_of, placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.traces import TestTrace, TraceAction, TraceMessage, TraceRequest

_LONGEST: Final = 120
_ERROR: Final = 300
"""Letters of the error that a test failed with: the two values that differ stand at its end."""
_COMPARED: Final = re.compile(r"^(Expected|Received)\b[^:]*:\s*(.+)$", re.MULTILINE)
_GAVE_UP: Final = re.compile(r"(Timeout:?|Timeout of|Timed out|with timeout) \d+ ?ms|Timeout \d+ms exceeded")


def why(trace: TestTrace, timeline: Sequence[Event], screen: str | None = None) -> Why | None:
    """The chain of a failed test; ``None`` when it passed, or when nothing of it failed.

    Args:
        trace: on the video's clock.
        timeline: what was seen.
        screen: a picture of the first screen, for the time before anything was seen.

    """
    failed = None if trace.ended == "passed" else _failed(trace)
    if trace.ended == "passed" or (failed is None and trace.error is None):
        return None
    name = PurePosixPath(trace.path.replace("\\", "/")).name
    end = _until(trace.actions[failed]) if failed is not None else None
    chain = _chain(trace, timeline, name, failed)
    if failed is not None:
        failure = trace.actions[failed]
        is_led = any(each.source.startswith("action") for each in chain)
        has_line = is_led and any(each.source is not None for each in trace.actions[:failed])
        ending = _failure(failure, is_alone=not has_line)
        last = Clause(text=ending, source=f"action {failed + 1} of {name}", t_ms=end)
    else:
        failing = f"{line_of(trace.error_source)}the test failed: {_short(trace.error or '', _ERROR)}"
        last = Clause(text=failing, source=f"the runner's error in {name}")
    seen = next((clause for clause in reversed(chain) if clause.frame), None)
    before = [event for event in timeline if event.frame and (end is None or event.t_ms <= end)]
    moment = (seen.t_ms, seen.frame) if seen else (before[-1].t_ms, before[-1].frame) if before else (last.t_ms, screen)
    text = " → ".join(clause.text for clause in chain)
    return Why(
        text=f"{text}; {last.text}" if text else last.text,
        clauses=(*chain, last),
        t_ms=None if moment[0] is None else max(moment[0], 0),
        frame=moment[1],
    )


def _failed(trace: TestTrace) -> int | None:
    """The call that the test failed with: the runner's, else the last one, for what a test catches it goes on after."""
    failed = [number for number, each in enumerate(trace.actions) if each.error]
    if trace.error is None or not failed:
        return failed[-1] if failed else None
    reported = _bare(trace.error)
    errors = {number: _bare(trace.actions[number].error or "") for number in failed}
    same = [number for number in failed if errors[number] == reported]
    alike = [number for number in failed if errors[number].split("\n")[0] == reported.split("\n")[0]]
    if same or alike:
        return same[0] if same else alike[-1]
    return failed[-1] if _GAVE_UP.search(reported) else None


def _bare(error: str) -> str:
    return re.sub(r"^(?:\w*Error: )+", "", error.strip())


def _chain(trace: TestTrace, timeline: Sequence[Event], name: str, failed: int | None) -> list[Clause]:
    """What led there: the action, what went wrong after it, and what was seen."""
    acts = [number for number in acts_of(trace) if failed is None or number < failed]
    failure = None if failed is None else trace.actions[failed]
    end = None if failure is None else _until(failure)
    trouble = _trouble(trace, acts, end)
    is_waiting = failure is None or failure.method in PASSIVE
    act = trouble.action if trouble is not None else acts[-1] if acts and is_waiting else None
    clauses = [] if act is None else [_act_clause(trace, act, name)]
    if trouble is not None:
        clauses.append(_trouble_clause(trouble, trace, name))
    if act is not None and is_waiting and act != acts[-1]:
        clauses.append(_act_clause(trace, acts[-1], name))
    if clauses or failure is not None:
        begin = clauses[-1].t_ms if clauses else failure.t_ms if failure is not None else 0
        seen = _first_seen(timeline, begin or 0, end)
        if seen is not None:
            event = timeline[seen]
            source = f"event {seen + 1} of the video"
            clauses.append(Clause(text=_shown(event), source=source, t_ms=event.t_ms, frame=event.frame))
    return clauses


def _act_clause(trace: TestTrace, act: int, name: str) -> Clause:
    done = trace.actions[act]
    return Clause(text=placed(done), source=f"action {act + 1} of {name}", t_ms=done.t_ms)


def _trouble(trace: TestTrace, acts: Sequence[int], end: int | None) -> TraceRequest | TraceMessage | None:
    """What went wrong after the last action that something went wrong after: its first request or exception."""
    exceptions = [each for each in trace.messages if each.kind == "pageerror"]
    for act in reversed(acts):
        found = [
            each for each in (*trace.requests, *exceptions) if each.action == act and (end is None or each.t_ms <= end)
        ]
        if found:
            return min(found, key=lambda each: each.t_ms)
    return None


def _trouble_clause(trouble: TraceRequest | TraceMessage, trace: TestTrace, name: str) -> Clause:
    if trouble in trace.requests:
        number = trace.requests.index(trouble)  # type: ignore[arg-type] - it is one of them
        request = trace.requests[number]
        return Clause(text=answered(request), source=f"request {number + 1} of {name}", t_ms=request.t_ms)
    number = trace.messages.index(trouble)  # type: ignore[arg-type] - it is one of them
    message = trace.messages[number]
    return Clause(text=_short(message.text), source=f"message {number + 1} of {name}", t_ms=message.t_ms)


def _first_seen(timeline: Sequence[Event], begin: int, end: int | None) -> int | None:
    """The first new text between two moments."""
    return next(
        (
            at
            for at, event in enumerate(timeline)
            if begin <= event.t_ms and (end is None or event.t_ms <= end) and event.kind in COMES and event.text
        ),
        None,
    )


def _shown(event: Event) -> str:
    text = _short(event.text or "")
    if event.kind is EventKind.CHANGED and event.before:
        return f'"{_short(event.before)}" became "{text}"'
    return one_line(event.description).rstrip(".") if event.kind is EventKind.NAVIGATED else f'"{text}" appeared'


def _failure(action: TraceAction, *, is_alone: bool) -> str:
    what = placed(action) if is_alone else action.title
    error = action.error or ""
    lasted = "" if action.until_ms is None else f" after {(action.until_ms - action.t_ms) / 1000:.3g} s"
    compared = {name: _short(value, _ERROR) for name, value in _COMPARED.findall(error)}
    if _GAVE_UP.search(error):
        received = compared.get("Received", "")
        seen = "" if not received or "not found" in received else f", received {received}"
        return f"{what} gave up{lasted}{seen}"
    if "Expected" in compared and "Received" in compared:
        return f"{what} failed: expected {compared['Expected']}, received {compared['Received']}"
    return f"{what} failed: {_short(error, _ERROR)}"


def _until(action: TraceAction) -> int:
    return action.t_ms if action.until_ms is None else action.until_ms


def _short(text: str, most: int = _LONGEST) -> str:
    line = one_line(text.strip().split("\n", 1)[0])
    return line if len(line) <= most else f"{line[: most - 1]}…"
