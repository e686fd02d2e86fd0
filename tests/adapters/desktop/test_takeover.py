import os
import random
import signal
import statistics
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, get_args

import pytest
from xcffib import xproto

from adapters.desktop.x11.raw_input import Kind, SentEvents
from adapters.desktop.x11.takeover import Takeover, TakeoverWatch
from core.errors import DesktopUnavailable
from core.screens import Point
from tests.clock import until, within
from tests.fakes.desktops.x_user import Program, User, connected, server_process, x_display

pytestmark = pytest.mark.screen

A, B, SHIFT, CTRL, ALT, ESCAPE, SPARE = 38, 56, 50, 37, 64, 9, 58


class Told:
    """What the watch has told."""

    def __init__(self) -> None:
        self.all: list[Takeover] = []
        self._arrived = threading.Condition()

    def __call__(self, takeover: Takeover) -> None:
        with self._arrived:
            self.all.append(takeover)
            self._arrived.notify_all()

    def wait(self, count: int = 1, seconds: float = 5.0) -> list[Takeover]:
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.all) >= count, seconds), "nothing was told"
            return list(self.all)


class Agent(Program):
    """Our own hands: each event is told to the ledger right before it is sent."""

    def __init__(self, display: str, ledger: SentEvents) -> None:
        super().__init__(display)
        self._ledger = ledger

    def queue(self, kind: str, detail: int = 0, x: int = 0, y: int = 0) -> None:
        known = next(one for one in get_args(Kind) if one == kind)
        self._ledger.record(known, detail)
        super().queue(kind, detail, x, y)


class Scene:
    def __init__(self, display: str) -> None:
        self.display = display
        self.ledger, self.reported, self.lost = SentEvents(), Told(), list[str]()
        self.watch = TakeoverWatch(display, self.ledger, self.reported, lost=self.lost.append)
        self.agent, self.user, self.program = Agent(display, self.ledger), User(display), Program(display)

    def caught_up(self) -> bool:
        return not self.ledger.outstanding

    def close(self) -> None:
        self.watch.close()
        for one in (self.agent, self.user, self.program):
            one.close()


@contextmanager
def _scene(display: str) -> Generator[Scene]:
    made = Scene(display)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display(800, 600, manager=False) as name:
        yield name


@pytest.fixture
def scene(display: str) -> Generator[Scene]:
    with _scene(display) as made:
        yield made


def test_letters_that_overtake_a_click_which_a_window_manager_still_holds_are_no_takeover(scene: Scene) -> None:
    """Openbox grabs a click with the pointer frozen, and lets it through when it has raised the window."""
    with connected(scene.display) as manager:
        root = manager.setup.roots[0].root
        grab = (True, root, xproto.EventMask.ButtonPress, xproto.GrabMode.Sync, xproto.GrabMode.Async, 0, 0, 1, 0x8000)
        manager.core.GrabButtonChecked(*grab).check()
        for kind, detail in (("motion", 0), ("button_press", 1), ("motion", 0), ("button_release", 1)):
            scene.agent.queue(kind, detail, 100, 100)
        for kind in ("key_press", "key_release"):
            scene.agent.queue(kind, A)
        until(lambda: manager.poll_for_event() is not None)
        manager.core.AllowEventsChecked(xproto.Allow.ReplayPointer, xproto.Time.CurrentTime).check()
        until(scene.caught_up)
        manager.core.UngrabButtonChecked(1, root, 0x8000).check()

    assert scene.reported.all == []


def _act(agent: Program, chance: random.Random, down: dict[tuple[str, int], None]) -> None:
    """One of the events that a run sends, in any order that a run can send them in."""
    choice = chance.randrange(4)
    if choice == 0 or not (down or choice < 3):
        agent.queue("motion", 0, chance.randrange(-20, 900), chance.randrange(-20, 700))
    elif choice == 1 and down:
        what, detail = chance.choice(list(down))
        del down[what, detail]
        agent.queue(f"{what}_release", detail)
    else:
        what, detail = chance.choice(
            [("key", A), ("key", B), ("key", SHIFT), ("key", CTRL), ("button", 1), ("button", 5)]
        )
        agent.queue(f"{what}_press", detail)
        down[what, detail] = None


def _let_go(agent: Program, down: dict[tuple[str, int], None]) -> None:
    for what, detail in down:
        agent.queue(f"{what}_release", detail)
    agent.sync()


def test_three_thousand_mixed_events_of_our_own_are_no_takeover(scene: Scene) -> None:
    chance, down = random.Random(1), dict[tuple[str, int], None]()
    for _ in range(3000):
        _act(scene.agent, chance, down)
    _let_go(scene.agent, down)
    scene.agent.send("motion", 0, 7, 7)
    until(scene.caught_up)
    scene.user.move(0, 0)  # whatever came before it has been taken when the next is told
    scene.user.key(A, down=True)
    scene.user.key(A, down=False)
    assert [(one.source, one.detail) for one in scene.reported.wait()] == [("user", "pressed a key")]


@pytest.mark.parametrize(
    ("what", "detail"),
    [
        ("key_press", "pressed a key"),
        ("button_press", "pressed a mouse button"),
        ("motion", "moved the mouse"),
    ],
)
def test_each_input_of_the_user_takes_over(scene: Scene, what: str, detail: str) -> None:
    if what == "motion":
        scene.user.move(1, 0)
    elif what == "key_press":
        scene.user.key(A, down=True)
    else:
        scene.user.button(1, down=True)
    assert [(one.source, one.detail) for one in scene.reported.wait()] == [("user", detail)]
    scene.user.key(A, down=False)
    scene.user.button(1, down=False)


@pytest.mark.parametrize(("dx", "dy"), [(1, 0), (0, 1), (-1, 0), (0, -1)])
def test_a_mouse_that_moves_by_one_unit_takes_over(scene: Scene, dx: int, dy: int) -> None:
    scene.user.move(dx, dy)
    assert scene.reported.wait()[0].source == "user"


def test_a_mouse_event_that_moves_nothing_is_no_takeover(scene: Scene) -> None:
    scene.user.move(0, 0)
    scene.program.send("key_press", A)
    scene.program.send("key_release", A)
    assert scene.reported.wait()[0].source == "foreign"


def test_input_that_another_program_injects_takes_over(scene: Scene) -> None:
    scene.agent.send("motion", 0, 100, 100)
    scene.program.send("motion", 0, 300, 300)
    takeover = scene.reported.wait()[0]
    assert (takeover.source, takeover.sentence) == ("foreign", "Another program moved the mouse.")


def test_every_foreign_event_between_ours_is_caught(scene: Scene) -> None:
    chance, down = random.Random(2), dict[tuple[str, int], None]()
    for caught in range(60):
        for _ in range(chance.randrange(1, 12)):
            _act(scene.agent, chance, down)
        # One of each device at the end: what the server has swallowed of it before is known then.
        for kind, detail in (("motion", 0), ("key_press", SPARE), ("key_release", SPARE)):
            scene.agent.send(kind, detail, 7, 7)
        until(scene.caught_up)
        assert len(scene.reported.all) == caught
        kind, detail = chance.choice([("motion", 0), ("key_press", 57), ("button_press", 9)])
        scene.program.send(kind, detail, 5, 5)
        scene.reported.wait(caught + 1)
        if kind != "motion":
            scene.program.send(kind.replace("press", "release"), detail)
            until(lambda: scene.watch.quiet_seconds > 0)
        scene.watch.rearm()
    _let_go(scene.agent, down)


def test_a_foreign_event_that_looks_like_ours_is_caught_by_ours_being_one_too_many(scene: Scene) -> None:
    scene.ledger.record("key_press", A)
    scene.program.send("key_press", A)
    until(scene.caught_up)
    assert not scene.reported.all
    scene.program.send("key_press", A)  # ours, whose credit the other one took
    assert scene.reported.wait()[0].source == "foreign"
    scene.program.send("key_release", A)


def test_a_credit_for_what_the_server_swallowed_excuses_nobody_later(scene: Scene) -> None:
    scene.agent.send("key_press", SHIFT)
    scene.agent.send("key_press", SHIFT)  # the server reports a modifier once
    scene.agent.send("key_release", SHIFT)
    until(scene.caught_up)
    scene.program.send("key_press", SHIFT)
    assert scene.reported.wait()[0].source == "foreign"
    scene.program.send("key_release", SHIFT)


def test_a_program_that_only_lets_go_takes_nothing_over(scene: Scene) -> None:
    scene.agent.send("button_press", 1)
    scene.program.send("button_release", 1)
    scene.agent.send("button_release", 1)
    until(scene.caught_up)
    assert not scene.reported.all
    scene.program.send("button_press", 1)
    assert [one.source for one in scene.reported.wait()] == ["foreign"]
    scene.program.send("button_release", 1)


def test_a_pointer_that_a_program_has_put_elsewhere_is_noticed(scene: Scene) -> None:
    scene.agent.send("motion", 0, 200, 200)
    assert not scene.watch.pointer_moved_away(Point(x=200, y=200))
    scene.program.warp(400, 300)
    assert scene.watch.pointer_moved_away(Point(x=200, y=200))
    assert [one.source for one in scene.reported.wait()] == ["pointer"]


def test_a_takeover_is_told_once_until_the_watch_is_rearmed(scene: Scene) -> None:
    for _ in range(20):
        scene.user.move(1, 1)
    scene.reported.wait()
    last = scene.watch.last_input
    scene.user.move(1, 1)
    until(lambda: scene.watch.last_input > last)
    assert len(scene.reported.all) == 1
    scene.watch.rearm()
    scene.user.move(1, 1)
    assert len(scene.reported.wait(2)) == 2


def test_the_user_is_quiet_only_when_nothing_is_held(scene: Scene) -> None:
    scene.user.button(1, down=True)
    scene.reported.wait()
    assert scene.watch.quiet_seconds == 0
    scene.agent.send("motion", 0, 10, 10)
    until(scene.caught_up)
    assert scene.watch.quiet_seconds == 0
    scene.user.button(1, down=False)
    until(lambda: scene.watch.quiet_seconds > 0.05)


def test_input_is_seen_while_another_program_has_grabbed_it(scene: Scene) -> None:
    with connected(scene.display) as x:
        root, mode = x.setup.roots[0].root, xproto.GrabMode.Async
        assert x.core.GrabKeyboard(0, root, 0, mode, mode).reply().status == 0
        assert x.core.GrabPointer(0, root, 0, mode, mode, 0, 0, 0).reply().status == 0
        scene.agent.send("motion", 0, 50, 50)
        scene.agent.send("key_press", A)
        scene.agent.send("key_release", A)
        until(scene.caught_up)
        assert not scene.reported.all
        scene.user.key(B, down=True)
        assert scene.reported.wait()[0].source == "user"
        scene.user.key(B, down=False)


def _press_hot_key(scene: Scene) -> None:
    for key in (CTRL, ALT, ESCAPE):
        scene.user.key(key, down=True)
    for key in (ESCAPE, ALT, CTRL):
        scene.user.key(key, down=False)


def test_the_hot_key_is_told_even_after_a_takeover(scene: Scene) -> None:
    scene.user.move(3, 3)
    scene.reported.wait()
    _press_hot_key(scene)
    assert [one.source for one in scene.reported.wait(2)] == ["user", "hotkey"]


@pytest.mark.parametrize("lock", [66, 77])  # Caps_Lock, Num_Lock
def test_the_hot_key_works_and_reaches_no_program_whatever_is_locked(scene: Scene, lock: int) -> None:
    assert scene.watch.hot_key_grabbed
    with connected(scene.display) as x:
        screen, window = x.setup.roots[0], x.generate_id()
        values = [xproto.EventMask.KeyPress]
        x.core.CreateWindow(
            24, window, screen.root, 0, 0, 99, 99, 0, 1, screen.root_visual, xproto.CW.EventMask, values
        )
        x.core.MapWindow(window)
        x.core.SetInputFocus(0, window, 0)
        x.core.GetInputFocus().reply()
        for down in (True, False):
            scene.user.key(lock, down=down)
        _press_hot_key(scene)
        assert scene.reported.wait(2)[1].source == "hotkey"
        for down in (True, False):
            scene.user.key(lock, down=down)
        x.core.GetInputFocus().reply()
        events: list[Any] = list(iter(x.poll_for_event, None))
        # A display on which a key is pressed for the first time tells its map of keys as well.
        arrived = [getattr(event, "detail", None) for event in events]
        assert CTRL in arrived
        assert ESCAPE not in arrived


def test_a_hot_key_that_somebody_has_taken_stops_a_run_all_the_same(display: str) -> None:
    with connected(display) as x:
        mode = xproto.GrabMode.Async
        x.core.GrabKey(0, x.setup.roots[0].root, 4 | 8, ESCAPE, mode, mode)
        x.core.GetInputFocus().reply()
        with _scene(display) as scene:
            assert not scene.watch.hot_key_grabbed
            _press_hot_key(scene)
            assert scene.reported.wait(2)[1].source == "hotkey"


def test_a_hot_key_that_comes_from_a_remote_desktop_stops_a_run(scene: Scene) -> None:
    for key in (CTRL, ALT, ESCAPE):
        scene.program.send("key_press", key)
    for key in (ESCAPE, ALT, CTRL):
        scene.program.send("key_release", key)
    assert [one.source for one in scene.reported.wait(2)] == ["foreign", "hotkey"]


def test_the_hot_key_pressed_by_the_run_itself_stops_nothing(scene: Scene) -> None:
    for key in (CTRL, ALT, ESCAPE):
        scene.agent.send("key_press", key)
    for key in (ESCAPE, ALT, CTRL):
        scene.agent.send("key_release", key)
    until(scene.caught_up)
    assert not scene.reported.all


def test_a_watch_without_a_hot_key_grabs_nothing(display: str) -> None:
    reported = Told()
    watch, user = TakeoverWatch(display, SentEvents(), reported, hot_key=()), User(display)
    assert not watch.hot_key_grabbed
    for down in (True, False):
        user.key(ESCAPE, down=down)
    assert [one.source for one in reported.wait()] == ["user"]
    watch.close()
    user.close()


def test_a_takeover_is_noticed_within_milliseconds(scene: Scene) -> None:
    took: list[float] = []
    for number in range(200):
        scene.watch.rearm()
        began = time.monotonic()
        scene.user.move(1 if number % 2 else -1, 0)
        took.append(scene.reported.wait(number + 1)[-1].at - began)
    within(0.005, statistics.median(took))
    within(0.1, sorted(took)[197])


def test_a_display_that_dies_is_told_and_the_watch_still_ends() -> None:
    with x_display(320, 240, manager=False) as display, connected(display) as x:
        lost: list[str] = []
        watch = TakeoverWatch(display, SentEvents(), Told(), lost=lost.append)
        os.kill(server_process(x), signal.SIGKILL)
        until(lambda: bool(lost))
        assert "gone away" in lost[0]
        watch.close()


def test_a_display_that_is_not_there_is_refused() -> None:
    with pytest.raises(DesktopUnavailable):
        TakeoverWatch(":4711", SentEvents(), Told())
