"""What is typed stands in its own field, once and exactly, or the run says otherwise: programs of three toolkits."""

import json
import random
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from core.runs.run import Run, RunOutcome
from core.steps import FOCUS
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.runs.activities import form
from tests.fakes.runs.made_workflows import carried_out, step
from tests.fakes.runs.replaying import Replays
from tests.fakes.web.servers import FakeServer, Request, Response

pytestmark = pytest.mark.screen

_LETTERS: Final = {"triple_click": "T", "left_click": "L", "type": "Y", "read_field": "R", "key": "K"}
_EMPTY: Final = "(TYR|LY)"
_HINTED: Final = "(RKYR|LY|LKKY)"
"""By its pixels and its selection, or as its program tells."""
_SYSTEM: Final = "/usr/bin/python3"
_ENTRIES: Final = ("Customer", "Article", "Quantity")
_ZENITY: Final = ("--title=New order", "--text=New order", *(f"--add-entry={name}" for name in _ENTRIES))
_TK: Final = """
import sys, tkinter
root = tkinter.Tk()
root.geometry("420x160+80+80")
root.title("New order")
value = tkinter.StringVar(value=sys.argv[2])
if sys.argv[3:]:
    value.trace_add("write", lambda *_: value.set(eval(sys.argv[3], {"value": value.get()})))
tkinter.Label(root, text="Customer", font=("DejaVu Sans", 12)).grid(row=0, column=0, padx=10, pady=20)
tkinter.Entry(root, textvariable=value, font=("DejaVu Sans", 12)).grid(row=0, column=1)
def end():
    open(sys.argv[1], "w").write(value.get())
    root.destroy()
tkinter.Button(root, text="Save", command=end).grid(row=1, column=1)
root.mainloop()
"""


def _run(folder: Path, arguments: Sequence[str], values: Mapping[str, str], button: str, title: str) -> Run:
    """Start a program by Python, fill its fields in, and click its button."""
    steps = [
        step("OPEN_APP", "the desktop", sys.executable, arguments=["-c", *arguments]),
        *(step("TYPE", f'the "{name}" field', value) for name, value in values.items()),
        step("CLICK", f'the "{button}" button'),
    ]
    return carried_out(folder, steps, title)


@pytest.mark.nightly
def test_each_value_stands_in_its_own_field_of_a_dialog(tmp_path: Path) -> None:
    state = tmp_path / "state"
    code = "import subprocess, sys; subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], 'w'))"
    values = {"Customer": "Molly Mills", "Article": "Blue chair", "Quantity": "4"}
    run = _run(tmp_path, [code, str(state), "zenity", "--forms", *_ZENITY], values, "OK", "New order")

    assert state.read_text(encoding="utf-8").strip() == "|".join(values.values()), run.reason


_LATE: Final = """
import sys, tkinter
root = tkinter.Tk()
root.geometry("420x200+80+80")
root.title("New order")
entries = []
for row, name in enumerate(("Customer", "Article")):
    tkinter.Label(root, text=name, font=("DejaVu Sans", 12)).grid(row=row, column=0, padx=10, pady=14)
    entries.append(tkinter.Entry(root, font=("DejaVu Sans", 12)))
    entries[-1].grid(row=row, column=1)
entries[0].focus_force()
def late(event):
    root.after(400, event.widget.focus_set)
    return "break"
entries[1].bind("<Button-1>", late)
def end():
    open(sys.argv[1], "w").write("|".join(entry.get() for entry in entries))
    root.destroy()
tkinter.Button(root, text="Save", command=end).grid(row=2, column=1)
root.mainloop()
"""


_QT: Final = """
from PyQt5.QtWidgets import QApplication, QFormLayout, QLineEdit, QPushButton, QWidget
application = QApplication(["order"])
window = QWidget()
window.setWindowTitle("New order")
window.setStyleSheet("font-size: 12pt")
form, field, button = QFormLayout(window), QLineEdit("draft"), QPushButton("Save")
field.setMinimumWidth(300)
form.addRow("Customer", field)
form.addRow(button)
button.clicked.connect(lambda: (print(field.text()), application.quit()))
window.show()
application.exec_()
"""


@pytest.mark.nightly
def test_letters_that_the_keyboard_lacks_arrive_in_qt(tmp_path: Path) -> None:
    state = tmp_path / "state"
    code = "import subprocess, sys; subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], 'w'))"
    arguments = [code, str(state), "/usr/bin/python3", "-c", _QT]
    run = _run(tmp_path, arguments, {"Customer": "René Kříž"}, "Save", "New order")

    assert state.read_text(encoding="utf-8") == "René Kříž\n", run.reason


@pytest.mark.nightly
def test_nothing_is_typed_before_the_field_has_the_focus(tmp_path: Path) -> None:
    state = tmp_path / "state"
    values = {"Customer": "Molly Mills", "Article": "Blue chair"}
    run = _run(tmp_path, [_LATE, str(state)], values, "Save", "New order")

    assert state.read_text(encoding="utf-8") == "Molly Mills|Blue chair", run.reason


# A Tk field is pasted into what its keyboard lacks, and a paste replaces no selection there.
@pytest.mark.parametrize(
    "value",
    [
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("Grace Small", "J. Berg")),
        "René Kříž",
    ],
)
def test_what_a_field_holds_already_is_replaced(tmp_path: Path, value: str) -> None:
    state = tmp_path / "state"
    run = _run(tmp_path, [_TK, str(state), "draft.txt"], {"Customer": value}, "Save", "New order")

    assert state.read_text(encoding="utf-8") == value, run.reason
    assert run.subtasks[0].result == "Its 3 steps were done."


def test_a_field_that_drops_letters_ends_the_run(tmp_path: Path) -> None:
    state = tmp_path / "state"
    run = _run(tmp_path, [_TK, str(state), "", "value[:8]"], {"Customer": "Molly Mills"}, "Save", "New order")

    assert run.outcome is RunOutcome.FAILED
    assert 'it shows "Molly Mi"' in run.reason
    assert not state.exists()


@pytest.mark.nightly
def test_a_field_that_changes_the_case_is_a_doubt_and_no_end(tmp_path: Path) -> None:
    state = tmp_path / "state"
    run = _run(tmp_path, [_TK, str(state), "", "value.upper()"], {"Customer": "Molly Mills"}, "Save", "New order")

    assert state.read_text(encoding="utf-8") == "MOLLY MILLS", run.reason
    assert 'made "MOLLY MILLS" of it' in run.subtasks[0].result


@pytest.mark.nightly
def test_a_field_is_touched_once_before_typing_and_read_once_after(tmp_path: Path) -> None:
    with form(random.Random(7)).opened(tmp_path) as case:
        run = Replays(tmp_path).run(case)
        rows = [json.loads(line) for line in (case.run_folder / "events.jsonl").read_text("utf-8").splitlines()]
    assert run.outcome is RunOutcome.SUCCEEDED, run.reason

    calls = [row["tool_call"] for row in rows if row["type"] == "computer_use" and row["subtask_idx"] == 1]
    done = [call["arguments"]["action"] for call in calls]
    # Recipient, street, city; country; weight, date; service, code, note; the box and the button.
    told = "".join(_LETTERS[each] for each in done if each != "wait")
    assert re.fullmatch(f"{_EMPTY}{{3}}LL{_HINTED}{{2}}LLY{_HINTED}LL", told), told


def test_a_program_that_tells_what_its_field_holds_needs_no_selection(tmp_path: Path) -> None:
    state = tmp_path / "state"
    code = "import subprocess, sys; subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], 'w'))"
    arguments = [code, str(state), "/usr/bin/python3", "-c", _QT]
    run = _run(tmp_path, arguments, {"Customer": "Molly O'Neil  1Il0O"}, "Save", "New order")
    rows = [json.loads(line) for line in (Path(run.directory) / "events.jsonl").read_text("utf-8").splitlines()]
    calls = [row["tool_call"]["arguments"]["action"] for row in rows if row["type"] == "computer_use"]

    assert state.read_text(encoding="utf-8") == "Molly O'Neil  1Il0O\n", run.reason
    assert "read_field" not in calls, [row.get("pixel_action", {}).get("observation") for row in rows]
    assert run.subtasks[0].result == "Its 3 steps were done."


_DEAF: Final = """
import tkinter
root = tkinter.Tk()
root.geometry("420x160+80+80")
root.title("New order")
shown = tkinter.StringVar()
tkinter.Label(root, textvariable=shown, font=("DejaVu Sans", 16)).pack(pady=40)
root.bind("<Key>", lambda event: shown.set(shown.get() + event.char if {hears} else "Welcome"))
root.focus_force()
root.mainloop()
"""


@pytest.mark.parametrize(
    ("hears", "text"),
    [("False", "Molly Mills"), pytest.param("event.char in 'aeiou'", "Molly Mills", marks=pytest.mark.nightly)],
)
def test_letters_that_do_not_arrive_where_the_focus_is_end_the_run(tmp_path: Path, hears: str, text: str) -> None:
    opening = step("OPEN_APP", "the desktop", sys.executable, arguments=["-c", _DEAF.format(hears=hears)])
    run = carried_out(tmp_path, [opening, step("TYPE", FOCUS, text)], "New order")

    assert run.outcome is RunOutcome.FAILED, run.subtasks[0].result
    assert f'"{text}" was typed where the focus is, but it is not seen to have arrived anywhere.' in run.reason


@pytest.mark.nightly
def test_letters_that_arrive_where_the_focus_is_are_no_doubt(tmp_path: Path) -> None:
    opening = step("OPEN_APP", "the desktop", sys.executable, arguments=["-c", _DEAF.format(hears="True")])
    run = carried_out(tmp_path, [opening, step("TYPE", FOCUS, "Molly Mills")], "New order")

    assert run.subtasks[0].result == "Its 2 steps were done.", run.reason


_CHOICES: Final = """
from PyQt5.QtWidgets import QApplication, QCheckBox, QComboBox, QFormLayout, QPushButton, QRadioButton, QWidget
application = QApplication(["order"])
window = QWidget()
window.setWindowTitle("New order")
window.setStyleSheet("font-size: 12pt")
form, kind, gift, quick, button = (
    QFormLayout(window), QComboBox(), QCheckBox("As a gift"), QRadioButton("Express"), QPushButton("Save")
)
kind.addItems(["Box", "Tube", "Bag"])
form.addRow("Kind", kind)
for each in (gift, quick, QRadioButton("Slow"), button):
    form.addRow(each)
button.clicked.connect(
    lambda: (print(kind.currentText(), gift.isChecked(), quick.isChecked()), application.quit())
)
window.show()
application.exec_()
"""


@pytest.mark.nightly
def test_choices_are_made_by_real_input_and_read_back_as_the_program_tells(tmp_path: Path) -> None:
    state = tmp_path / "state"
    code = "import subprocess, sys; subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], 'w'))"
    ticked = {"post_action": ["The box is checked."]}
    steps = [
        step("OPEN_APP", "the desktop", sys.executable, arguments=["-c", code, str(state), _SYSTEM, "-c", _CHOICES]),
        step("TYPE", 'the "Kind" dropdown', "Tube"),
        {**step("CLICK", 'the "As a gift" checkbox'), **ticked},
        {**step("CLICK", 'the "As a gift" checkbox'), **ticked},
        {**step("CLICK", 'the "Express" radio button'), "post_action": ["It is selected."]},
        step("CLICK", 'the "Save" button'),
    ]
    run = carried_out(tmp_path, steps, "New order")

    assert state.read_text(encoding="utf-8") == "Tube True True\n", run.reason
    assert run.subtasks[0].result == "Its 6 steps were done."


_LATE_PAGE: Final = """<!doctype html><title>Parcels</title><h1>New parcel</h1>
<p><label>Weight <input name="weight"></label> <button>Save parcel</button></p>
<script src="late.js"></script>"""
_LATE_SCRIPT: Final = """const state = {}
document.querySelector("input").addEventListener("input", (event) => { state.weight = event.target.value })
document.querySelector("button").addEventListener("click", () => {
  fetch("/saved", { method: "POST", body: JSON.stringify(state) })
  document.title = document.querySelector("h1").textContent = "Parcel saved"
})"""


class _LatePage(FakeServer):
    """A page whose script comes when its fields have long been drawn."""

    def answer(self, request: Request) -> Response:
        if request.path != "/late.js":
            return Response(200, _LATE_PAGE)
        late = threading.Event()
        threading.Timer(2.5, late.set).start()
        return Response(200, _LATE_SCRIPT, hold=late)

    def weights(self) -> list[str | None]:
        with self.lock:
            return [request.json.get("weight") for request in self.requests if request.method == "POST"]


@pytest.mark.nightly
def test_a_page_is_typed_into_when_it_has_loaded_so_that_its_script_sees_it(tmp_path: Path) -> None:
    require_browser_sandbox()
    with _LatePage() as server:
        steps = [
            step("OPEN_URL", "the browser", f"{server.url}/"),
            step("TYPE", 'the "Weight" field', "3.5"),
            step("CLICK", 'the "Save parcel" button'),
        ]
        run = carried_out(tmp_path, steps, "New parcel")
        assert server.weights() == ["3.5"], run.reason


_SEARCHED: Final = """<!doctype html><title>Patients</title><style>
body { font: 18px sans-serif } .field { border: 1px solid #777; padding: 6px; width: 320px }
#list { border: 1px solid #777; width: 320px } #list div, #list input { padding: 6px; font: inherit }
</style><h1>New patient</h1><p>Vet</p><div class="field" id="vet">Search...</div>
<div id="list" hidden><input><div>Dr Ida Falk</div><div>Dr Per Strand</div></div><p><button>Save patient</button></p>
<script>
const [vet, list] = [document.getElementById("vet"), document.getElementById("list")]
const [find, entries] = [list.querySelector("input"), [...list.querySelectorAll("div")]]
const choose = (entry) => { vet.textContent = entry.textContent; list.hidden = true }
vet.addEventListener("click", () => { list.hidden = false; find.focus() })
entries.forEach((entry) => entry.addEventListener("click", () => choose(entry)))
find.addEventListener("input", () => setTimeout(() => {
  entries.forEach((entry) => { entry.hidden = !entry.textContent.includes(find.value) })
}, 5000))
find.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(entries.find((one) => !one.hidden)) })
document.querySelector("button").addEventListener("click", () => {
  fetch("/saved", { method: "POST", body: JSON.stringify({ vet: vet.textContent }) })
  document.title = document.querySelector("h1").textContent = "Patient saved"
})
</script>"""
"""A list that is asked of a server: what fits the letters comes later than Enter."""


class _SearchedPage(FakeServer):
    def answer(self, request: Request) -> Response:
        del request
        return Response(200, _SEARCHED)

    def vets(self) -> list[str | None]:
        with self.lock:
            return [request.json.get("vet") for request in self.requests if request.method == "POST"]


@pytest.mark.nightly
def test_an_entry_that_is_in_view_is_clicked_whatever_enter_would_take(tmp_path: Path) -> None:
    require_browser_sandbox()
    with _SearchedPage() as server:
        steps = [
            step("OPEN_URL", "the browser", f"{server.url}/"),
            step("TYPE", 'the "Vet" dropdown', "Dr Per Strand"),
            step("CLICK", 'the "Save patient" button'),
        ]
        run = carried_out(tmp_path, steps, "New patient")
        assert server.vets() == ["Dr Per Strand"], run.reason
