import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from xcffib import randr, xproto

from adapters.desktop.settling import pixels
from adapters.desktop.x11.screen import X11Screen
from core.errors import DesktopLost, DesktopUnavailable
from tests.fakes.desktops.x_user import connected, server_process, set_monitors, x_display

pytestmark = pytest.mark.screen


def _paint(x: Any, box: tuple[int, int, int, int], colour: int) -> int:
    screen, window = x.setup.roots[0], x.generate_id()
    which = xproto.CW.BackPixel | xproto.CW.OverrideRedirect
    x.core.CreateWindow(24, window, screen.root, *box, 0, 1, screen.root_visual, which, [colour, 1])
    x.core.MapWindow(window)
    x.core.GetInputFocus().reply()
    return window


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (801, 599)])
def test_a_picture_shows_every_pixel_in_its_place(size: tuple[int, int]) -> None:
    width, height = size
    with x_display(width, height, manager=False) as display, connected(display) as x:
        screen = X11Screen(display)
        assert screen.size == size
        _paint(x, (width - 3, height - 2, 3, 2), 0x112233)
        _paint(x, (7, 5, 1, 1), 0xAABBCC)
        began = time.monotonic()
        look = screen.grab()
        assert began <= look.taken <= time.monotonic()
        assert (look.width, look.height, len(look.bgra)) == (width, height, width * height * 4)
        seen = pixels(look)
        assert np.array_equal(np.argwhere(seen == 0xFF112233).max(axis=0), [height - 1, width - 1])
        assert np.argwhere(seen == 0xFFAABBCC).tolist() == [[5, 7]]
        assert look.bgra[(5 * width + 7) * 4 :][:4] == bytes([0xCC, 0xBB, 0xAA, 0xFF])
        screen.close()


def test_two_monitors_are_one_picture() -> None:
    with x_display(1280 + 1024, 768, manager=False) as display, connected(display) as x:
        set_monitors(display, (0, 0, 1280, 720), (1280, 0, 1024, 768))
        screen = X11Screen(display)
        _paint(x, (1280 + 500, 700, 10, 10), 0x00FF00)
        look = screen.grab()
        assert (look.width, look.height) == screen.size == (2304, 768)
        assert np.argwhere(pixels(look) == 0xFF00FF00)[0].tolist() == [700, 1780]
        screen.close()


def test_a_screen_that_grows_or_shrinks_is_seen_whole() -> None:
    with x_display(1280, 720, manager=False) as display, connected(display) as x:
        screen = X11Screen(display)
        assert screen.grab().width == 1280
        extension = x(randr.key)
        extension.QueryVersion(1, 5).reply()
        root = x.setup.roots[0].root
        output = extension.GetScreenResources(root).reply().crtcs[0]
        assert extension.SetCrtcConfig(output, 0, 0, 0, 0, 0, 1, 0, []).reply().status == 0
        for size in ((800, 600), (1280, 720)):
            extension.SetScreenSizeChecked(root, *size, 200, 150).check()
            look = screen.grab()
            assert (look.width, look.height) == screen.size == size
        screen.close()


def test_many_threads_may_look_at_once() -> None:
    with x_display(640, 480, manager=False) as display:
        screen = X11Screen(display)
        sizes: list[int] = []

        def look() -> None:
            for _ in range(20):
                sizes.append(len(screen.grab().bgra))  # noqa: PERF401 - each look counts, also when one fails

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sizes == [640 * 480 * 4] * 80
        screen.close()


def test_a_display_that_is_not_there_is_refused() -> None:
    with pytest.raises(DesktopUnavailable, match="--display"):
        X11Screen(":4711")


def test_a_display_that_dies_is_told_as_lost() -> None:
    with x_display(320, 240, manager=False) as display:
        screen = X11Screen(display)
        screen.grab()
        with connected(display) as x:
            os.kill(server_process(x), signal.SIGKILL)
        with pytest.raises(DesktopLost, match="gone away"):
            _look_until_it_fails(screen)
        screen.close()


@pytest.mark.nightly
def test_a_display_that_dies_within_a_look_is_lost_too() -> None:
    # Where in a look it dies cannot be chosen, so there are several.
    for _ in range(8):
        with x_display(3840, 2160, manager=False) as display:
            screen = X11Screen(display)
            screen.grab()
            with connected(display) as x:
                server = server_process(x)
            threading.Timer(0.02, os.kill, (server, signal.SIGKILL)).start()
            with pytest.raises(DesktopLost, match="gone away"):
                _look_until_it_fails(screen)
            screen.close()


def _look_until_it_fails(screen: X11Screen) -> None:
    for _ in range(10_000):
        screen.grab()
