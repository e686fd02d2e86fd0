import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xcffib import xproto

from adapters.desktop.settling import pixels
from adapters.desktop.x11.overlay import Overlay
from adapters.desktop.x11.screen import X11Screen
from adapters.desktop.x11.windows import WindowList
from core.errors import DesktopUnavailable
from core.screens import Picture, Point
from tests.clock import until
from tests.fakes.desktops.x_user import Program, connected, running, set_monitors, started, x_display

pytestmark = pytest.mark.screen

RED, GREEN, BLUE = 0xFFFF0000, 0xFF00FF00, 0xFF0000FF


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name:
        yield name


@pytest.fixture
def screen(display: str) -> Generator[X11Screen]:
    made = X11Screen(display)
    yield made
    made.close()


@contextmanager
def overlaid(display: str, text: str = "Click “Save”") -> Generator[Overlay]:
    overlay = Overlay(display)
    try:
        assert overlay.shown
        overlay.show(text)
        yield overlay
    finally:
        overlay.close()


def raw(display: str) -> Any:
    """What a viewer sees: the pixels of the root window as they are."""
    with connected(display) as x:
        root = x.setup.roots[0]
        size = root.width_in_pixels, root.height_in_pixels
        reply = x.core.GetImage(xproto.ImageFormat.ZPixmap, root.root, 0, 0, *size, 0xFFFFFFFF).reply()
        return np.frombuffer(reply.data.raw, np.uint32).reshape(size[1], size[0]) | np.uint32(0xFF000000)


def plain_window(x: Any, box: tuple[int, int, int, int], colour: int, *, border: int = 0, depth: int = 24) -> int:
    """A window of one colour that no window manager touches."""
    screen, window = x.setup.roots[0], x.generate_id()
    visual, colours = screen.root_visual, 0
    if depth == 32:
        visual = next(d for d in screen.allowed_depths if d.depth == 32).visuals[0].visual_id
        colours = x.generate_id()
        x.core.CreateColormap(0, colours, screen.root, visual)
    which = xproto.CW.BackPixel | xproto.CW.BorderPixel | xproto.CW.OverrideRedirect | xproto.CW.EventMask
    values = [colour, BLUE, 1, xproto.EventMask.ButtonPress]
    if depth == 32:
        which, values = which | xproto.CW.Colormap, [*values, colours]
    x.core.CreateWindow(depth, window, screen.root, *box, border, 1, visual, which, values)
    x.core.MapWindow(window)
    x.core.GetInputFocus().reply()
    return window


def settled(screen: X11Screen, seconds: float = 0.3) -> Picture:
    """A look that has been the same for a while."""
    last, since = screen.grab(), time.monotonic()

    def rested() -> bool:
        nonlocal last, since
        last, before = screen.grab(), last
        if last.bgra != before.bgra:
            since = time.monotonic()
        return time.monotonic() - since > seconds

    until(rested)
    return last


def same(one: Picture, other: Picture) -> bool:
    return one.bgra == other.bgra


def test_the_overlay_is_seen_by_the_user_and_in_no_picture_over_the_bare_root(display: str, screen: X11Screen) -> None:
    before = settled(screen)
    with overlaid(display) as overlay:
        box = overlay.box
        shown = raw(display)[box.y : box.y + box.height, box.x : box.x + box.width]
        assert len(np.unique(shown)) > 20  # letters, smoothed
        assert same(screen.grab(), before)
    assert same(screen.grab(), before)
    assert np.array_equal(raw(display), pixels(before))


def test_the_background_of_the_root_is_seen_beneath_the_overlay(display: str, screen: X11Screen) -> None:
    with connected(display) as x:
        root = x.setup.roots[0].root
        pixmap, context = x.generate_id(), x.generate_id()
        x.core.CreatePixmap(24, pixmap, root, 7, 5)
        x.core.CreateGC(context, pixmap, xproto.GC.Foreground, [RED & 0xFFFFFF])
        x.core.PolyFillRectangle(pixmap, context, 1, [xproto.RECTANGLE.synthetic(0, 0, 7, 5)])
        x.core.ChangeGC(context, xproto.GC.Foreground, [GREEN & 0xFFFFFF])
        x.core.PolyFillRectangle(pixmap, context, 1, [xproto.RECTANGLE.synthetic(2, 1, 3, 2)])

        def paint(value: int) -> None:
            which = xproto.CW.BackPixmap if value == pixmap else xproto.CW.BackPixel
            x.core.ChangeWindowAttributes(root, which, [value])
            x.core.ClearArea(0, root, 0, 0, 0, 0)
            x.core.GetInputFocus().reply()

        paint(pixmap)
        tiled = screen.grab()
        assert len(np.unique(pixels(tiled))) == 2
        with overlaid(display):
            assert same(screen.grab(), tiled)
            paint(0x123456)
            plain = screen.grab()
            assert np.array_equal(np.unique(pixels(plain)), [0xFF123456])
            paint(pixmap)
            assert same(screen.grab(), tiled)
        paint(0)


def test_windows_beneath_are_seen_whole_whatever_their_shape_border_or_depth(display: str, screen: X11Screen) -> None:
    with connected(display) as x, ExitStack() as stack:
        from xcffib import shape  # noqa: PLC0415 - here alone

        made = [
            plain_window(x, (300, -20, 200, 60), RED),
            plain_window(x, (420, 10, 200, 20), GREEN, border=7),
            plain_window(x, (600, 5, 120, 30), 0x80FFAA33, depth=32),
            plain_window(x, (700, 0, 300, 90), BLUE),
        ]
        holes = [xproto.RECTANGLE.synthetic(0, 0, 40, 60), xproto.RECTANGLE.synthetic(80, 20, 50, 10)]
        x(shape.key).Rectangles(shape.SO.Set, shape.SK.Bounding, 0, made[3], 0, 0, len(holes), holes)
        x.core.GetInputFocus().reply()
        before = settled(screen)
        assert len(np.unique(pixels(before)[:50, 360:920])) >= 4
        stack.enter_context(overlaid(display))
        assert same(screen.grab(), before)
        for window in made:
            x.core.DestroyWindow(window)
        x.core.GetInputFocus().reply()
        assert len(np.unique(pixels(screen.grab()))) == 1


def test_programs_beneath_are_seen_whole_also_after_what_they_draw_then(display: str, screen: X11Screen) -> None:
    script = "ls -la /usr/bin | head -60; read x; clear; ls -la /usr/share | tail -60; read x"
    tk = (
        "wm geometry . 300x200+600+0; pack [text .t]; .t insert end {beneath the overlay}; .t configure -state disabled"
    )
    environment = {**os.environ, "DISPLAY": display}
    with (
        started(display, "xterm", "-T", "below", "-geometry", "60x20+200+0", "-e", "sh", "-c", script),
        running(["wish"], env=environment, stdin=subprocess.PIPE) as wish,
    ):
        assert wish.stdin
        wish.stdin.write(f"{tk}\n".encode())
        wish.stdin.flush()
        listed = WindowList(display)
        until(lambda: len(listed.windows()) == 2)
        until(lambda: len(np.unique(pixels(screen.grab())[:50, 360:920])) > 3)
        program = Program(display)
        terminal = next(window for window in listed.windows() if window.application == "XTerm")
        program.send("motion", 0, terminal.box.x + 40, terminal.box.y + 150)
        program.send("button_press", 1)
        program.send("button_release", 1)
        until(lambda: any(window.focused and window.id == terminal.id for window in listed.windows()))
        before = settled(screen)
        with overlaid(display):
            assert same(settled(screen), before)
            program.send("key_press", 36)
            program.send("key_release", 36)
            until(lambda: not same(screen.grab(), before))
            after = settled(screen)
        assert same(settled(screen), after)
        program.close()
        listed.close()


@pytest.mark.nightly
def test_a_browser_beneath_is_seen_whole(display: str, screen: X11Screen, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>beneath</title><body style='background:linear-gradient(90deg,red,blue)'><h1>Beneath</h1>")
    options = ["--no-sandbox", "--no-first-run", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    place = ["--window-size=900,500", "--window-position=200,0", f"--app=file://{page}"]
    with started(display, "chromium", *options, *place):
        listed = WindowList(display)
        until(lambda: any("beneath" in window.title for window in listed.windows()), 30)
        until(lambda: len(np.unique(pixels(screen.grab())[40:50, 360:920])) > 100, 30)
        before = settled(screen, 1.0)
        with overlaid(display) as overlay:
            for number in range(20):
                overlay.show(f"step {number}")
                assert same(screen.grab(), before)
        listed.close()


@pytest.mark.nightly
def test_no_picture_shows_it_while_its_text_its_place_and_what_lies_beneath_change(
    display: str, screen: X11Screen
) -> None:
    with connected(display) as x, connected(display) as painter:
        window = plain_window(x, (0, 0, 1280, 720), RED)
        with overlaid(display) as overlay:
            done = threading.Event()

            def disturb() -> None:
                number = 0
                while not done.is_set():
                    number += 1
                    overlay.show(f"step {number}")
                    if number % 5 == 0:
                        for _ in range(number % 3):  # away, or away and back
                            overlay.keep_clear(overlay.box.centre)
                    painter.core.ChangeWindowAttributes(window, xproto.CW.BackPixel, [(RED, GREEN)[number % 2]])
                    painter.core.ClearArea(0, window, 0, 0, 0, 0)
                    painter.core.GetInputFocus().reply()

            other = threading.Thread(target=disturb)
            other.start()
            try:
                colours = {int(one) for _ in range(60) for one in np.unique(pixels(screen.grab()))}
            finally:
                done.set()
                other.join()
        assert colours == {RED, GREEN}
        x.core.DestroyWindow(window)
        x.core.GetInputFocus().reply()


def test_the_focus_stays_where_it_was(display: str) -> None:
    with started(display, "xterm", "-T", "focused", "-geometry", "60x20+400+0", "-e", "cat"):
        listed = WindowList(display)
        until(lambda: any(window.focused for window in listed.windows()))
        before = listed.windows()
        with connected(display) as x:
            focus = x.core.GetInputFocus().reply().focus
            with overlaid(display) as overlay:
                overlay.show("another")
                assert x.core.GetInputFocus().reply().focus == focus
                assert listed.windows() == before
            assert x.core.GetInputFocus().reply().focus == focus
            assert listed.windows() == before
        listed.close()


def test_a_click_goes_through_to_the_window_beneath(display: str) -> None:
    with connected(display) as x:
        window = plain_window(x, (300, 0, 700, 200), GREEN)
        with overlaid(display) as overlay:
            program = Program(display)
            program.send("motion", 0, overlay.box.centre.x, overlay.box.centre.y)
            program.send("button_press", 1)
            program.send("button_release", 1)
            program.close()
            events: list[Any] = []
            until(lambda: bool(events) or bool((one := x.poll_for_event()) and not events.append(one)))
            assert events[0].event == window
            assert (events[0].event_x, events[0].event_y) == (overlay.box.centre.x - 300, overlay.box.centre.y)
        x.core.DestroyWindow(window)
        x.core.GetInputFocus().reply()


def test_it_comes_back_to_the_top_and_does_not_fight_for_it(display: str) -> None:
    with overlaid(display) as overlay, connected(display) as x:
        box = overlay.box

        def on_top() -> bool:
            return not np.array_equal(np.unique(raw(display)[: box.height, box.x : box.x + 20]), [RED])

        window = plain_window(x, (0, 0, 1280, 300), RED)
        until(on_top)
        raised = 0
        for _ in range(60):
            x.core.ConfigureWindow(window, xproto.ConfigWindow.StackMode, [xproto.StackMode.Above])
            x.core.GetInputFocus().reply()
            tops = list(x.core.QueryTree(x.setup.roots[0].root).reply().children)
            raised += tops[-1] != window
        until(lambda: list(x.core.QueryTree(x.setup.roots[0].root).reply().children)[-1] == window)
        assert raised <= 10
        x.core.DestroyWindow(window)
        x.core.GetInputFocus().reply()


def test_it_moves_out_of_the_way_of_what_is_done_beneath_it(display: str) -> None:
    with overlaid(display) as overlay:
        before = overlay.box
        overlay.keep_clear(Point(x=10, y=600))
        assert overlay.box == before
        overlay.keep_clear(before.centre)
        assert overlay.box.y == 720 - before.height
        overlay.keep_clear(overlay.box.centre)
        assert overlay.box == before


@pytest.mark.nightly
def test_it_is_gone_with_its_process(display: str, screen: X11Screen) -> None:
    making = "from adapters.desktop.x11.overlay import Overlay; overlay = Overlay(sys.argv[1])"
    command = [sys.executable, "-c", f"import sys; {making}; print(1, flush=True); sys.stdin.read()", display]
    before = settled(screen)
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as program:
        assert program.stdout
        assert program.stdout.readline()
        assert not np.array_equal(raw(display), pixels(before))
        assert same(screen.grab(), before)
        program.send_signal(signal.SIGKILL)
        program.wait(10)
        until(lambda: np.array_equal(raw(display), pixels(before)))


def test_a_second_overlay_replaces_the_first_and_neither_is_in_a_picture(display: str, screen: X11Screen) -> None:
    before = settled(screen)
    with overlaid(display) as first, overlaid(display) as second:
        until(lambda: not first.shown)
        assert second.shown
        assert same(screen.grab(), before)
        first.show("still there?")
    assert same(screen.grab(), before)


@pytest.mark.parametrize("extension", ["COMPOSITE"])
def test_on_a_server_that_cannot_hide_it_it_is_not_shown(extension: str) -> None:
    with x_display(640, 480, "-extension", extension, manager=False) as display:
        overlay = Overlay(display)
        assert not overlay.shown
        overlay.show("nothing")
        overlay.keep_clear(overlay.box.centre)
        assert np.array_equal(np.unique(raw(display)), [0xFF000000])
        overlay.close()


def test_it_stays_on_the_first_monitor_and_grows_with_its_pixels() -> None:
    with x_display(3840 + 1280, 2160, manager=False) as display:
        set_monitors(display, (1280, 0, 3840, 2160), (0, 0, 1280, 2160))
        screen = X11Screen(display)
        before = screen.grab()
        assert (before.width, before.height) == (5120, 2160)
        with overlaid(display, "x" * 100_000) as overlay:
            assert overlay.box.centre.x == 1280 + 1920
            assert overlay.box.height == 100
            assert same(screen.grab(), before)
        screen.close()


def test_a_closed_overlay_takes_no_harm(display: str) -> None:
    overlay = Overlay(display)
    overlay.close()
    overlay.close()
    overlay.show("late")
    overlay.keep_clear(overlay.box.centre)


def test_a_display_that_is_not_there_is_refused() -> None:
    with pytest.raises(DesktopUnavailable):
        Overlay(":4711")
