"""What a run that nobody has started just now asks of a display: nobody at it, and nobody else's run."""

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from adapters.desktop.display_names import occupant, occupied
from adapters.desktop.idle import idle_seconds, obstacle
from tests.clock import until
from tests.fakes.desktops.x_user import User, x_display


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display(640, 480) as display:
        yield display


def _obstacle(display: str, folder: Path, idle: float) -> str | None:
    return obstacle(display, idle=idle, environment=os.environ, occupants=folder)


@pytest.mark.nightly
@pytest.mark.screen
def test_the_idle_time_grows_until_somebody_touches_mouse_or_keyboard(display: str) -> None:
    def idle() -> float:
        found = idle_seconds(display, os.environ)
        assert found is not None
        return found

    with closing(User(display)) as user:
        for touch in (lambda: user.move(5, 5), lambda: (user.key(38, down=True), user.key(38, down=False))):
            until(lambda: idle() > 1)
            # Asking takes its time on a busy machine: it counts from the touch all the same.
            touched = time.monotonic()
            touch()
            assert idle() <= time.monotonic() - touched


@pytest.mark.screen
def test_a_display_is_free_for_a_scheduled_run_only_when_nobody_is_at_it(display: str, tmp_path: Path) -> None:
    with closing(User(display)) as user:
        user.move(5, 5)

    assert "it must be idle for 3600 s" in (_obstacle(display, tmp_path, 3600) or "")
    own = {**os.environ, "DISPLAY": display}
    assert f"at the display {display} " in (obstacle("current", idle=60, environment=own, occupants=tmp_path) or "")
    assert _obstacle(display, tmp_path, 0) is None
    with occupied(tmp_path, display, "invoices, run a1"):
        assert _obstacle(display, tmp_path, 0) == f"The display {display} was in use by invoices, run a1."
    assert _obstacle(display, tmp_path, 0) is None


def test_a_private_display_is_in_nobodys_way(tmp_path: Path) -> None:
    assert _obstacle("private", tmp_path, 3600) is None


def test_a_display_that_is_not_there_or_cannot_be_asked_is_not_free(tmp_path: Path) -> None:
    assert "There is no display :59999" in (_obstacle(":59999", tmp_path, 0) or "")
    assert "There is no display here" in (
        obstacle("current", idle=0, environment={"PATH": os.environ["PATH"]}, occupants=tmp_path) or ""
    )
    wayland = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}
    assert "Wayland" in (obstacle("current", idle=0, environment=wayland, occupants=tmp_path) or "")
    assert idle_seconds(":59999", os.environ) is None


@pytest.mark.screen
def test_the_process_that_speaks_x_does_not_load_it_into_ours(display: str) -> None:
    program = (
        "import sys, os; from adapters.desktop.idle import idle_seconds; "
        f"assert idle_seconds({display!r}, os.environ) is not None; assert 'xcffib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)


def test_who_has_a_display_is_told_without_taking_it(tmp_path: Path) -> None:
    assert occupant(tmp_path / "nowhere", ":7") is None
    with occupied(tmp_path, ":7", "one"):
        assert occupant(tmp_path, ":7") == "one"
        assert occupant(tmp_path, ":8") is None
    assert occupant(tmp_path, ":7") is None
    (tmp_path / "7.lock").write_text("killed without a word", encoding="utf-8")
    assert occupant(tmp_path, ":7") is None
    with occupied(tmp_path, ":7", "next"):
        pass
