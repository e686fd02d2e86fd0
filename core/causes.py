"""Why a test failed: the first thing that was not as expected, each clause with the source that says it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from core.analysis import Event, EventKind
from core.text import one_line
from core.traces import PASSIVE
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.traces import TestTrace, TraceAction, TraceMessage, TraceRequest

_LONGEST: Final = 120
_COMPARED: Final = re.compile(r"^(Expected|Received)\b[^:]*:\s*(.+)$", re.MULTILINE)
_GAVE_UP: Final = re.compile(r"(Timeout:?|Timeout of|Timed out|with timeout) \d+ ?ms|Timeout \d+ms exceeded")


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


def why(trace: TestTrace, timeline: Sequence[Event]) -> Why | None:
    """The chain of a failed test; ``None`` when no call of it failed."""
    failed = next((number for number, each in enumerate(trace.actions) if each.error), None)
    if failed is None:
        return None
    name = PurePosixPath(trace.path.replace("\\", "/")).name
    failure = trace.actions[failed]
    acts = [number for number in range(failed) if trace.actions[number].method not in PASSIVE]
    trouble = _trouble(trace, acts, failed)
    act = trouble.action if trouble is not None else acts[-1] if acts and failure.method in PASSIVE else None
    clauses: list[Clause] = []
    if act is not None:
        done = trace.actions[act]
        clauses.append(Clause(text=_placed(done), source=f"action {act + 1} of {name}", t_ms=done.t_ms))
    if trouble is not None:
        clauses.append(_trouble_clause(trouble, trace, name))
    begin = trouble.t_ms if trouble is not None else trace.actions[act].t_ms if act is not None else failure.t_ms
    seen = _first_seen(timeline, begin, _until(failure))
    if seen is not None:
        event = timeline[seen]
        clauses.append(
            Clause(text=_shown(event), source=f"event {seen + 1} of the video", t_ms=event.t_ms, frame=event.frame)
        )
    chain = " → ".join(clause.text for clause in clauses)
    ending = _failure(failure, is_alone=act is None)
    last = Clause(text=ending, source=f"action {failed + 1} of {name}", t_ms=failure.t_ms)
    picture = next((clause for clause in reversed(clauses) if clause.frame), None)
    return Why(
        text=f"{chain}; {last.text}" if chain else last.text,
        clauses=(*clauses, last),
        t_ms=max(picture.t_ms if picture and picture.t_ms is not None else failure.t_ms, 0),
        frame=picture.frame if picture else None,
    )


def _trouble(trace: TestTrace, acts: Sequence[int], failed: int) -> TraceRequest | TraceMessage | None:
    """What went wrong after the last action that something went wrong after: its first request or exception."""
    end = _until(trace.actions[failed])
    exceptions = [each for each in trace.messages if each.kind == "pageerror"]
    for act in reversed(acts):
        found = [each for each in (*trace.requests, *exceptions) if each.action == act and each.t_ms <= end]
        if found:
            return min(found, key=lambda each: each.t_ms)
    return None


def _trouble_clause(trouble: TraceRequest | TraceMessage, trace: TestTrace, name: str) -> Clause:
    if trouble in trace.requests:
        number = trace.requests.index(trouble)  # type: ignore[arg-type] - it is one of them
        request = trace.requests[number]
        return Clause(text=_answered(request), source=f"request {number + 1} of {name}", t_ms=request.t_ms)
    number = trace.messages.index(trouble)  # type: ignore[arg-type] - it is one of them
    message = trace.messages[number]
    return Clause(text=_short(message.text), source=f"message {number + 1} of {name}", t_ms=message.t_ms)


def _answered(request: TraceRequest) -> str:
    url = urlsplit(request.url)
    what = f"{request.method} {url.path or request.url}" if request.method else url.path or request.url
    how = str(request.status) if request.status else _short(request.failure or "was not answered")
    took = "" if request.until_ms is None else f" ({(request.until_ms - request.t_ms) / 1000:.1f} s)"
    return f"{what} {how}{took if request.method else ''}"


def _first_seen(timeline: Sequence[Event], begin: int, end: int) -> int | None:
    """The first new text between two moments."""
    kinds = {EventKind.APPEARED, EventKind.CHANGED, EventKind.NAVIGATED}
    return next(
        (at for at, event in enumerate(timeline) if begin <= event.t_ms <= end and event.kind in kinds and event.text),
        None,
    )


def _shown(event: Event) -> str:
    text = _short(event.text or "")
    if event.kind is EventKind.CHANGED and event.before:
        return f'"{_short(event.before)}" became "{text}"'
    return one_line(event.description).rstrip(".") if event.kind is EventKind.NAVIGATED else f'"{text}" appeared'


def _failure(action: TraceAction, *, is_alone: bool) -> str:
    what = _placed(action) if is_alone else action.title
    error = action.error or ""
    lasted = "" if action.until_ms is None else f" after {(action.until_ms - action.t_ms) / 1000:.3g} s"
    compared = {name: _short(value) for name, value in _COMPARED.findall(error)}
    if _GAVE_UP.search(error):
        received = compared.get("Received", "")
        seen = "" if not received or "not found" in received else f", received {received}"
        return f"{what} gave up{lasted}{seen}"
    if "Expected" in compared and "Received" in compared:
        return f"{what} failed: expected {compared['Expected']}, received {compared['Received']}"
    return f"{what} failed: {_short(error)}"


def _placed(action: TraceAction) -> str:
    if action.source is None:
        return action.title
    return f"{PurePosixPath(action.source.file.replace(chr(92), '/')).name}:{action.source.line} {action.title}"


def _until(action: TraceAction) -> int:
    return action.t_ms if action.until_ms is None else action.until_ms


def _short(text: str) -> str:
    line = one_line(text.strip().split("\n", 1)[0])
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
