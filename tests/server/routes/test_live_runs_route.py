"""A run while it goes on, over HTTP: how it looks, holding it, and acting on its display."""

from __future__ import annotations

import io
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from core.actions import Action, Click, Key, Type
from core.errors import ActionFailed
from core.jobs import Stage
from core.runs.budget import Budget, Limits
from core.runs.live import LiveRun
from core.screens import Picture, Point
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.desktops.drawn_desktop import DrawnDesktop
from tests.fakes.jobs.contexts import FakeContext

RED, BLUE = b"\x00\x00\xff\xff", b"\xff\x00\x00\xff"


class PaintedDesktop(DrawnDesktop):
    """Its screen is one colour, as blue, green, red and a byte that does not count."""

    size = (400, 200)
    colour = RED

    def peek(self) -> Picture:
        return Picture(*self.size, self.colour * (self.size[0] * self.size[1]), -1.0)


class Going:
    """A run that goes on in a thread, as far as the routes see it: it waits while it is held."""

    def __init__(self, job_id: str, desktop: PaintedDesktop) -> None:
        self.job_id = job_id
        self.desktop = desktop
        self.context = FakeContext(job_id=job_id)
        self.inputs = 0

    @contextmanager
    def on(self, daemon: Daemon) -> Generator[Going]:
        budget = Budget(Limits(), lambda _: 0.0)
        ended = threading.Event()
        with daemon.services.live.during(self.job_id, budget) as run, run.shows(self.desktop):
            thread = threading.Thread(target=self._work, args=(run, ended))
            thread.start()
            try:
                yield self
            finally:
                run.hold.resume()
                ended.set()
                thread.join(5)

    def _work(self, run: LiveRun, ended: threading.Event) -> None:
        while not ended.wait(0.005):
            if run.hold.is_wanted:
                self.inputs += run.hold.wait(self.desktop, self.context.raise_if_cancelled)


@pytest.fixture
def job_id(daemon: Daemon, tmp_path: Path) -> str:
    (tmp_path / "a.mp4").write_bytes(b"1")
    answer = daemon.http.post(
        "/analyse",
        json={"video_path": str(tmp_path / "a.mp4"), "metadata": {"endless": True}},
        headers={"Prefer": "respond-async"},
    )
    return answer.json()["job_id"]


@pytest.fixture
def going(daemon: Daemon, job_id: str) -> Iterator[Going]:
    with Going(job_id, PaintedDesktop()).on(daemon) as run:
        yield run


def post(daemon: Daemon, going: Going, what: str, body: Any = None) -> Any:
    return daemon.http.post(f"/jobs/{going.job_id}/{what}", json={} if body is None else body)


def test_a_run_is_held_driven_and_resumed(daemon: Daemon, going: Going) -> None:
    held = post(daemon, going, "hold")
    clicked = post(daemon, going, "input", {"action": "double_click", "at": {"x": 3, "y": 4}})
    typed = post(daemon, going, "input", {"action": "type", "text": "open sesame"})
    pressed = post(daemon, going, "input", {"action": "key", "keys": ["Control", "ArrowLeft"]})
    resumed = post(daemon, going, "resume")

    assert (held.status_code, held.json()["live"]["held"], resumed.json()["live"]["held"]) == (200, "held", "no")
    assert [answer.json() for answer in (clicked, typed, pressed)] == [{"done": True, "reason": ""}] * 3
    assert going.desktop.acted == [
        Click(action="double_click", at=Point(x=3, y=4)),
        Type(text="open sesame"),
        Key(keys=("ctrl", "left")),
    ]
    assert "sesame" not in f"{daemon.jobs.stored}"
    until(lambda: going.inputs == 3)


def test_input_is_taken_only_while_a_run_is_held(daemon: Daemon, going: Going) -> None:
    body = {"action": "left_click", "at": {"x": 1, "y": 1}}
    before = post(daemon, going, "input", body)
    post(daemon, going, "hold")
    post(daemon, going, "resume")
    after = post(daemon, going, "input", body)

    assert (before.status_code, after.status_code) == (409, 409)
    assert going.desktop.acted == []


@pytest.mark.parametrize(
    "body",
    [
        {"action": "open_app", "name": "xterm"},
        {"action": "key", "keys": ["no such key"]},
        {"action": "left_click", "at": {"x": 1, "y": 1}, "modifiers": ["nothing"]},
        {"action": "scroll", "notches": 1000},
        {"action": "type"},
        {},
    ],
)
def test_what_is_no_input_is_refused_in_the_one_error_shape(daemon: Daemon, going: Going, body: dict[str, Any]) -> None:
    post(daemon, going, "hold")
    answer = post(daemon, going, "input", body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


def test_an_input_that_the_display_cannot_do_says_why(daemon: Daemon, job_id: str) -> None:
    def refuse(_desktop: DrawnDesktop, _action: Action) -> None:
        raise ActionFailed("The point is outside the screen.")

    with Going(job_id, PaintedDesktop(react=refuse)).on(daemon) as going:
        post(daemon, going, "hold")
        answer = post(daemon, going, "input", {"action": "left_click", "at": {"x": 9000, "y": 1}})

    assert (answer.status_code, answer.json()) == (200, {"done": False, "reason": "The point is outside the screen."})


@pytest.mark.parametrize("what", ["hold", "resume", "input"])
def test_what_is_no_run_cannot_be_held(daemon: Daemon, job_id: str, what: str) -> None:
    body = {"action": "type", "text": "a"} if what == "input" else {}
    known = daemon.http.post(f"/jobs/{job_id}/{what}", json=body)
    unknown = daemon.http.post(f"/jobs/nothing/{what}", json=body)

    assert (known.status_code, unknown.status_code) == (409, 404)


def test_the_screen_is_told_as_it_is_now_and_only_when_it_has_changed(daemon: Daemon, going: Going) -> None:
    path = f"/jobs/{going.job_id}/screen.jpg"
    first = daemon.http.get(path)
    again = daemon.http.get(path, headers={"If-None-Match": first.headers["etag"]})
    small = daemon.http.get(path, params={"width": 100})
    going.desktop.colour = BLUE
    changed = daemon.http.get(path, headers={"If-None-Match": first.headers["etag"]})

    assert (first.status_code, first.headers["content-type"]) == (200, "image/jpeg")
    assert first.headers["cache-control"] == "no-store"
    assert (again.status_code, again.content) == (304, b"")
    assert Image.open(io.BytesIO(small.content)).size == (100, 50)
    assert changed.status_code == 200
    red, blue = (Image.open(io.BytesIO(each.content)).getpixel((200, 100)) for each in (first, changed))
    assert isinstance(red, tuple)
    assert isinstance(blue, tuple)
    assert (red[0] > 200, blue[2] > 200) == (True, True)


def test_a_job_without_a_display_has_no_screen(daemon: Daemon, job_id: str) -> None:
    assert daemon.http.get(f"/jobs/{job_id}/screen.jpg").status_code == 404
    assert daemon.http.get("/jobs/nothing/screen.jpg").status_code == 404


def test_a_job_tells_at_once_what_it_asks_and_how_its_run_stands(daemon: Daemon, going: Going) -> None:
    asked = threading.Event()
    going.context.on_event(Stage.APPROVAL_ASKED, lambda _: asked.set())
    approvals = daemon.services.approvals
    question = threading.Thread(
        target=lambda: approvals.ask(going.context, 'Click "Pay"?', going.context.raise_if_cancelled)
    )
    question.start()
    assert asked.wait(5)
    job = daemon.http.get(f"/jobs/{going.job_id}").json()
    listed = daemon.http.get("/jobs").json()["jobs"][0]
    approvals.answer(going.job_id, job["approval"]["approval_id"], agree=False)
    question.join(5)

    assert (job["approval"]["question"], 25 < job["approval"]["seconds_left"] <= 30) == ('Click "Pay"?', True)
    assert (job["live"]["held"], job["live"]["size"], job["live"]["spent"]["steps"]) == ("no", [400, 200], 0)
    assert listed["approval"]["approval_id"] == job["approval"]["approval_id"]
    assert daemon.http.get(f"/jobs/{going.job_id}").json()["approval"] is None
