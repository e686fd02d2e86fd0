"""Other rules for a recorder that runs: nothing is recorded by the former ones once that was said."""

import os
import threading
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings, load_settings
from core.recording.recorder import RecorderPhase
from server.composition.recorder import Recorder
from server.setup.configuration import Configuration
from tests.clock import until
from tests.fakes.desktops.x_user import x_display
from tests.fakes.recordings.continuous import patch, pixels_of, ticking

pytestmark = pytest.mark.screen
SECRET = 0x00C853


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name, ticking(name):
        yield name


def made(display: str, data: Path, **settings: Any) -> tuple[Recorder, Settings]:
    flags = {"data_dir": str(data), "record_fps": 8.0, **settings}
    environment = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
    loaded = load_settings(environment={}, flags=flags, user_file=data / "settings.toml")
    return Recorder(loaded, environment={**environment, "DISPLAY": display}), loaded


def fresh(recorder: Recorder) -> None:
    """Wait for a picture that is newer than now."""
    before = recorder.status().newest_picture_at

    def newer() -> bool:
        newest = recorder.status().newest_picture_at
        return newest is not None and newest != before

    until(newer, 20)


@pytest.mark.nightly
def test_what_is_excluded_while_it_records_is_in_no_picture_from_then_on(display: str, tmp_path: Path) -> None:
    recorder, settings = made(display, tmp_path)
    configuration = Configuration(settings, recorder.reconfigure)
    with patch(display, SECRET, "my vault") as secret, closing(recorder):
        secret.report("show")
        recorder.act("start")
        fresh(recorder)
        configuration.change({"record_exclude_titles": ["my vault"]})
        before = {path.name for path in (tmp_path / "recordings").glob("*.mp4")}
        fresh(recorder)
        recorder.act("stop")

    films = {path.name for path in (tmp_path / "recordings").glob("*.mp4")}
    for name in before:
        (tmp_path / "recordings" / name).rename(tmp_path / name)
    assert before
    assert films > before
    assert max(pixels_of(tmp_path, SECRET)) > 0
    assert max(pixels_of(tmp_path / "recordings", SECRET)) == 0


@pytest.mark.nightly
def test_other_rules_start_nothing_and_leave_paused_what_was(display: str, tmp_path: Path) -> None:
    recorder, settings = made(display, tmp_path)
    with closing(recorder):
        recorder.reconfigure(settings.model_copy(update={"record_exclude_apps": ("a",)}))
        assert recorder.status().phase is RecorderPhase.OFF
        recorder.act("start")
        recorder.act("pause")
        recorder.reconfigure(settings.model_copy(update={"record_exclude_apps": ("b",)}))
        until(lambda: recorder.status().phase is RecorderPhase.PAUSED, 20)
        assert recorder.status().restarts == 0


@pytest.mark.nightly
def test_a_stop_that_comes_between_stays_a_stop(display: str, tmp_path: Path) -> None:
    recorder, settings = made(display, tmp_path)
    with closing(recorder):
        for turn in range(5):
            recorder.act("start")
            changed = settings.model_copy(update={"record_exclude_apps": (str(turn),)})
            others = [
                threading.Thread(target=recorder.reconfigure, args=(changed,)),
                threading.Thread(target=recorder.act, args=("stop",)),
            ]
            for other in others:
                other.start()
            for other in others:
                other.join(30)
            assert recorder.status().phase is RecorderPhase.OFF
