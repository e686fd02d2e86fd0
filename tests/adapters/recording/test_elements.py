"""The elements that a log names: those of real programs, never a secret of theirs, and never at anybody's cost."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from adapters.desktop.accessibility.display import DisplayAccessibility
from adapters.recording.elements import PATIENCE, ElementWatch
from core.accessibility import Role
from core.recording.input_log import Clicked, InputEvent, InputLog, Pressed, TouchedElement, Typed, log_beside
from core.recording.recorder import Exclusions
from core.screens import Box
from tests.clock import until
from tests.fakes.desktops.accessible_session import accessible_session
from tests.fakes.desktops.x_programs import pad
from tests.fakes.desktops.x_user import running, x_display
from tests.fakes.recordings.continuous import continuous
from tests.fakes.recordings.demonstrations import demonstration, logged

pytestmark = pytest.mark.screen

_PAGE: Final = """<!doctype html><title>Order</title><body style="font:20px sans-serif;margin:0">
<style>div{height:60px;line-height:60px;padding-left:20px} select,button{width:200px;height:30px}</style>
<div><label>Recipient <input></label></div>
<div><label>Secret <input type=password></label></div>
<div><input type=checkbox id=e style="width:20px;height:20px"><label for=e>Express</label></div>
<div><label>Kind <select><option>Box<option>Tube</select></label></div>
<div><button onclick="document.body.innerHTML='Done'">Send</button></div>
"""
_SESAME: Final = "sesameqzx"


@pytest.fixture
def display() -> Generator[str]:
    with x_display() as name:
        yield name


@pytest.fixture
def session(display: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Mapping[str, str]]:
    with accessible_session(display, tmp_path_factory.mktemp("s")) as environment:
        yield environment


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "demo.mp4"


def _xdotool(session: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(["xdotool", *arguments], check=True, env=dict(session), capture_output=True, text=True)
    return done.stdout


def _click(session: Mapping[str, str], x: int, y: int) -> None:
    """As a hand does, which moves there first and is no machine."""
    _xdotool(session, "mousemove", str(x - 3), str(y), "sleep", "0.1", "mousemove", str(x), str(y))
    _xdotool(session, "sleep", "0.4", "mousedown", "1", "sleep", "0.15", "mouseup", "1", "sleep", "0.2")


def _type(session: Mapping[str, str], text: str) -> None:
    """As a hand does, which rests before it does anything else: a busy program takes as long to show the letters."""
    _xdotool(session, "type", "--delay", "120", text)
    _xdotool(session, "sleep", "0.6")


@contextmanager
def _shown(session: Mapping[str, str], *command: str, title: str) -> Generator[subprocess.Popen[bytes]]:
    quiet = subprocess.DEVNULL
    with running(list(command), env=dict(session), stdin=quiet, stdout=quiet, stderr=quiet) as program:
        until(lambda: _is_shown(session, title), 30)
        yield program


def _is_shown(session: Mapping[str, str], title: str) -> bool:
    command = ["xdotool", "search", "--onlyvisible", "--name", title]
    return subprocess.run(command, env=dict(session), capture_output=True, check=False).returncode == 0


@contextmanager
def _browser(session: Mapping[str, str], folder: Path, html: str = _PAGE) -> Generator[None]:
    page = folder / "page.html"
    page.write_text(html, encoding="utf-8")
    command = (
        *("chromium", "--no-sandbox", "--test-type", "--no-first-run", "--disable-gpu", "--password-store=basic"),
        *("--kiosk", "--force-renderer-accessibility", f"--user-data-dir={folder / 'profile'}", page.as_uri()),
    )
    with _shown(session, *command, title="^Order"):
        _field(session, "Recipient")
        yield


def _field(session: Mapping[str, str], name: str) -> tuple[int, int]:
    """The middle of a field, as soon as it is there."""
    tree = DisplayAccessibility(session["DBUS_SESSION_BUS_ADDRESS"])
    found: list[Box] = []

    def is_there() -> bool:
        found[:] = [
            each.box for each in tree.read().elements if each.name == name and each.value is not None and each.box
        ]
        return bool(found)

    try:
        until(is_there)
    finally:
        tree.close()
    return found[0].centre.x, found[0].centre.y


def _elements(log: InputLog, kind: type[Clicked | Typed | Pressed]) -> list[TouchedElement | None]:
    return [event.element for event in log.events if isinstance(event, kind)]


def _await(out: Path, told: Callable[[Sequence[InputEvent]], bool]) -> None:
    until(lambda: told(logged(out).events), 15)


def _typed(count: int) -> Callable[[Sequence[InputEvent]], bool]:
    return lambda events: sum(isinstance(each, Typed) for each in events) == count


def test_a_page_tells_what_was_clicked_chosen_and_typed_and_never_a_password(
    display: str, session: Mapping[str, str], out: Path, tmp_path: Path
) -> None:
    with _browser(session, tmp_path), demonstration(display, out, environment=session) as recording:
        _click(session, 200, 32)
        # A person types when the field has the caret; what it held is read then.
        recording.go_on(400)
        _type(session, "Mary Shelley")
        _xdotool(session, "key", "Tab")
        _type(session, _SESAME)
        _await(out, _typed(2))
        _click(session, 32, 152)
        _click(session, 140, 215)
        recording.go_on(500)
        _xdotool(session, "key", "Down", "sleep", "0.3", "key", "Return")
        recording.go_on(700)
        _click(session, 100, 275)
        recording.go_on(700)
    log = logged(out)
    name, secret = _elements(log, Typed)
    clicked = _elements(log, Clicked)

    assert name is not None
    assert (name.role, name.name, name.value, name.before) == (Role.TEXTBOX, "Recipient", "Mary Shelley", "")
    assert name.window.startswith("Order")
    assert secret is not None
    assert (secret.name, secret.value, secret.is_secret) == ("Secret", None, True)
    assert [(each.role, each.name) for each in clicked if each is not None] == [
        (Role.TEXTBOX, "Recipient"),
        (Role.CHECKBOX, "Express"),
        (Role.COMBOBOX, "Kind"),
        (Role.BUTTON, "Send"),
    ]
    assert clicked[1] is not None
    assert clicked[1].value == "checked"
    chosen = _elements(log, Pressed)[-1]
    assert chosen is not None
    assert "Tube" in (chosen.name, chosen.value)
    assert _SESAME[:4] not in log_beside(out).read_text(encoding="utf-8")


_SHEET: Final = """<!doctype html><title>Order</title><body style="font:20px sans-serif;margin:0">
<label>Recipient <input></label>
<table role="grid"><tr><td role="gridcell" tabindex="0" aria-label="Amount" style="width:200px;height:60px"
onkeydown="edit(this)">0</td></tr></table><script>
const edit = (cell) => {
  if (cell.querySelector("input")) return
  cell.innerHTML = "<input>"
  cell.firstChild.focus()
}</script>"""


@pytest.mark.nightly
def test_what_is_typed_into_a_cell_is_told_by_the_editor_that_its_first_letter_opens(
    display: str, session: Mapping[str, str], out: Path, tmp_path: Path
) -> None:
    with _browser(session, tmp_path, _SHEET), demonstration(display, out, environment=session) as recording:
        _click(session, 100, 60)
        _type(session, "12.50")
        recording.go_on(700)
        _await(out, _typed(1))
    (typed,) = _elements(logged(out), Typed)

    assert typed is not None
    assert (typed.role, typed.value) == (Role.TEXTBOX, "12.50")


@pytest.mark.nightly
def test_a_program_of_gtk_tells_its_fields_by_what_stands_beside_them(
    display: str, session: Mapping[str, str], out: Path
) -> None:
    form = ("zenity", "--forms", "--title=New order", "--add-entry=Customer", "--add-password=Secret")
    with _shown(session, *form, title="New order"):
        x, y = _field(session, "Customer")
        with demonstration(display, out, environment=session):
            _click(session, x, y)
            _type(session, "Ada Byron")
            _xdotool(session, "key", "Tab")
            _type(session, _SESAME)
            _await(out, _typed(2))
    first, second = _elements(logged(out), Typed)

    assert first is not None
    assert (first.role, first.name, first.value) == (Role.TEXTBOX, "Customer", "Ada Byron")
    assert second is not None
    assert (second.name, second.value, second.is_secret) == ("Secret", None, True)
    assert _SESAME[:4] not in log_beside(out).read_text(encoding="utf-8")


def test_a_list_that_is_called_by_the_option_that_it_shows_is_told_by_its_label(
    display: str, session: Mapping[str, str], out: Path
) -> None:
    form = ("yad", "--form", "--title=New order", "--field=Size:CB", "None!Small", "--field=Colour:CB", "None!Red")
    with _shown(session, *form, title="New order"):
        x, y = _field(session, "Colour")
        with demonstration(display, out, environment=session):
            _click(session, x, y)
            _await(out, lambda events: any(isinstance(each, Clicked) for each in events))
    (clicked,) = _elements(logged(out), Clicked)

    assert clicked is not None
    assert (clicked.role, clicked.name) == (Role.COMBOBOX, "Colour")


@pytest.mark.nightly
def test_an_excluded_window_tells_nothing_and_one_beside_it_does(
    display: str, session: Mapping[str, str], tmp_path: Path
) -> None:
    vault = ("zenity", "--entry", "--title=my vault", "--text=Qxzvault", "--entry-text=Qxzholds")
    form = ("zenity", "--forms", "--title=New order", "--add-entry=Customer")
    options = {"session": session, "exclusions": Exclusions(titles=("vault",)), "fps": 8.0}
    with (
        _shown(session, *vault, title="my vault"),
        _shown(session, *form, title="New order"),
        continuous(display, tmp_path / "r", **options) as recorded,
    ):
        for title, place in (("my vault", ("100", "400")), ("New order", ("700", "100"))):
            _xdotool(session, "search", "--name", title, "windowmove", "--sync", *place)
        recorded.await_pictures(2)
        _click(session, 150, 440)
        _type(session, "Qxztyped")
        _xdotool(session, "search", "--name", "New order", "windowactivate", "--sync")
        _click(session, *_field(session, "Customer"))
        log = log_beside(recorded.opened[0].path)

        def is_told() -> bool:
            _type(session, "a")
            return '"value":"a' in log.read_text(encoding="utf-8")

        until(is_told)
    text = log.read_text(encoding="utf-8")

    assert '"name":"Customer"' in text
    assert "qxz" not in text.lower()
    assert "vault" not in text


def test_a_program_that_hangs_costs_its_patience_and_no_input(
    display: str, session: Mapping[str, str], out: Path
) -> None:
    form = ("zenity", "--forms", "--title=New order", "--add-entry=Customer")
    with _shown(session, *form, title="New order") as program:
        x, y = _field(session, "Customer")
        with demonstration(display, out, environment=session):
            _click(session, x, y)
            _await(out, lambda events: any(isinstance(each, Clicked) and each.element for each in events))
            os.kill(program.pid, signal.SIGSTOP)
            try:
                _click(session, x - 100, y)
                _type(session, "abc")
                _await(out, _typed(1))
            finally:
                os.kill(program.pid, signal.SIGCONT)
    log = logged(out)

    assert len(_elements(log, Clicked)) == 2
    assert [event.count for event in log.events if isinstance(event, Typed)] == [3]


@pytest.mark.nightly
def test_what_cannot_be_asked_keeps_nobody_waiting(display: str, out: Path) -> None:
    watch = ElementWatch("unix:path=/nowhere/bus")
    assert not watch.await_start()
    before = time.monotonic()
    watch.press(10, before, None)
    assert watch.is_settled(Clicked(t_ms=10, x=1, y=1), before)
    assert time.monotonic() - before < PATIENCE
    watch.close()
    environment = {"DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"}
    with pad(display), demonstration(display, out, environment=environment) as recording:
        _xdotool({**os.environ, "DISPLAY": display}, "mousemove", "300", "300", "click", "1")
        recording.go_on(1500)
    assert _elements(logged(out), Clicked) == [None]
