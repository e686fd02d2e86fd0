"""What a trace's records tell, as values of the core: the test's calls, failed requests, messages, by one clock."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit, urlunsplit

from core.traces import PASSIVE, SourceLine, TestTrace, TraceAction, TraceMessage, TraceRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.video.traces.playwright import Call, Records

_WORDS: Final[Mapping[str, str]] = {
    "goto": "open",
    "selectOption": "choose in",
    "setInputFiles": "upload to",
    "keyboardPress": "press",
    "keyboardType": "type",
    "keyboardInsertText": "type",
    "mouseClick": "click",
    "mouseWheel": "scroll",
    "waitForSelector": "wait for",
    "waitForTimeout": "wait",
    "goBack": "go back",
    "goForward": "go forward",
    "dragAndDrop": "drag",
}
_PLAIN: Final = frozenset(
    {"click", "dblclick", "tap", "fill", "type", "press", "check", "uncheck", "hover", "reload", "expect", "focus"}
)
_ACTS: Final = _PLAIN | _WORDS.keys()
"""The calls that are told; the others ask or prepare something."""
_WAITING: Final = re.compile(r"waiting for ((?:get|locator|frame|page|internal|by_|nth|first|last)[\w.]*\(.+)$")
_NAME: Final = re.compile(r"""(["'])((?:\\.|(?!\1).)*)\1(?!.*["'])""")
_STATUS: Final = re.compile(r"^Failed to load resource: the server responded with a status of (\d{3})")
_UNEXPECTED: Final = re.compile(r"^\W*unexpected value (.+)$")
_PATIENCE: Final = re.compile(r"with timeout \d+ ?ms")
_ASSERTION: Final = re.compile(r"""^[Ee]xpect(?:\.|\s+")([\w.]+)""")
_LIBRARIES: Final = ("node_modules", "site-packages", "<")
_ADORNMENTS: Final = frozenset({"image", "font", "media", "stylesheet", "ping", "beacon"})
_REFUSED: Final = 400
_MOST: Final = 500
_LONGEST_MS: Final = 1_000_000_000


def to_trace(records: Records, path: str, begin: float, clock: str) -> TestTrace:
    """The records by the clock that begins at ``begin``, a moment of the wall clock."""
    actions = _actions(records, begin)

    def caused_by(t_ms: int) -> int | None:
        before = [number for number, each in enumerate(actions) if each.t_ms <= t_ms]
        acting = [number for number in before if actions[number].method not in PASSIVE]
        return max(acting or before, default=None)

    messages = tuple(
        TraceMessage(t_ms=at, kind=cast("Any", kind), text=text, place=_bare(place), action=caused_by(at))
        for moment, kind, text, place in records.messages[:_MOST]
        for at in (round(moment - begin),)
    )
    failed = [_failed(entry, begin) for entry in records.requests] if records.requests else _from_console(messages)
    requests = sorted((each for each in failed if each is not None), key=lambda each: each.t_ms)[:_MOST]
    return TestTrace(
        path=path,
        recorder=records.recorder,
        title=records.title,
        clock=cast("Any", clock),
        actions=tuple(actions),
        requests=tuple(each.model_copy(update={"action": caused_by(each.t_ms)}) for each in requests),
        messages=messages,
        ended=("failed" if records.errors else "passed") if records.steps else None,
        error=records.errors[0][0] if records.errors else None,
        error_source=_own_line(records.errors[0][1]) if records.errors else None,
    )


def _actions(records: Records, begin: float) -> list[TraceAction]:
    """The test's own steps with the calls that they made; of a client without steps the calls."""
    by_step = {call.step or call.id: call for call in records.calls.values()}
    found: list[TraceAction] = []
    if records.steps:
        for step in records.steps.values():
            made = _action(step, by_step.get(step.id), begin)
            if step.group is None and step.frames and made is not None:
                found.append(made)
    else:
        found = [made for call in records.calls.values() if call.group is None if (made := _action(call, call, begin))]
    return sorted(found, key=lambda action: action.t_ms)[:_MOST]


def _action(step: Call, call: Call | None, begin: float) -> TraceAction | None:
    assertion = _ASSERTION.match(step.title or (call.title if call is not None else None) or "")
    method = "expect" if assertion else call.method if call is not None else step.method
    if method not in _ACTS:
        return None
    selector = _selector(step, call)
    end = step.end or (call.end if call is not None else None)
    # A failed expectation's step has the whole message, its call but the words "Expect failed" and a log.
    error = step.error or (call.error if call is not None else None)
    if error == "Expect failed" and call is not None:
        error = _with_log(error, call.log)
    return TraceAction(
        t_ms=round((call or step).begin - begin),
        until_ms=None if end is None else round(end - begin),
        method=method,
        title=_title(method, selector, step, call, assertion.group(1) if assertion else None),
        selector=selector,
        source=_source(step, call),
        error=error,
    )


def _with_log(error: str, log: list[str]) -> str:
    """What an expectation says where its client leaves the message to the runner, as Python's does."""
    received = [found[1] for line in log if (found := _UNEXPECTED.match(line))]
    waited = [line.strip() for line in log if _PATIENCE.search(line)]
    return "\n".join([error, *waited[:1], *(f"Received: {each[:300]}" for each in received[-1:])])


def _title(method: str, selector: str | None, step: Call, call: Call | None, assertion: str | None) -> str:
    if assertion is not None or method == "expect":
        return f"expect({selector or ''}).{assertion or 'toPass'}" if selector else f"expect {assertion or ''}".strip()
    word = _WORDS.get(method, method)
    if method == "goto":
        url = str((call or step).params.get("url") or step.params.get("url") or "")
        return f"{word} {_bare(url) or ''}".strip()
    if method in {"press", "keyboardPress"}:
        key = str((call or step).params.get("key") or "")[:20]
        return " ".join(filter(None, (word, key if len(key) > 1 else "", _named(selector))))
    return f"{word} {_named(selector)}".strip()


def _named(selector: str | None) -> str:
    """The last words in quotes of a locator, as people name what it stands for; else the locator."""
    if selector is None:
        return ""
    found = _NAME.search(selector)
    return f'"{found[2]}"' if found and selector.startswith(("getBy", "get_by")) else selector


def _selector(step: Call, call: Call | None) -> str | None:
    for each in (step, call):
        locator = each.params.get("locator") if each is not None else None
        if isinstance(locator, str) and locator:
            return locator[:300]
    for line in call.log if call is not None else ():
        if found := _WAITING.search(line):
            return found[1][:300]
    selector = call.params.get("selector") if call is not None else None
    return selector[:300] if isinstance(selector, str) else None


def _source(step: Call, call: Call | None) -> SourceLine | None:
    return _own_line(step.frames or (call.frames if call is not None else []))


def _own_line(frames: list[tuple[str, int]]) -> SourceLine | None:
    own = [(file, line) for file, line in frames if not any(part in file for part in _LIBRARIES)]
    return SourceLine(file=own[0][0], line=own[0][1]) if own else None


def _failed(entry: Mapping[str, Any], begin: float) -> TraceRequest | None:
    """A request that was refused or not answered; pictures, fonts and the like are no reason of a test's."""
    request, response = _mapping(entry.get("request")), _mapping(entry.get("response"))
    status, failure = response.get("status"), response.get("_failureText")
    url, kind = request.get("url"), entry.get("_resourceType")
    if not isinstance(url, str) or kind in _ADORNMENTS or _path(url).endswith("/favicon.ico"):
        return None
    is_refused = isinstance(status, int) and status >= _REFUSED
    if not is_refused and not isinstance(failure, str):
        return None
    at, took, method = round(float(entry["at"]) - begin), entry.get("time"), request.get("method")
    is_timed = isinstance(took, int | Decimal) and 0 <= took < _LONGEST_MS
    return TraceRequest(
        t_ms=at,
        until_ms=at + round(float(cast("Decimal", took))) if is_timed else None,
        method=method[:20] if isinstance(method, str) else None,
        url=_bare(url) or "",
        status=cast("int", status) if is_refused else None,
        failure=failure[:200] if isinstance(failure, str) else None,
    )


def _from_console(messages: tuple[TraceMessage, ...]) -> list[TraceRequest | None]:
    """A trace without snapshots has no requests, but the browser's own words about those that were refused."""
    return [
        TraceRequest(t_ms=each.t_ms, url=re.sub(r":\d+$", "", each.place), status=int(said[1]))
        for each in messages
        if each.place is not None and (said := _STATUS.match(each.text)) and "/favicon.ico" not in each.place
    ]


def _path(url: str) -> str:
    """The path of an address, empty for one that is none."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _bare(url: str | None) -> str | None:
    """The address without what may be secret: a query, a fragment, a password."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"}:
        return url.partition(",")[0][:300]
    line = re.search(r":\d+$", url) if parts.query or parts.fragment else None
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))[:300] + (line[0] if line else "")


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
