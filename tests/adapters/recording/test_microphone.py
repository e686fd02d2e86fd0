"""Sound with the film: from the sound system's own program, or without any, and then it is said why."""

import json
import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from adapters.recording.microphone import Microphone, MicrophoneUnavailable
from tests.clock import until
from tests.fakes.desktops.x_user import x_display
from tests.fakes.recordings.demonstrations import demonstration, heard, length_ms, read_reports, recording_process
from tests.fakes.recordings.films import frames

TONE = """#!{python}
import math, os, struct, sys, time
arguments = sys.argv[1:]
os.write(2, b"words that nobody reads\\n" * 20)
rate, began, sent = 48000, time.monotonic(), 0
ends = {seconds}
while not ends or sent < ends * rate:
    due = int((time.monotonic() - began) * rate) + 2400
    block = [int(9000 * math.sin(2 * math.pi * 440 * at / rate)) for at in range(sent, due)]
    try:
        os.write(1, struct.pack("<%dh" % len(block), *block))
    except BrokenPipeError:
        break
    sent = due
    time.sleep(0.05)
os.write(2, b"Stream died.\\n")
"""


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display(640, 480, manager=False) as name:
        yield name


def with_parec(folder: Path, seconds: float = 0) -> dict[str, str]:
    """An environment whose sound server plays a tone, for ever or so long."""
    folder.mkdir()
    program = folder / "parec"
    program.write_text(TONE.format(python=sys.executable, seconds=seconds))
    program.chmod(0o700)
    return {**os.environ, "PATH": str(folder)}


@pytest.mark.nightly
@pytest.mark.screen
def test_what_is_said_is_heard_in_the_film(display: str, tmp_path: Path) -> None:
    out = tmp_path / "demo.mp4"
    environment = with_parec(tmp_path / "bin")
    with demonstration(display, out, microphone="default", environment=environment, seconds=2.0) as recording:
        made = recording.ended()
    assert made.microphone == "default"
    assert made.warnings == ()
    sound = heard(out)
    assert 1.6 <= len(sound) / 48_000 <= 2.1
    loud = sound[9600:-9600]
    pitches = np.fft.rfftfreq(len(loud), 1 / 48_000)
    assert abs(pitches[np.abs(np.fft.rfft(loud)).argmax()] - 440) < 3
    assert frames(out)[-1][0] <= made.duration_ms <= 2000
    assert length_ms(out) <= 2000


@pytest.mark.nightly
@pytest.mark.screen
def test_a_film_with_sound_that_is_cut_off_has_both(display: str, tmp_path: Path) -> None:
    out = tmp_path / "demo.mp4"
    environment = with_parec(tmp_path / "bin")
    with recording_process(display, out, environment=environment, microphone="default") as process:
        assert process.stdout is not None
        elapsed = 0
        while elapsed < 2500:
            elapsed = json.loads(process.stdout.readline())["state"]["elapsed_ms"]
        process.kill()
        process.wait()
    assert frames(out)[-1][0] >= elapsed - 2000
    assert len(heard(out)) / 48 >= elapsed - 2000


@pytest.mark.screen
def test_a_microphone_that_cannot_start_is_told_and_done_without(display: str, tmp_path: Path) -> None:
    out = tmp_path / "demo.mp4"
    quiet = {**os.environ, "PULSE_SERVER": "unix:/nonexistent", "HOME": str(tmp_path)}
    options = {"microphone": "no such thing", "seconds": 0.4}
    with demonstration(display, out, environment=quiet, **options) as recording:
        made = recording.ended()
    assert made.microphone is None
    assert len(made.warnings) == 1
    assert made.warnings[0].startswith("Recording without sound: the microphone no such thing cannot be used (")
    assert "ffmpeg" in made.warnings[0]
    assert recording.states[0].warnings == made.warnings
    assert frames(out)


@pytest.mark.screen
def test_a_microphone_that_ends_is_told_and_the_film_goes_on(display: str, tmp_path: Path) -> None:
    out = tmp_path / "demo.mp4"
    environment = with_parec(tmp_path / "bin", seconds=0.5)
    with demonstration(display, out, microphone="default", environment=environment, seconds=1.6) as recording:
        until(lambda: bool(recording.states[-1].warnings))
        assert recording.states[-1].microphone is None
        made = recording.ended()
    assert made.warnings[0].startswith("The sound ends, or has a gap, after ")
    assert made.warnings[0].endswith("s: Stream died.")
    assert frames(out)[-1][0] >= 1300


def test_what_is_no_device_reaches_no_program(tmp_path: Path) -> None:
    with pytest.raises(MicrophoneUnavailable, match="no name of a microphone"):
        Microphone("a\nb")
    with pytest.raises(MicrophoneUnavailable, match="is installed"):
        Microphone("default", {"PATH": str(tmp_path)})
    environment = with_parec(tmp_path / "bin")
    (tmp_path / "bin" / "parec").write_text(f"#!{shutil.which('sh')}\necho no such device >&2\nexit 1\n")
    with pytest.raises(MicrophoneUnavailable, match="parec: no such device"):
        Microphone("default", environment)


@pytest.mark.screen
def test_nothing_listens_when_the_recorder_is_gone(display: str, tmp_path: Path) -> None:
    environment = with_parec(tmp_path / "bin")
    program = str(tmp_path / "bin" / "parec")
    out = tmp_path / "demo.mp4"
    with recording_process(display, out, environment=environment, microphone="default", seconds=1.0) as process:
        assert running_programs(program) == 1
        assert read_reports(process)["recording"]["stopped_by"] == "time"
    until(lambda: running_programs(program) == 0)
    with recording_process(display, tmp_path / "b.mp4", environment=environment, microphone="default") as process:
        process.kill()
        process.wait()
        until(lambda: running_programs(program) == 0)


def running_programs(path: str) -> int:
    """How many processes have that program among their arguments."""
    found = 0
    for number in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - names
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:  # noqa: PTH123 - so it is read at once
                found += path.encode() in file.read().split(b"\0")
        except OSError:
            continue
    return found
