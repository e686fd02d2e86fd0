"""Menus, sliders, lists, marks, rows and fields of a program that tells of them: set by real input, and read back."""

import sys
from pathlib import Path
from typing import Any, Final

import pytest

from core.runs.run import Run, RunOutcome
from tests.fakes.runs.made_workflows import carried_out, step

pytestmark = pytest.mark.screen

_PROGRAM: Final = """
import sys
from PyQt5.QtCore import Qt
from PyQt5.QtWidgets import *
application = QApplication(["order"])
window = QMainWindow()
window.setWindowTitle("New order")
window.setStyleSheet("font-size: 12pt")
window.resize(560, 420)
inner = QWidget()
form = QFormLayout(inner)
window.setCentralWidget(inner)
said = []
{parts}
save = QPushButton("Save")
form.addRow(save)
def end():
    open(sys.argv[1], "w").write({state})
    application.quit()
save.clicked.connect(end)
window.show()
application.exec_()
"""
_SAVE: Final = step("CLICK", 'the "Save" button')


def _run(folder: Path, parts: str, state: str, *steps: Any) -> tuple[Run, str]:
    """What became of a run in a program of Qt that has these parts, and what the program wrote when it was saved."""
    program, made = folder / "order.py", folder / "state"
    program.write_text(_PROGRAM.format(parts=parts, state=state), encoding="utf-8")
    code = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    arguments = ["-c", code, "/usr/bin/python3", str(program), str(made)]
    opening = step("OPEN_APP", "the desktop", sys.executable, arguments=arguments)
    run = carried_out(folder, [opening, *steps, _SAVE], "New order")
    return run, made.read_text("utf-8") if made.exists() else ""


_MENUS: Final = """
menu = window.menuBar().addMenu("File")
for name in ("Export", "Export all"):
    menu.addAction(name).triggered.connect(lambda _, name=name: said.append(name))
recent = menu.addMenu("Recent")
recent.addAction("letter.txt").triggered.connect(lambda: said.append("letter.txt"))
"""


@pytest.mark.nightly
def test_entries_of_a_menu_and_of_the_menu_in_it_are_chosen_by_their_names(tmp_path: Path) -> None:
    run, made = _run(
        tmp_path,
        _MENUS,
        '"|".join(said)',
        step("CLICK", 'the "File" menu'),
        step("CLICK", 'the "Export" menu item'),
        step("CLICK", 'the "File" menu'),
        step("CLICK", 'the "Recent" menu item'),
        step("CLICK", 'the "letter.txt" menu item'),
    )

    assert made == "Export|letter.txt", run.reason


_SLIDER: Final = """
slider = QSlider(Qt.Horizontal)
slider.setRange(0, 100)
slider.setSingleStep({stride})
slider.setMinimumWidth(300)
form.addRow("Volume", slider)
"""


def test_a_slider_is_set_by_its_keys_to_just_that_number(tmp_path: Path) -> None:
    move = step("TYPE", 'the "Volume" slider', "37")
    run, made = _run(tmp_path, _SLIDER.format(stride=1), "str(slider.value())", move)

    assert made == "37", run.reason
    assert run.subtasks[0].result == "Its 3 steps were done."


def test_a_slider_that_cannot_show_the_number_ends_the_run(tmp_path: Path) -> None:
    move = step("TYPE", 'the "Volume" slider', "37.5")
    run, made = _run(tmp_path, _SLIDER.format(stride=5), "str(slider.value())", move)

    assert run.outcome is RunOutcome.FAILED
    assert 'the "Volume" slider was moved, but it shows' in run.reason
    assert not made


_TABLE: Final = """
names = ("Bob Ross", "Bob", "Alice")
table = QTableWidget(3, 2)
table.setSelectionBehavior(QTableWidget.SelectRows)
for row, name in enumerate(names):
    table.setItem(row, 0, QTableWidgetItem(name))
    table.setItem(row, 1, QTableWidgetItem(f"{len(name)} orders"))
form.addRow(table)
"""


def test_a_row_of_a_table_is_clicked_by_its_name(tmp_path: Path) -> None:
    run, made = _run(tmp_path, _TABLE, "names[table.currentRow()]", step("CLICK", 'the "Bob" row'))

    assert made == "Bob", run.reason


_FAR: Final = """
inside = QWidget()
inside.setMinimumWidth(300)
boxes = [QCheckBox(f"Article {number}") for number in range(40)]
column = QVBoxLayout(inside)
for each in boxes:
    column.addWidget(each)
area = QScrollArea()
area.setWidget(inside)
form.addRow(area)
"""


@pytest.mark.nightly
def test_what_is_scrolled_away_is_brought_into_view_and_set(tmp_path: Path) -> None:
    tick = step("CLICK", 'the "Article 31" checkbox') | {"post_action": ["The box is checked."]}
    run, made = _run(tmp_path, _FAR, '" ".join(each.text() for each in boxes if each.isChecked())', tick)

    assert made == "Article 31", run.reason


_STUBBORN: Final = """
gift = QCheckBox("As a gift")
gift.toggled.connect(lambda _: gift.setChecked(False))
form.addRow(gift)
"""


@pytest.mark.nightly
def test_a_check_box_that_does_not_stay_set_ends_the_run(tmp_path: Path) -> None:
    tick = step("CLICK", 'the "As a gift" checkbox') | {"post_action": ["The box is checked."]}
    run, made = _run(tmp_path, _STUBBORN, '"saved"', tick)

    assert run.outcome is RunOutcome.FAILED
    assert "does not look set" in run.reason
    assert not made


_RETURNING: Final = """
kind = QComboBox()
kind.addItems(["Box", "Tube", "Bag"])
kind.activated.connect(lambda _: kind.setCurrentIndex(0))
form.addRow("Kind", kind)
"""


@pytest.mark.nightly
def test_a_choice_that_does_not_stay_ends_the_run(tmp_path: Path) -> None:
    run, made = _run(tmp_path, _RETURNING, '"saved"', step("TYPE", 'the "Kind" dropdown', "Bag"))

    assert run.outcome is RunOutcome.FAILED
    assert '"Bag" was typed into the "Kind" dropdown, but it shows "Box".' in run.reason
    assert not made


_FIELD: Final = """
field = QLineEdit("draft")
{rule}
field.setMinimumWidth(300)
form.addRow("Customer", field)
"""


@pytest.mark.nightly
def test_a_field_that_changes_the_case_is_told_as_a_doubt(tmp_path: Path) -> None:
    rule = "field.textEdited.connect(lambda text: field.setText(text.upper()))"
    write = step("TYPE", 'the "Customer" field', "Molly Mills")
    run, made = _run(tmp_path, _FIELD.format(rule=rule), "field.text()", write)

    assert made == "MOLLY MILLS", run.reason
    assert 'made "MOLLY MILLS" of it' in str(run.subtasks[0].result)


@pytest.mark.nightly
def test_a_field_that_drops_letters_is_not_passed_over(tmp_path: Path) -> None:
    write = step("TYPE", 'the "Customer" field', "Molly Mills")
    run, made = _run(tmp_path, _FIELD.format(rule="field.setMaxLength(8)"), "field.text()", write)

    assert run.outcome is RunOutcome.FAILED
    assert 'it shows "Molly Mi"' in run.reason
    assert not made


_COVERED: Final = """
cover = QWidget(None, Qt.WindowStaysOnTopHint)
cover.setWindowTitle("Cover")
cover.setGeometry(0, 30, 1280, 690)
window.show()
cover.show()
"""


@pytest.mark.nightly
def test_a_button_behind_another_window_is_not_clicked(tmp_path: Path) -> None:
    run, made = _run(tmp_path, _COVERED, '"saved"')

    assert run.outcome is not RunOutcome.SUCCEEDED
    assert not made
