"""Reading a field takes nothing from the user: neither what was selected, nor the clipboard; and it is exact."""

import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Final

import psutil
import pytest

from adapters.desktop.x11.connection import Connection
from adapters.desktop.x11.hands import X11Hands
from adapters.desktop.x11.raw_input import SentEvents
from adapters.desktop.x11.selections import Selections
from core.screens import Point
from tests.clock import until
from tests.fakes.desktops.x_user import x_display

pytestmark = pytest.mark.screen

_VALUE: Final = "Molly O'Neil  1Il0O ÄØł"
_FORM: Final = """
import sys, tkinter
root = tkinter.Tk()
root.geometry("400x220+0+0")
for value in sys.argv[1:3]:
    entry = tkinter.Entry(root, width=40)
    entry.insert(0, value)
    entry.pack(pady=10)
area = tkinter.Text(root, width=40, height=4)
area.insert("1.0", "one\\ntwo")
area.pack()
root.update()
print("ready", entry.winfo_rooty() + 10, area.winfo_rooty() + 30, flush=True)
root.mainloop()
"""


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display(600, 400) as name:
        yield name


@pytest.fixture
def rows(display: str) -> Generator[tuple[int, int]]:
    """Where the second field and the area of a form stand; the second field holds a value, the first is empty."""
    environment = {"DISPLAY": display, "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", _FORM, "", _VALUE]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        _, entry, area = program.stdout.readline().split()
        yield int(entry), int(area)
        program.terminate()


def _never() -> None:
    """Nobody stops it."""


def _selected(display: str) -> str | None:
    with closing(Selections(Connection(display))) as other:
        return other.fetch_text("PRIMARY", 1) if other.owner("PRIMARY") else None


def test_a_field_is_read_exactly_by_its_selection(display: str, rows: tuple[int, int]) -> None:
    entry, area = rows
    with closing(X11Hands(display, SentEvents())) as hands:
        assert hands.read_field(Point(x=150, y=entry), _never, several_lines=False) == _VALUE
        assert hands.read_field(Point(x=150, y=area), _never, several_lines=True) == "one\ntwo"
        assert hands.read_field(Point(x=150, y=entry), _never, several_lines=False) == _VALUE


@pytest.mark.nightly
def test_a_field_is_read_under_a_slow_window_manager(display: str, rows: tuple[int, int]) -> None:
    entry, area = rows
    programs = psutil.Process().children()
    (manager,) = (each for each in programs if each.name() == "openbox" and each.environ()["DISPLAY"] == display)
    with closing(X11Hands(display, SentEvents())) as hands:
        until(lambda: hands.read_field(Point(x=150, y=entry), _never, several_lines=False) == _VALUE)
        manager.suspend()
        threading.Timer(0.5, manager.resume).start()
        assert hands.read_field(Point(x=150, y=area), _never, several_lines=True) == "one\ntwo"


@pytest.mark.nightly
def test_what_was_read_is_deleted_from_its_own_field_where_that_is_asked(display: str, rows: tuple[int, int]) -> None:
    entry, area = rows
    with closing(X11Hands(display, SentEvents())) as hands:
        assert hands.read_field(Point(x=150, y=entry), _never, several_lines=False, deletes=True) == _VALUE
        assert hands.read_field(Point(x=165, y=entry), _never, several_lines=False) is None
        assert hands.read_field(Point(x=150, y=area), _never, several_lines=True) == "one\ntwo"


def test_an_empty_field_gives_no_text(display: str, rows: tuple[int, int]) -> None:
    with closing(X11Hands(display, SentEvents())) as hands:
        assert hands.read_field(Point(x=150, y=rows[0] - 42), _never, several_lines=False) is None


def test_what_the_user_had_selected_is_still_offered_afterwards(display: str, rows: tuple[int, int]) -> None:
    with closing(Selections(Connection(display))) as other:
        other.own("PRIMARY", other.text("my own selection"))
        hands = X11Hands(display, SentEvents())
        with ThreadPoolExecutor(1) as worker:
            reading = worker.submit(hands.read_field, Point(x=150, y=rows[0]), _never, several_lines=False)
            while not reading.done():
                other.wait(0.02)
        assert other.held("PRIMARY") is None
        assert _selected(display) == "my own selection"
        hands.close()
    until(lambda: _selected(display) == "my own selection")
