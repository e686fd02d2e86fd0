"""Reads the formats 7 to 10 of Playwright's ``trace.zip`` (1.45 to 1.65) as records on one wall clock.

Each ``*.trace`` begins with its ``context-options``: the format's number, and one moment by the wall clock and by the
process's own, in which all else is told. Of a test of ``@playwright/test`` there is ``test.trace`` (the test's steps,
their lines and errors) beside one file for each browser context; a step and the call that it made share ``callId`` from
format 10 on, before that the call names its ``stepId``. Python's clients write contexts alone, and the lines into
``*.stacks``. Format 9 moved pictures and attachments to folders of their own (``file`` in place of ``sha1``).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, Any, Final, cast

from core.errors import InvalidVideo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from adapters.video.traces.archive import Archive

FORMATS: Final = range(7, 11)
_SNAPSHOT: Final = b'{"type":"frame-snapshot"'
_MOST: Final = 20_000
"""Records of a kind."""
_LONGEST: Final = 2_000
"""Characters of a text."""
_SKEW_MS: Final = 1_000
"""More than this between taking and receiving a picture means that the browser runs by another clock."""
_LATEST_MS: Final = 1e14
"""A moment beyond the year 5000 is none."""
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(slots=True)
class Call:
    """One call of the test's, or of the library's on its behalf."""

    id: str
    begin: float
    method: str
    owner: str
    title: str | None
    params: Mapping[str, Any]
    step: str | None = None
    parent: str | None = None
    group: str | None = None
    """``route``, ``configuration``, …: calls that viewers hide."""
    page: str | None = None
    end: float | None = None
    error: str | None = None
    log: list[str] = field(default_factory=list[str])
    frames: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """File and line, innermost first."""
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of a page."""

    page: str
    at: float
    name: str


@dataclass(slots=True)
class Records:
    """What a trace tells; times are milliseconds of the wall clock."""

    recorder: str = "Playwright"
    language: str = "javascript"
    title: str | None = None
    steps: dict[str, Call] = field(default_factory=dict[str, Call])
    calls: dict[str, Call] = field(default_factory=dict[str, Call])
    pictures: list[Picture] = field(default_factory=list[Picture])
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """HAR entries; ``at`` is added."""
    messages: list[tuple[float, str, str, str | None]] = field(default_factory=list[tuple[float, str, str, str | None]])
    """Moment, kind, text, place."""
    errors: list[tuple[str, list[tuple[str, int]]]] = field(default_factory=list[tuple[str, list[tuple[str, int]]]])
    """What the runner says that the test failed with, and where."""
    end: float = 0.0


def read_records(archive: Archive) -> Records:
    """All but the snapshots of pages. Raises ``InvalidVideo`` when it is no trace, or of an unknown format."""
    names = sorted(name for name in archive.names if name.endswith(".trace"))
    if not names:
        raise InvalidVideo("The zip file is no Playwright trace: it has no *.trace in it. Name a trace.zip or a video.")
    records = Records()
    for name in names:
        _Reader(records).read(archive, name)
    for name in archive.names:
        if name.endswith(".stacks"):
            _read_stacks(records, archive, name)
    records.pictures.sort(key=lambda picture: picture.at)
    return records


class _Reader:
    """Reads one ``*.trace`` and the ``*.network`` that belongs to it."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._wall = 0.0
        self._is_test = False
        self._calls = records.calls
        self._pictures: list[tuple[str, float, float | None, str]] = []

    def read(self, archive: Archive, name: str) -> None:
        lines = archive.lines(name, _SNAPSHOT)
        first = next(lines, None)
        if first is None or first.get("type") != "context-options":
            return
        self._begin(first)
        for line in lines:
            self._take(line)
        for line in archive.lines(f"{name.removesuffix('.trace')}.network", _SNAPSHOT):
            if line.get("type") == "resource-snapshot":
                self._request(line)
        self._place_pictures()

    def _begin(self, line: Mapping[str, Any]) -> None:
        version = line.get("version")
        if version not in FORMATS:
            raise InvalidVideo(
                f"The trace has the format {str(version)[:20]}; those from {FORMATS[0]} to {FORMATS[-1]} are read. "
                "Record it with a Playwright from 1.45 on, or analyse its video."
            )
        records = self._records
        self._wall = _number(line.get("wallTime")) - _number(line.get("monotonicTime"))
        self._is_test = line.get("origin") == "testRunner"
        self._calls = records.steps if self._is_test else records.calls
        if written := _text(line.get("playwrightVersion")):
            records.recorder = f"Playwright {written}"
        records.language = _text(line.get("sdkLanguage")) or records.language
        records.title = records.title or _text(line.get("title"))

    def _at(self, value: object) -> float:
        at = self._wall + _number(value)
        self._records.end = max(self._records.end, at)
        return at

    def _take(self, line: Mapping[str, Any]) -> None:
        match line.get("type"):
            case "before":
                self._before(line)
            case "after" | "input" | "log":
                self._more(line)
            case "screencast-frame":
                self._picture(line)
            case "console":
                where = _mapping(line.get("location"))
                place = _place(_text(where.get("url")), where.get("lineNumber"))
                self._say(line, _text(line.get("messageType")) or "log", _text(line.get("text")), place)
            case "event":
                self._event(line)
            case "error" if self._is_test:
                self._records.errors.append((_text(line.get("message")) or "", _frames(line.get("stack"))))
            case _:
                pass

    def _before(self, line: Mapping[str, Any]) -> None:
        call_id = _text(line.get("callId"))
        if call_id is None or len(self._calls) >= _MOST:
            return
        self._calls[call_id] = Call(
            id=call_id,
            begin=self._at(line.get("startTime")),
            method=_text(line.get("method")) or "",
            owner=_text(line.get("class")) or "",
            title=_text(line.get("title")) or _text(line.get("apiName")),
            params=_mapping(line.get("params")),
            step=_text(line.get("stepId")),
            parent=_text(line.get("parentId")),
            group=_text(line.get("group")),
            page=_text(line.get("pageId")),
            frames=_frames(line.get("stack")),
        )

    def _more(self, line: Mapping[str, Any]) -> None:
        call = self._calls.get(_text(line.get("callId")) or "")
        if call is None:
            return
        if line["type"] == "log":
            call.log.append(_text(line.get("message")) or "")
        elif line["type"] == "input":
            box, point = _mapping(line.get("box")), _mapping(line.get("point"))
            if box:
                call.box = tuple(_number(box.get(side)) for side in ("x", "y", "width", "height"))  # type: ignore[assignment] - four of them
            elif point:
                call.box = (_number(point.get("x")), _number(point.get("y")), 0, 0)
        else:
            call.end = self._at(line.get("endTime"))
            error = _mapping(line.get("error"))
            call.error = _text(error.get("message")) or _text(error.get("name"))
            call.log += [text for each in _listing(_mapping(line.get("result")).get("log")) if (text := _text(each))]

    def _picture(self, line: Mapping[str, Any]) -> None:
        name = _text(line.get("file"))
        if name is None and (digest := _text(line.get("sha1"))):
            name = f"resources/{digest}"
        if name is not None and len(self._pictures) < _MOST:
            swapped = line.get("frameSwapWallTime")
            taken = _number(swapped) if swapped is not None else None
            self._pictures.append((_text(line.get("pageId")) or "", self._at(line.get("timestamp")), taken, name))

    def _place_pictures(self) -> None:
        """By the moment at which the browser showed them, unless its clock is another machine's."""
        late = [received - taken for _, received, taken, _ in self._pictures if taken is not None]
        is_ours = bool(late) and abs(median(late)) < _SKEW_MS
        for page, received, taken, name in self._pictures:
            self._records.pictures.append(Picture(page, taken if taken is not None and is_ours else received, name))

    def _event(self, line: Mapping[str, Any]) -> None:
        params = _mapping(line.get("params"))
        if line.get("method") == "pageError":
            error = _mapping(params.get("error"))
            error = _mapping(error.get("error")) or error
            where = _mapping(params.get("location"))
            name, text = _text(error.get("name")), _text(error.get("message"))
            said = f"{name}: {text}" if name and text else text or name
            self._say(line, "pageerror", said, _place(_text(where.get("url")), where.get("line")))

    def _say(self, line: Mapping[str, Any], kind: str, text: str | None, place: str | None) -> None:
        if text and kind in {"error", "warning", "pageerror"} and len(self._records.messages) < _MOST:
            self._records.messages.append((self._at(line.get("time")), kind, text, place))

    def _request(self, line: Mapping[str, Any]) -> None:
        entry = dict(_mapping(line.get("snapshot")))
        begun = entry.get("_monotonicTime")
        entry["at"] = self._wall + _number(begun) if begun is not None else _moment(entry.get("startedDateTime"))
        if len(self._records.requests) < _MOST:
            self._records.requests.append(entry)


def _read_stacks(records: Records, archive: Archive, name: str) -> None:
    for kept in archive.lines(name, b"\0"):
        files = [_text(each) or "" for each in _listing(kept.get("files"))]
        for pair in _listing(kept.get("stacks")):
            number, stack = (*_listing(pair), None, None)[:2]
            call = records.calls.get(str(number)) or records.calls.get(f"call@{number}")
            if call is None or call.frames:
                continue
            for frame in _listing(stack):
                at, line = (*_listing(frame), None, None)[:2]
                if isinstance(at, int) and isinstance(line, int) and 0 <= at < len(files):
                    call.frames.append((files[at], line))


def _frames(value: object) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for frame in _listing(value):
        inner = _mapping(frame)
        file, line = _text(inner.get("file")), inner.get("line")
        if file and isinstance(line, int):
            found.append((file, line))
    return found


def _place(url: str | None, line: object) -> str | None:
    return f"{url}:{line + 1}" if url and isinstance(line, int) else url


def _moment(value: object) -> float:
    try:
        return datetime.fromisoformat(str(value)).timestamp() * 1000
    except ValueError:
        return 0.0


def _number(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        return 0.0
    return number if abs(number) < _LATEST_MS else 0.0


def _text(value: object) -> str | None:
    return _COLOURS.sub("", value)[:_LONGEST] if isinstance(value, str) and value else None


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _listing(value: object) -> list[Any]:
    return cast("list[Any]", value)[:_MOST] if isinstance(value, list) else []


def main_page(records: Records) -> str | None:
    """The page with most pictures: the one that is watched when the trace has no video."""
    counted = Counter(picture.page for picture in records.pictures)
    return max(counted, key=lambda page: counted[page]) if counted else None


def film(records: Records, page: str | None = None) -> Iterator[Picture]:
    """The pictures of one page in order, no two of one moment."""
    last = float("-inf")
    page = page if page is not None else main_page(records)
    for picture in records.pictures:
        if picture.page == page and picture.at - last >= 1:
            last = picture.at
            yield picture
