"""A demonstration on a real display: what is in the film and the log, and what stops it."""

import json
import os
import threading
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from adapters.recording.recorder import DemonstrationRecorder
from core.errors import DesktopUnavailable, InvalidPath, InvalidRequest
from core.recording.input_log import Clicked, Dragged, Focused, InputLogHeader, Pressed, Scrolled, Typed, log_beside
from core.recording.recordings import RecordingState
from tests.clock import until
from tests.fakes.desktops.x_programs import Listening, pad, terminal
from tests.fakes.desktops.x_user import Program, User, x_display
from tests.fakes.recordings.demonstrations import (
    border_gone,
    bordered,
    click,
    continuous_motion,
    demonstration,
    length_ms,
    logged,
    milliseconds_since,
    read_reports,
    recording_process,
    screen,
)
from tests.fakes.recordings.films import frames

pytestmark = pytest.mark.screen

ESCAPE, ENTER, TAB, SHIFT, CTRL, ALT, META, SPACE, DOWN = 9, 36, 23, 50, 37, 64, 133, 65, 116
CANARY = {"q": 24, "x": 53, "j": 44, "v": 55, "k": 45, "w": 25, "z": 52}
NEAR_MS = 150


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name:
        yield name


@pytest.fixture
def program(display: str) -> Generator[Program]:
    made = Program(display)
    yield made
    made.close()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "demo.mp4"


def strike(program: Program, *keycodes: int) -> None:
    for keycode in keycodes:
        program.send("key_press", keycode)
    for keycode in reversed(keycodes):
        program.send("key_release", keycode)


def started_at(out: Path) -> float:
    first = log_beside(out).read_bytes().splitlines()[0]
    return InputLogHeader.model_validate_json(first).started_at.timestamp()


def test_what_is_done_is_logged_where_and_when_it_was_done(display: str, program: Program, out: Path) -> None:
    truth: list[tuple[str, int]] = []

    def now(what: str) -> None:
        truth.append((what, milliseconds_since(started_at(out))))

    with pad(display), demonstration(display, out) as recording:
        now("click")
        click(program, 400, 200)
        now("key")
        strike(program, CTRL, 38)
        now("drag")
        program.send("motion", 0, 100, 100)
        program.send("button_press", 1)
        program.send("motion", 0, 333, 222)
        until(lambda: any(state.elapsed_ms > truth[-1][1] + 300 for state in recording.states))
        program.send("button_release", 1)
        now("scroll")
        click(program, 640, 50, 5)
        click(program, 640, 50, 5)
        made = recording.stop()
    log = logged(out)
    assert made.log == log_beside(out)
    assert (log.width, log.height) == (made.width, made.height) == (1280, 720)
    done = [event for event in log.events if not isinstance(event, Focused)]
    for (what, t_ms), event in zip(truth, done, strict=True):
        assert event.kind == what
        assert abs(event.t_ms - t_ms) <= NEAR_MS
    click_, key, drag, scroll = done
    assert isinstance(click_, Clicked)
    assert (click_.x, click_.y, click_.button, click_.count) == (400, 200, "left", 1)
    assert isinstance(key, Pressed)
    assert key.keys == ("ctrl", "a")
    assert isinstance(drag, Dragged)
    assert (drag.x, drag.y, drag.to_x, drag.to_y) == (100, 100, 333, 222)
    assert drag.until_ms >= drag.t_ms + 200
    assert isinstance(scroll, Scrolled)
    assert (scroll.x, scroll.y, scroll.down) == (640, 50, 2)


def test_that_letters_are_typed_is_logged_and_never_which(display: str, program: Program, out: Path) -> None:
    with pad(display) as window, demonstration(display, out):
        for keycode in CANARY.values():
            strike(program, keycode)
        strike(program, SHIFT, CANARY["q"])
        strike(program, SPACE)
        until(lambda: window.ask("page") == "qxjvkwzQ ")
        for chord in ((ENTER,), (SHIFT, TAB), (ALT, DOWN), (META,), (CTRL, SHIFT, CANARY["k"])):
            strike(program, *chord)
    log = log_beside(out).read_bytes()
    events = [event for event in logged(out).events if not isinstance(event, Focused)]
    assert isinstance(events[0], Typed)
    assert events[0].count == 9
    assert [event.keys for event in events[1:] if isinstance(event, Pressed)] == [
        ("enter",),
        ("shift", "tab"),
        ("alt", "down"),
        ("meta",),
        ("ctrl", "shift", "k"),
    ]
    words = {value for line in log.splitlines()[2:] for value in map(str, json.loads(line).values())}
    assert not words & {*CANARY, "qxjvkwz", "qxjvkwzQ "}
    assert b"qxjv" not in log.lower()


def test_a_digit_on_the_keypad_is_typing_and_an_arrow_there_is_none(display: str, program: Program, out: Path) -> None:
    keypad_1, num_lock = 87, 77
    with pad(display), demonstration(display, out):
        strike(program, keypad_1)
        until(lambda: b"kp_end" in log_beside(out).read_bytes())
        strike(program, num_lock)
        strike(program, keypad_1)
        strike(program, num_lock)
    found = [event for event in logged(out).events if not isinstance(event, Focused)]
    assert [getattr(event, "keys", event.kind) for event in found] == [
        ("kp_end",),
        ("num_lock",),
        "typed",
        ("num_lock",),
    ]


def test_the_window_that_has_the_focus_is_logged_with_its_title(display: str, out: Path, tmp_path: Path) -> None:
    with pad(display), demonstration(display, out) as recording:
        with terminal(display, tmp_path / "typed"):
            until(lambda: b'"XTerm"' in log_beside(out).read_bytes())
        until(lambda: log_beside(out).read_bytes().count(b'"Pad"') == 2)
        assert recording.stop().log is not None
    seen = [event.application for event in logged(out).events if isinstance(event, Focused)]
    assert seen == ["Pad", "XTerm", "Pad"]


def test_the_film_shows_the_display_without_the_border(display: str, program: Program, out: Path) -> None:
    with pad(display) as window, demonstration(display, out) as recording:
        assert bordered(display)
        strike(program, CANARY["w"])
        until(lambda: window.ask("page") == "w")
        shown = screen(display)
        recording.go_on(600)
        made = recording.stop()
    assert border_gone(display)
    assert oct(out.stat().st_mode & 0o777) == oct(log_beside(out).stat().st_mode & 0o777) == "0o600"
    assert sorted(path.name for path in out.parent.iterdir()) == ["demo.input.jsonl", "demo.mp4"]
    pictures = frames(out)
    times = [t_ms for t_ms, _ in pictures]
    assert times[0] == 0
    assert times == sorted(set(times))
    assert times[-1] <= made.duration_ms <= times[-1] + 500
    last = pictures[-1][1].astype(np.int16)
    red = (last[..., 0] > 180) & (last[..., 1] < 80) & (last[..., 2] < 80)
    assert not red.any()
    truth = np.stack([shown >> 16 & 255, shown >> 8 & 255, shown & 255], axis=-1).astype(np.int16)
    # Text keeps its contrast; colours lose no more than H.264 takes of them.
    inside = np.abs(last - truth)[8:-8, 8:-8]
    assert np.quantile(inside, 0.99) <= 24
    assert inside.mean() < 3


def test_the_film_and_the_log_have_one_clock(display: str, program: Program, out: Path) -> None:
    with demonstration(display, out) as recording:
        recording.go_on(700)
        # The window manager's menu opens.
        click(program, 640, 600, 3)
        recording.go_on(700)
        strike(program, ESCAPE)
    pressed = next(event.t_ms for event in logged(out).events if isinstance(event, Clicked))
    pictures = frames(out)
    before = pictures[0][1].astype(np.int16)
    seen = next(t_ms for t_ms, picture in pictures if (np.abs(picture - before) > 60).sum() > 5000)
    # A picture later at the latest, and the menu takes its time too.
    assert -20 <= seen - pressed <= 100 + 300


def test_the_border_lets_clicks_through_at_the_very_edge(display: str, program: Program, out: Path) -> None:
    with demonstration(display, out):
        click(program, 1, 300, 3)
        # The window manager's menu opens where the root window was clicked.
        until(lambda: not bool((screen(display)[280:480, 10:60] == screen(display)[5, 640]).all()))
        strike(program, ESCAPE)
    assert Clicked in {type(event) for event in logged(out).events}


def test_the_border_comes_back_above_a_window_that_covers_it(display: str, out: Path) -> None:
    with demonstration(display, out):
        cover = Listening(display)
        until(lambda: bordered(display))
        cover.close()


def test_esc_of_the_user_stops_and_that_of_a_program_is_logged(display: str, program: Program, out: Path) -> None:
    with demonstration(display, out) as recording:
        user = User(display)
        strike(program, ESCAPE)
        # With a modifier it is a shortcut of somebody else's.
        user.key(ALT, down=True)
        user.key(ESCAPE, down=True)
        user.key(ESCAPE, down=False)
        user.key(ALT, down=False)
        until(lambda: b'"alt","escape"' in log_beside(out).read_bytes())
        assert recording.result is None
        user.key(ESCAPE, down=True)
        user.key(ESCAPE, down=False)
        made = recording.ended()
    assert made.stopped_by == "escape"
    assert border_gone(display)
    keys = [event.keys for event in logged(out).events if isinstance(event, Pressed)]
    assert keys == [("escape",), ("alt", "escape")]


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        pytest.param({"seconds": 1.0}, ("time", ""), marks=pytest.mark.nightly),
        pytest.param({"max_seconds": 1.0}, ("limit", "reached 1 s"), marks=pytest.mark.nightly),
        ({"max_bytes": 400_000}, ("limit", "reached 400000 bytes")),
    ],
)
def test_a_limit_stops_it_and_what_was_recorded_is_kept(
    display: str, out: Path, options: dict[str, float], ending: tuple[str, str]
) -> None:
    with continuous_motion(display), demonstration(display, out, **options) as recording:
        made = recording.ended()
    assert made.stopped_by == ending[0]
    assert bool(made.warnings) == bool(ending[1])
    assert ending[1] in "".join(made.warnings)
    assert made.size_bytes == out.stat().st_size <= options.get("max_bytes", made.size_bytes)
    assert made.duration_ms <= 1000 * options.get("max_seconds", options.get("seconds", 60))
    assert frames(out)[-1][0] <= made.duration_ms
    assert abs(length_ms(out) - made.duration_ms) <= 1


def test_the_ctrl_c_that_stops_it_is_no_part_of_it(display: str, program: Program, out: Path) -> None:
    with pad(display), demonstration(display, out) as recording:
        strike(program, CTRL, 54)
        strike(program, CTRL, 55)
        until(lambda: b'"v"' in log_beside(out).read_bytes())
        strike(program, CTRL, 54)
        recording.stop()
    keys = [event.keys for event in logged(out).events if isinstance(event, Pressed)]
    assert keys == [("ctrl", "c"), ("ctrl", "v")]


def test_the_border_is_gone_when_recording_fails(display: str, out: Path) -> None:
    def broken(state: RecordingState) -> None:
        raise ZeroDivisionError(state.display)

    with pytest.raises(ZeroDivisionError):
        DemonstrationRecorder(display=display, microphone="none").record(out, threading.Event(), broken)
    assert border_gone(display)
    assert frames(out)


@pytest.mark.nightly
def test_a_killed_recorder_leaves_no_border_and_a_film_that_can_be_played(
    display: str, program: Program, out: Path
) -> None:
    with pad(display) as window, recording_process(display, out) as process:
        assert bordered(display)
        assert process.stdout is not None
        typed = 0
        elapsed = 0
        while elapsed < 3000:
            strike(program, CANARY["j"])
            typed += 1
            elapsed = json.loads(process.stdout.readline())["state"]["elapsed_ms"]
        click(program, 300, 300)
        until(lambda: b'"click"' in log_beside(out).read_bytes())
        process.kill()
        process.wait()
        until(lambda: border_gone(display), 1.0)
        window.ask("clear")
    assert frames(out)[-1][0] >= elapsed - 2000
    events = logged(out).events
    assert any(isinstance(event, Clicked) and (event.x, event.y) == (300, 300) for event in events)
    assert sum(event.count for event in events if isinstance(event, Typed)) == typed


def test_a_full_disk_ends_it_and_what_is_there_can_be_played(display: str, out: Path) -> None:
    with continuous_motion(display), recording_process(display, out, file_bytes=300_000) as process:
        made = read_reports(process)["recording"]
    assert made["stopped_by"] == "disk"
    assert "too large" in made["warnings"][-1]
    assert border_gone(display)
    assert len(frames(out)) > 1
    assert out.stat().st_size <= 300_000
    assert sorted(path.name for path in out.parent.iterdir()) == ["demo.input.jsonl", "demo.mp4"]


def test_what_cannot_be_recorded_is_refused_before_anything_is_made(display: str, tmp_path: Path) -> None:
    there = tmp_path / "there.mp4"
    there.write_bytes(b"mine")
    (tmp_path / "old.input.jsonl").write_bytes(b"mine")
    wayland = {"DISPLAY": display, "WAYLAND_DISPLAY": "wayland-0"}
    for name, path, environment, error, words in (
        ("private", "a.mp4", {}, InvalidRequest, "private display shows nothing"),
        (":9876", "a.mp4", {}, DesktopUnavailable, "no display ':9876'"),
        ("current", "a.mp4", {}, DesktopUnavailable, "DISPLAY is not set"),
        ("current", "a.mp4", wayland, DesktopUnavailable, "Wayland session"),
        (display, "a.webm", {}, InvalidRequest, "ends in .mp4"),
        (display, "there.mp4", {}, InvalidPath, "is there already"),
        (display, "old.mp4", {}, InvalidPath, "is there already"),
        (display, "no/a.mp4", {}, InvalidPath, "There is no folder"),
    ):
        recorder = DemonstrationRecorder(display=name, microphone="none", environment=environment)
        with pytest.raises(error, match=words):
            recorder.record(tmp_path / path, threading.Event(), print)
    with pytest.raises(InvalidRequest, match="at most 300"):
        DemonstrationRecorder(seconds=301)
    assert sorted(os.listdir(tmp_path)) == ["old.input.jsonl", "there.mp4"]  # noqa: PTH208 - names
    assert there.read_bytes() == b"mine"
