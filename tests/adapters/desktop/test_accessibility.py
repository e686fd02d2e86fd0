"""The accessibility tree of a display: what real programs tell, and what becomes of programs that hang, lie or die."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from dbus_fast import Variant

from adapters.desktop.accessibility.display import PATIENCE, DisplayAccessibility
from adapters.desktop.displays import LocalDesktops
from core.accessibility import AccessibleChange, AccessibleTree, Element, Role, State
from core.actions import OpenApp, OpenUrl
from core.runs.ports import Desktop
from tests.clock import until
from tests.fakes.desktops.accessible_programs import BUTTON, ENTRY, FRAME, PASSWORD, TABLE, FakeProgram, Told, planted
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox

pytestmark = pytest.mark.screen

_MACHINE: Final = 0.15
"""Seconds that a busy machine may take beside."""
_FORM: Final = """<!doctype html><title>Order</title>
<label>Recipient <input id=r value="Molly Mills"></label><label>Secret <input type=password value=sesame></label>
<label><input type=checkbox checked> Express</label>
<label>Kind <select><option>Box<option selected>Tube</select></label>
<button disabled>Send</button><div style="height:3000px"></div><button>Far away</button>"""
_QT: Final = """
from PyQt5.QtWidgets import *
application = QApplication(["order"])
window = QWidget()
window.setWindowTitle("New order")
form, field, secret, kind = QFormLayout(window), QLineEdit("draft"), QLineEdit("sesame"), QComboBox()
secret.setEchoMode(QLineEdit.Password)
kind.addItems(["Box", "Tube"])
for name, each in (("Customer", field), ("Secret", secret), ("Kind", kind)):
    form.addRow(name, each)
form.addRow(QCheckBox("Express"))
window.show()
application.exec_()
"""


def _never() -> None:
    """Nothing is cancelled here."""


@pytest.fixture
def desktop(tmp_path: Path) -> Generator[Desktop]:
    with LocalDesktops(data_dir=tmp_path / "data", browser="chromium").open(
        "private", run="test", size=None, raise_if_cancelled=_never
    ) as desktop:
        yield desktop


@pytest.fixture
def tree(desktop: Desktop) -> Generator[DisplayAccessibility]:
    found = DisplayAccessibility(desktop.session_bus)
    assert found.unavailable() is None
    yield found
    found.close()


def _named(read: AccessibleTree, role: Role, name: str) -> Element:
    (found,) = [each for each in read.elements if each.role is role and each.name == name]
    return found


def _read_with(tree: DisplayAccessibility, role: Role, name: str) -> AccessibleTree:
    """What the tree says as soon as it has that; a busy program may say nothing to the next question."""

    def shown() -> AccessibleTree | None:
        read = tree.read()
        return read if any(each.role is role and each.name == name for each in read.elements) else None

    read = until(shown)
    assert read is not None
    return read


@pytest.mark.nightly
def test_a_program_of_gtk_tells_its_fields_and_what_they_hold(desktop: Desktop, tree: DisplayAccessibility) -> None:
    arguments = ("--forms", "--title=New order", "--add-entry=Customer", "--add-password=Secret")
    desktop.act(OpenApp(name="zenity", arguments=arguments), _never)
    read = _read_with(tree, Role.TEXTBOX, "Customer")
    field, secret = _named(read, Role.TEXTBOX, "Customer"), _named(read, Role.TEXTBOX, "Secret")
    (window,) = [each for each in desktop.windows() if each.title == "New order"]

    assert field.value == ""
    assert State.EDITABLE in field.states
    assert field.pid == window.pid
    assert field.box is not None
    assert window.box.contains(field.box.centre)
    assert State.PROTECTED in secret.states
    assert secret.value is None
    assert _named(read, Role.BUTTON, "OK").actions


def test_a_page_in_chromium_tells_its_controls_and_not_what_is_scrolled_away(
    desktop: Desktop, tree: DisplayAccessibility, tmp_path: Path
) -> None:
    require_browser_sandbox()
    page = tmp_path / "order.html"
    page.write_text(_FORM, encoding="utf-8")
    desktop.act(OpenUrl(url=page.as_uri()), _never)
    read = _read_with(tree, Role.TEXTBOX, "Recipient")

    assert _named(read, Role.TEXTBOX, "Recipient").value == "Molly Mills"
    assert _named(read, Role.TEXTBOX, "Secret").value is None
    assert State.CHECKED in _named(read, Role.CHECKBOX, "Express").states
    assert _named(read, Role.COMBOBOX, "Kind").value == "Tube"
    assert State.ENABLED not in _named(read, Role.BUTTON, "Send").states
    assert not [each for each in read.elements if each.name == "Far away"]


@pytest.mark.nightly
def test_a_program_of_qt_is_walked_and_lives(desktop: Desktop, tree: DisplayAccessibility) -> None:
    desktop.act(OpenApp(name="/usr/bin/python3", arguments=("-c", _QT)), _never)
    read = _read_with(tree, Role.TEXTBOX, "Customer")

    assert _named(read, Role.TEXTBOX, "Customer").value == "draft"
    assert _named(read, Role.TEXTBOX, "Secret").value is None
    assert _named(read, Role.COMBOBOX, "Kind").value == "Box"
    assert _named(read, Role.CHECKBOX, "Express").box is not None


@pytest.mark.nightly
def test_a_program_of_tk_has_no_tree(desktop: Desktop, tree: DisplayAccessibility) -> None:
    program = "import tkinter; root = tkinter.Tk(); root.title('Plain'); tkinter.Entry(root).pack(); root.mainloop()"
    desktop.act(OpenApp(name=sys.executable, arguments=("-c", program)), _never)
    (window,) = [each for each in desktop.windows() if each.title == "Plain"]
    assert window.pid is not None

    assert tree.read({window.pid}) == AccessibleTree()


def test_a_private_display_ends_its_buses(tmp_path: Path) -> None:
    with LocalDesktops(data_dir=tmp_path).open("private", run="test", size=None, raise_if_cancelled=_never) as own:
        tree = DisplayAccessibility(own.session_bus)
        assert tree.unavailable() is None
        of_bus = _of_bus(own.session_bus)
        assert {"at-spi-bus-launcher", "at-spi2-registryd"} <= {each.name() for each in of_bus}
    until(lambda: not any(each.is_running() for each in of_bus))

    assert tree.unavailable() == "The accessibility bus of this display has ended."
    assert tree.read().left_out
    tree.close()


def _of_bus(address: str) -> list[psutil.Process]:
    """The processes that know the folder of the session bus."""
    folder = str(Path(address.removeprefix("unix:path=")).parent.parent)
    found: list[psutil.Process] = []
    for each in psutil.process_iter():
        with suppress(psutil.Error):
            if any(folder in value for value in each.environ().values()):
                found.append(each)
    return found


_WINDOW: Final = Told(1, 0, FRAME, "Planted", (0, 0, 600, 400))


def _fields(*nodes: Told) -> list[Told]:
    return [_WINDOW, *nodes]


def _timed(read: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    found = read()
    return found, time.perf_counter() - began


def test_a_program_that_hangs_is_left_out_and_costs_nothing_the_next_time(
    desktop: Desktop, tree: DisplayAccessibility
) -> None:
    hanging = FakeProgram(_fields(Told(2, 1, BUTTON, "Save")), silent={"GetItems", "GetExtents"})
    with planted(desktop.session_bus, hanging), planted(desktop.session_bus, FakeProgram(_fields(_OK))):
        first, took = _timed(tree.read)
        second, again = _timed(tree.read)

    assert took < PATIENCE + _MACHINE
    assert again < PATIENCE
    assert "has not told its elements in 150 ms" in first.left_out[0]
    assert second.left_out
    assert _named(second, Role.BUTTON, "OK").box is not None


_OK: Final = Told(3, 1, BUTTON, "OK")


def test_what_cannot_be_a_place_is_none(desktop: Desktop, tree: DisplayAccessibility) -> None:
    lies = [(-(1 << 31), -(1 << 31), 1, 1), (5, 5, -3, 9), (0, 0, 1 << 20, 9), (5000, 10, 80, 20)]
    liar = FakeProgram(_fields(_OK, *(Told(9 + at, 1, BUTTON, "Lie", box) for at, box in enumerate(lies))))
    with planted(desktop.session_bus, liar):
        _read_with(tree, Role.BUTTON, "OK")

        assert not [each for each in tree.read().elements if each.name == "Lie"]


@pytest.mark.nightly
def test_nodes_that_are_their_own_parents_end_nothing(desktop: Desktop, tree: DisplayAccessibility) -> None:
    turning = [_OK, Told(7, 8, BUTTON, "Round"), Told(8, 7, BUTTON, "About"), Told(9, 9, BUTTON, "Self")]
    with planted(desktop.session_bus, FakeProgram(_fields(*turning))):
        _read_with(tree, Role.BUTTON, "OK")

        assert [each.name for each in tree.read().elements if each.role is Role.BUTTON] == ["OK"]


@pytest.mark.nightly
def test_a_tree_of_fifty_thousand_is_known_by_and_by(desktop: Desktop, tree: DisplayAccessibility) -> None:
    rows = [Told(number, 1, BUTTON, f"Row {number}") for number in range(2, 50_002)]
    with planted(desktop.session_bus, FakeProgram(_fields(*rows))), planted(desktop.session_bus, FakeProgram([])):
        # It is made, and taken apart, in this process, which does nothing else meanwhile.
        _, took = _timed(tree.read)
        assert took < 10 * (PATIENCE + _MACHINE)
        until(lambda: "more elements than are looked at" in _sentences(tree.read().left_out), seconds=60)

        assert len(tree.read().elements) <= 2000


@pytest.mark.parametrize(
    "count",
    [1 << 30, pytest.param(-1, marks=pytest.mark.nightly)],
    ids=["more than anybody lists", "more than can be counted"],
)
def test_a_sheet_is_not_asked_for_its_cells(desktop: Desktop, tree: DisplayAccessibility, count: int) -> None:
    sheet = FakeProgram(_fields(Told(4, 1, TABLE, "Sheet", count=count), _OK), silent={"GetChildren"})
    with planted(desktop.session_bus, sheet):
        _read_with(tree, Role.BUTTON, "OK")

        assert _named(tree.read(), Role.TABLE, "Sheet").box is not None
    assert "GetChildren" not in sheet.asked


def test_a_part_that_the_cache_puts_nowhere_is_where_its_program_lists_it(
    desktop: Desktop, tree: DisplayAccessibility
) -> None:
    panel = Told(4, 1, TABLE, "Rows", count=1)
    with planted(desktop.session_bus, FakeProgram(_fields(panel, Told(5, 4, BUTTON, "Inner", cached_parent=99)))):
        _read_with(tree, Role.BUTTON, "Inner")
        read = tree.read()

    assert read.by_id[_named(read, Role.BUTTON, "Inner").parent].name == "Rows"


def test_a_program_that_has_not_answered_is_told_apart_from_one_that_tells_nothing(
    desktop: Desktop, tree: DisplayAccessibility
) -> None:
    busy = FakeProgram(_fields(_OK), silent={"GetItems"})
    with planted(desktop.session_bus, busy):
        until(lambda: bool(tree.read().left_out))

        assert tree.read().late == {os.getpid()}


def test_a_tree_that_changes_while_it_is_read_is_read_again(desktop: Desktop, tree: DisplayAccessibility) -> None:
    program = FakeProgram(_fields(_OK, Told(4, 1, ENTRY, "Name", text="old")))
    with planted(desktop.session_bus, program):
        _read_with(tree, Role.TEXTBOX, "Name")
        program.nodes.remove(_OK)
        program.nodes.append(Told(5, 1, BUTTON, "Later"))
        program.tell("ChildrenChanged", "add", 1, 0, Variant("s", ""))
        _read_with(tree, Role.BUTTON, "Later")
        read = tree.read()

    assert not [each for each in read.elements if each.name == "OK"]
    assert _named(read, Role.TEXTBOX, "Name").value == "old"


def test_what_has_not_changed_is_not_asked_for_twice(desktop: Desktop, tree: DisplayAccessibility) -> None:
    program = FakeProgram(_fields(_OK))
    with planted(desktop.session_bus, program):
        _read_with(tree, Role.BUTTON, "OK")
        before = program.asked.count("GetItems")
        tree.read()
        tree.read()

        assert program.asked.count("GetItems") == before


def test_a_state_is_kept_by_its_event(desktop: Desktop, tree: DisplayAccessibility) -> None:
    heard: list[AccessibleChange] = []
    tree.follow(heard.append)
    program = FakeProgram(_fields(_OK))
    with planted(desktop.session_bus, program):
        _read_with(tree, Role.BUTTON, "OK")
        program.tell("StateChanged", "focused", 3, 1, Variant("i", 0))
        until(lambda: any(each.kind == "focused" and each.is_on for each in heard))

        assert State.FOCUSED in _named(tree.read(), Role.BUTTON, "OK").states


def test_a_password_is_never_asked_for(desktop: Desktop, tree: DisplayAccessibility) -> None:
    program = FakeProgram(_fields(Told(4, 1, PASSWORD, "Secret", text="sesame"), _OK))
    with planted(desktop.session_bus, program):
        _read_with(tree, Role.TEXTBOX, "Secret")
        tree.again(_named(tree.read(), Role.TEXTBOX, "Secret"))

    assert "GetText" not in program.asked


def test_a_bus_that_dies_is_said_and_raises_nothing(tmp_path: Path) -> None:
    with LocalDesktops(data_dir=tmp_path).open("private", run="test", size=None, raise_if_cancelled=_never) as own:
        tree = DisplayAccessibility(own.session_bus)
        with planted(own.session_bus, FakeProgram(_fields(_OK))):
            _read_with(tree, Role.BUTTON, "OK")
            button = _named(tree.read(), Role.BUTTON, "OK")
            for each in _of_bus(own.session_bus):
                if each.name() in {"at-spi-bus-launcher", "dbus-daemon"}:
                    os.kill(each.pid, signal.SIGKILL)
            until(lambda: tree.unavailable() is not None)

        assert tree.read().elements == ()
        assert tree.again(button) is None
        assert tree.unavailable() == "The accessibility bus of this display has ended."
        tree.close()


@pytest.mark.parametrize(
    ("session", "said"),
    [("", "has no session bus"), ("disabled:", "has no session bus"), ("unix:path=/nowhere", "used")],
)
def test_a_display_without_a_bus_says_so(session: str, said: str) -> None:
    tree = DisplayAccessibility(session)

    assert said in str(tree.unavailable())
    assert said in _sentences(tree.read().left_out)
    tree.close()


def _sentences(left_out: Sequence[str]) -> str:
    return " ".join(left_out)
