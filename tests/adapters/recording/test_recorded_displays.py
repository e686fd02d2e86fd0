"""Displays that go away, change their size, have an odd one or several monitors."""

from pathlib import Path

import pytest
from xcffib import randr

from core.errors import DesktopUnavailable
from core.recording.input_log import Clicked
from tests.clock import until
from tests.fakes.desktops.x_user import Program, connected, set_monitors, x_display
from tests.fakes.recordings.demonstrations import (
    Demonstration,
    bordered,
    click,
    demonstration,
    logged,
    screen,
)
from tests.fakes.recordings.films import frames

pytestmark = pytest.mark.screen


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "demo.mp4"


def test_a_display_that_goes_away_ends_it(out: Path) -> None:
    with x_display(640, 480, manager=False) as name:
        recording = Demonstration(name, out)
        recording.go_on(500)
    made = recording.ended()
    assert made.stopped_by == "display lost"
    assert f"The display {name} has gone away" in made.warnings[-1]
    assert frames(out)


def test_a_display_of_odd_size_is_recorded_whole(out: Path) -> None:
    with x_display(641, 479, manager=False) as name, demonstration(name, out, seconds=0.5) as recording:
        made = recording.ended()
    assert (made.width, made.height) == (642, 480)
    assert frames(out)[0][1].shape == (480, 642, 3)


def test_a_display_that_changes_its_size_is_recorded_on(out: Path) -> None:
    with x_display(640, 480, manager=False) as name, connected(name) as x, demonstration(name, out) as recording:
        extension, root = x(randr.key), x.setup.roots[0].root
        extension.QueryVersion(1, 5).reply()
        crtc = extension.GetScreenResources(root).reply().crtcs[0]
        assert extension.SetCrtcConfig(crtc, 0, 0, 0, 0, 0, 1, 0, []).reply().status == 0
        for size in ((400, 300), (640, 480)):
            extension.SetScreenSizeChecked(root, *size, 200, 150).check()
            until(lambda: bordered(name))
            recording.go_on(500)
        made = recording.stop()
    assert [("smaller" in warning) for warning in made.warnings] == [True]
    assert {picture.shape for _, picture in frames(out)} == {(480, 640, 3)}


def test_one_monitor_alone_can_be_recorded(out: Path) -> None:
    with x_display(1200, 400) as name:
        set_monitors(name, (0, 0, 600, 400), (600, 0, 600, 400))
        program = Program(name)
        with demonstration(f"{name}@monitor 1", out) as recording:
            seen = screen(name)
            assert (seen[:4, 600:] == 0xE01B24).all()
            assert not (seen[:, :600] == 0xE01B24).any()
            click(program, 100, 100)
            click(program, 700, 150)
            recording.stop()
        program.close()
        with pytest.raises(DesktopUnavailable, match="it has monitor 0, monitor 1"):
            Demonstration(f"{name}@HDMI-9", out.with_name("other.mp4"))
    found = [(event.x, event.y) for event in logged(out).events if isinstance(event, Clicked)]
    assert found == [(100, 150)]
    assert logged(out).width == 600
