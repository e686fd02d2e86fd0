"""The acting process with other hands than X11's, and on screens of other sizes and numbers."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.desktop.displays import LocalDesktops
from core.actions import Click, Move, OpenApp, Type
from core.screens import Point
from tests.clock import until
from tests.fakes.desktops import acting_daemon
from tests.fakes.desktops.acting_desktops import nothing, opened
from tests.fakes.desktops.x_user import set_monitors, x_display

pytestmark = pytest.mark.screen


@pytest.fixture
def display() -> Iterator[str]:
    with x_display() as name:
        yield name


@pytest.mark.nightly
def test_pyautogui_acts_where_it_is_wished_for_and_is_no_takeover(display: str, tmp_path: Path) -> None:
    desktops = LocalDesktops(data_dir=tmp_path, hands="pyautogui")
    with desktops.open(display, run="a test", size=None, raise_if_cancelled=nothing) as desktop:
        desktop.act(OpenApp(name="xterm", arguments=("-e", "sh")), nothing)
        until(lambda: bool(desktop.windows()))
        desktop.settle(desktop.look(), nothing, seconds=5)
        desktop.act(Click(action="left_click", at=desktop.windows()[0].box.centre), nothing)
        desktop.act(Type(text="exit\n"), nothing)
        until(lambda: not desktop.windows())
        desktop.raise_if_cancelled()


def test_the_parts_of_systems_without_x_displays_act_and_see(display: str) -> None:
    script = Path(acting_daemon.__file__).with_name("plain_desktop.py")
    environment = os.environ | {"DISPLAY": display, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)

    assert done.stdout.split() == ["1280", "720", "moved", "taken", "resumed"], done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("size", [(1920, 1080), (2560, 1440), (3840, 2160)])
def test_a_picture_of_any_usual_size_comes_whole(size: tuple[int, int], tmp_path: Path) -> None:
    with x_display(*size) as name, opened(name, tmp_path) as desktop:
        desktop.act(Move(at=Point(x=size[0] - 1, y=size[1] - 1)), nothing)
        picture = desktop.look()

        assert desktop.size == (picture.width, picture.height) == size
        assert len(picture.bgra) == 4 * size[0] * size[1]
        assert set(picture.bgra[3::4]) == {255}


def test_two_monitors_are_one_desktop(tmp_path: Path) -> None:
    with x_display(2560, 720) as name:
        set_monitors(name, (0, 0, 1280, 720), (1280, 0, 1280, 720))
        with opened(name, tmp_path) as desktop:
            desktop.act(OpenApp(name="xterm", arguments=("-geometry", "80x24+1600+100", "-e", "sh")), nothing)
            box = desktop.windows()[0].box

            assert desktop.size == (2560, 720)
            assert box.x >= 1280
            desktop.act(Move(at=box.centre), nothing)
