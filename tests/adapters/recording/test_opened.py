"""How a program is opened anew is told by its process; what may hold anything is not kept."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.recording.opened import programs_here
from core.screens import Box, Window
from tests.clock import until

_OPENED = programs_here(os.environ)


@contextmanager
def _running(*command: str, folder: Path) -> Generator[int]:
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        words = b"\0".join(each.encode() for each in command) + b"\0"
        until(lambda: Path(f"/proc/{process.pid}/cmdline").read_bytes() == words)
        try:
            yield process.pid
        finally:
            process.kill()


def _window(pid: int | None, title: str, application: str = "Reader") -> Window:
    box = Box(x=0, y=0, width=10, height=10)
    return Window(id=1, title=title, application=application, box=box, pid=pid, focused=True)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    os.mkfifo(path)
    return path


def test_a_file_is_named_by_its_whole_path(notes: Path) -> None:
    with _running("cat", "notes.txt", folder=notes.parent) as pid:
        assert _OPENED(_window(pid, "notes.txt - Reader")) == ("cat", str(notes))


def test_a_file_that_the_window_does_not_show_is_not_how_it_came_to_be(notes: Path) -> None:
    with _running("cat", "notes.txt", folder=notes.parent) as pid:
        assert _OPENED(_window(pid, "other.txt - Reader")) == ()


def test_options_and_words_that_are_no_files_are_not_kept(tmp_path: Path) -> None:
    for command in (("sleep", "60"), ("tail", "-f", "/dev/null")):
        with _running(*command, folder=tmp_path) as pid:
            assert _OPENED(_window(pid, "null")) == ()


def test_of_a_process_that_has_gone_nothing_is_told() -> None:
    assert _OPENED(_window(None, "Reader")) is None
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert _OPENED(_window(process.pid, "Reader")) is None
