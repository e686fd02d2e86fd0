"""A Playwright trace as a film: what each format holds, and zips that anybody may have made."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from adapters.video.decoding.decode import decode
from adapters.video.decoding.survey import survey
from adapters.video.traces.archive import Archive
from core.analysis import Video
from core.errors import InvalidVideo, TooLarge
from tests.fakes.videos.traces import TRACES, members_of, write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.video.decoding.files import Limits

FORMATS = ("failed-7", "failed-8", "failed-9", "failed-10")


@pytest.mark.parametrize("name", FORMATS)
def test_the_pictures_of_each_format_are_a_film_as_long_as_the_test(name: str, limits: Limits) -> None:
    path = TRACES / name / "trace.zip"
    video = Video(**survey(str(path), limits))
    assert video.codec == "mjpeg"
    assert (video.width, video.height) == (320, 240)
    frames = list(decode(path, video, limits=limits, warn=pytest.fail))
    assert frames[0].t_ms == 0
    assert 700 < frames[-1].t_ms <= video.duration_ms < 4_000, "it waited 0.7 s in vain"


def test_a_zip_without_a_trace_says_what_it_lacks(tmp_path: Path, limits: Limits) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("readme.txt", "hello")
    with pytest.raises(InvalidVideo, match="no Playwright trace"):
        survey(str(tmp_path / "a.zip"), limits)


def test_a_trace_without_pictures_says_how_to_record_them(tmp_path: Path, limits: Limits) -> None:
    kept = {name: data for name, data in members_of("failed-10").items() if not name.endswith(".jpeg")}
    with pytest.raises(InvalidVideo, match="screenshots"):
        survey(str(write_trace(tmp_path, kept)), limits)


@pytest.mark.parametrize("version", [6, 11, "x", None])
def test_an_unknown_format_is_refused_by_its_number(tmp_path: Path, limits: Limits, version: object) -> None:
    first = {"type": "context-options", "version": version, "wallTime": 1, "monotonicTime": 1}
    path = write_trace(tmp_path, {"trace.trace": json.dumps(first).encode()})
    with pytest.raises(InvalidVideo, match=f"has the format {version}"):
        survey(str(path), limits)


@pytest.mark.parametrize("size", [0, 30, 2_000, 20_000])
def test_a_torn_zip_is_refused(tmp_path: Path, limits: Limits, size: int) -> None:
    path = tmp_path / "torn.zip"
    path.write_bytes((TRACES / "failed-10" / "trace.zip").read_bytes()[:size])
    with pytest.raises(InvalidVideo):
        survey(str(path), limits)


@pytest.mark.parametrize("end", [b"\n", b""])
def test_what_unpacks_to_too_much_is_refused_before_it_is_in_memory(tmp_path: Path, end: bytes) -> None:
    path = write_trace(tmp_path, {"a.trace": (b"0" * 999_999 + end) * 20})
    assert path.stat().st_size < 50_000
    with path.open("rb") as file, pytest.raises(TooLarge, match="10,000,000"):
        list(Archive(file, most_bytes=10_000_000).lines("a.trace", b"-"))


HOSTILE_LINES: tuple[Any, ...] = (
    b"{" * 100_000,
    b'{"type":"before","callId":' + b"[" * 5_000,
    b'"a text"',
    b"[1, 2]",
    b"\xff\xfe",
    json.dumps({"type": "before", "callId": 1, "params": [], "startTime": "soon", "stack": {"a": 1}}).encode(),
    json.dumps({"type": "before", "callId": "x", "params": "p", "startTime": {}, "stack": [[1], {"file": 1}]}).encode(),
    json.dumps({"type": "after", "callId": "x", "endTime": None, "error": "e", "result": {"log": [1, None]}}).encode(),
    json.dumps({"type": "input", "callId": "x", "box": [1, 2]}).encode(),
    json.dumps({"type": "screencast-frame", "pageId": [], "file": "../../../etc/passwd", "timestamp": "x"}).encode(),
    json.dumps({"type": "screencast-frame", "sha1": "x", "timestamp": 1e308, "frameSwapWallTime": -1e308}).encode(),
    json.dumps({"type": "console", "messageType": "error", "text": ["x"], "location": 3}).encode(),
    json.dumps({"type": "event", "method": "pageError", "params": {"error": {"error": "x"}, "location": "y"}}).encode(),
    b'{"type":"before","callId":"n","startTime":1e999}',
    b'{"type":"console","messageType":"error","text":"' + b"x" * (5 << 20) + b'"}',
)


def test_lines_that_no_playwright_writes_do_not_hide_those_that_it_wrote(tmp_path: Path, limits: Limits) -> None:
    members = members_of("failed-10")
    first, *rest = members["1-trace.trace"].splitlines()
    members["1-trace.trace"] = b"\n".join([first, *HOSTILE_LINES, *rest])
    members["1-trace.network"] += b"\n".join(HOSTILE_LINES)
    members["1-trace.stacks"] = b'{"files":[1],"stacks":[[1],["a",[[9,9]]],["b",[["x","y"],[0]]]]}'
    path = write_trace(tmp_path, members)
    honest = survey(str(TRACES / "failed-10" / "trace.zip"), limits)
    assert survey(str(path), limits)["duration_ms"] == honest["duration_ms"]
