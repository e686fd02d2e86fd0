"""No pixel of a window that may not be recorded is in any picture of any film, whatever the window does."""

from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.recording.input_log import Clicked, Focused, Pressed, Typed
from core.recording.recorder import Exclusions
from storage.recording_files import read_input_log
from tests.clock import until
from tests.fakes.desktops.x_programs import await_focus
from tests.fakes.desktops.x_user import Program, set_monitors, started, x_display
from tests.fakes.recordings.continuous import continuous, patch, pixels_of, ticking
from tests.fakes.recordings.demonstrations import click, screen

pytestmark = pytest.mark.screen

SECRET, OPEN = 0x00E060, 0xE08000
HIDDEN = Exclusions(titles=("vault",))
FPS = 8.0


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name, ticking(name):
        yield name


def test_a_window_is_black_with_and_without_the_focus_beside_one_that_is_shown(display: str, tmp_path: Path) -> None:
    with patch(display, OPEN, "notes") as beside, patch(display, SECRET, "my vault") as secret:
        for window, place in ((secret, "200 200"), (beside, "600 300")):
            window.report("show")
            window.report(f"move {place}")
        with continuous(display, tmp_path / "r", exclusions=HIDDEN, fps=FPS) as recorded:
            secret.report("focus")
            recorded.await_pictures(2)
            beside.report("focus")
            beside.report("move 280 280")
            recorded.await_pictures(2)

    assert max(pixels_of(recorded.folder, SECRET)) == 0
    assert min(pixels_of(recorded.folder, OPEN)) > 1000
    assert recorded.status.masked == recorded.status.frames


def test_a_window_leaves_no_trace_while_it_moves_opens_for_a_moment_and_closes(display: str, tmp_path: Path) -> None:
    with (
        patch(display, SECRET, "my vault") as secret,
        continuous(display, tmp_path / "r", exclusions=HIDDEN, fps=FPS) as recorded,
    ):
        for _ in range(4):
            secret.report("flash 200")
        secret.report("show")
        for _ in range(3):
            secret.report("dance 120")
        secret.report("hide")
        recorded.await_pictures(1)

    found = pixels_of(recorded.folder, SECRET)
    assert len(found) > 5
    assert max(found) == 0


@pytest.mark.nightly
def test_a_title_that_comes_late_still_hides_the_picture_before_it(display: str, tmp_path: Path) -> None:
    with (
        patch(display, SECRET, "loading") as secret,
        continuous(display, tmp_path / "r", exclusions=HIDDEN, fps=0.5) as recorded,
    ):
        # Soon after a look: the next one sees it, and the one after that knows better.
        recorded.await_pictures(1)
        secret.report("dance 60")
        secret.report("flash 2000 my vault")
        recorded.await_pictures(2)

    assert max(pixels_of(recorded.folder, SECRET)) == 0


@pytest.mark.nightly
def test_the_menus_of_an_excluded_program_are_hidden_with_it(display: str, tmp_path: Path) -> None:
    hidden = Exclusions(applications=("Safe*",))
    with patch(display, SECRET, "entries", "SafeBox") as secret, patch(display, OPEN, "notes") as beside:
        secret.report("show")
        secret.report("move 100 100")
        beside.report("show")
        beside.report("popup 900 500")
        with continuous(display, tmp_path / "r", exclusions=hidden, fps=FPS) as recorded:
            secret.report("popup 700 300")
            recorded.await_pictures(3)

    assert max(pixels_of(recorded.folder, SECRET)) == 0
    assert min(pixels_of(recorded.folder, OPEN)) > 2 * 1000


@pytest.mark.nightly
def test_what_is_usually_private_needs_no_setting(display: str, tmp_path: Path) -> None:
    named = [
        ("KeePassXC", "Passwords.kdbx"),
        ("firefox", "Example - Mozilla Firefox Private Browsing"),
        ("firefox", "Beispiel - Mozilla Firefox Privater Modus"),
        ("Chromium", "New Incognito Tab - Chromium"),
        ("Chromium", "Vaider - Chromium"),
    ]
    with ExitStack() as stack:
        for number, (application, title) in enumerate(named):
            secret = stack.enter_context(patch(display, SECRET, title, application))
            secret.report("show")
            secret.report(f"move {number * 200} 100")
        with continuous(display, tmp_path / "r", fps=FPS) as recorded:
            recorded.await_pictures(2)

    assert max(pixels_of(recorded.folder, SECRET)) == 0


@pytest.mark.nightly
def test_a_window_that_was_incognito_once_stays_hidden_whatever_it_shows(display: str, tmp_path: Path) -> None:
    with (
        patch(display, SECRET, "New Incognito Tab - Chromium", "Chromium") as secret,
        continuous(display, tmp_path / "r", fps=FPS) as recorded,
    ):
        secret.report("show")
        recorded.await_pictures(1)
        secret.report("title example.com - Chromium")
        recorded.await_pictures(2)
        secret.report("hide")
        secret.report("show")
        recorded.await_pictures(2)

    assert max(pixels_of(recorded.folder, SECRET)) == 0


@pytest.mark.nightly
def test_a_window_across_two_monitors_is_hidden_where_one_of_them_is_recorded(display: str, tmp_path: Path) -> None:
    set_monitors(display, (0, 0, 640, 720), (640, 0, 640, 720))
    with patch(display, SECRET, "my vault") as secret, patch(display, OPEN, "notes") as beside:
        secret.report("show")
        secret.report("move 560 200")
        beside.report("show")
        beside.report("move 900 400")
        with continuous(f"{display}@monitor 1", tmp_path / "r", exclusions=HIDDEN, fps=FPS) as recorded:
            recorded.await_pictures(2)

    assert recorded.opened[0].width == 640
    assert max(pixels_of(recorded.folder, SECRET)) == 0
    assert min(pixels_of(recorded.folder, OPEN)) > 1000


@pytest.mark.nightly
def test_chromiums_own_incognito_window_is_hidden_after_its_first_tab_too(display: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<title>a page</title><body style='background:#{SECRET:06x}'>", encoding="utf-8")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    browser = ("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", profile, "--incognito", page.as_uri())
    with continuous(display, tmp_path / "r", fps=FPS) as recorded, started(display, *browser):
        until(lambda: _seen(display) > 10_000, 60)
        recorded.await_pictures(5)

    assert max(pixels_of(recorded.folder, SECRET)) == 0


def _seen(display: str) -> int:
    """How many pixels of the screen are of that colour now."""
    wanted = np.array([SECRET >> 16, SECRET >> 8 & 255, SECRET & 255])
    return int((np.abs(_rgb(display) - wanted).max(axis=2) < 10).sum())


def _rgb(display: str) -> NDArray[np.int64]:
    pixels = screen(display)
    return np.stack([pixels >> 16 & 255, pixels >> 8 & 255, pixels & 255], axis=2).astype(np.int64)


def test_the_log_holds_nothing_of_what_is_done_in_a_hidden_window(display: str, tmp_path: Path) -> None:
    program = Program(display)
    with patch(display, OPEN, "notes") as beside, patch(display, SECRET, "my vault", "Secret") as secret:
        for window, place in ((secret, "100 100"), (beside, "700 300")):
            window.report("show")
            window.report(f"move {place}")
        beside.report("focus")
        await_focus(display, "patch")
        with continuous(display, tmp_path / "r", exclusions=HIDDEN, fps=FPS) as recorded:
            click(program, 760, 400)
            recorded.await_pictures(3)
            secret.report("focus")
            await_focus(display, "secret")
            recorded.await_pictures(1)
            click(program, 160, 200)
            for keycode in (24, 25, 26, 23):
                program.send("key_press", keycode)
                program.send("key_release", keycode)
            recorded.await_pictures(2)
    program.close()

    log = read_input_log(recorded.opened[0].path)
    assert log is not None
    assert [(event.x, event.y) for event in log.events if isinstance(event, Clicked)] == [(760, 400)]
    assert not [event for event in log.events if isinstance(event, Typed | Pressed)]
    assert "notes" in {event.title for event in log.events if isinstance(event, Focused)}
    text = recorded.opened[0].path.with_suffix(".input.jsonl").read_text(encoding="utf-8")
    assert "vault" not in text
    assert "Secret" not in text
