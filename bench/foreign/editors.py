"""Tasks of programs that write text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.foreign.office import paragraphs
from bench.foreign.task import Task, Values, text_files

if TYPE_CHECKING:
    from pathlib import Path

    from bench.foreign.person import Person


def _notes(home: Path) -> None:
    (home / "notes.txt").write_text("The parcel is for ANN.\nANN lives in Ulm.\n", encoding="utf-8")


def _mousepad(user: Person, values: Values) -> None:
    user.press("ctrl+End")
    user.type(values[0])
    user.press("ctrl+shift+s")
    user.await_window("Save As")
    user.press("ctrl+a")
    user.type(values[1])
    user.click("push button: Save")
    user.await_window(values[1])


def _featherpad(user: Person, values: Values) -> None:
    user.type(values[0])
    user.save_as(values[1])
    user.await_window(values[1])


def _write(user: Person, values: Values) -> None:
    """As in the programs whose title does not say the name at once."""
    user.type(values[0])
    user.save_as(values[1])
    user.wait(1.5)


TASKS: Final = (
    Task(
        "mousepad", "GTK 3", "mousepad notes.txt", "notes.txt", _mousepad,
        ("Bring tea.", "letter.txt"), (("Call Maria at nine.", "calls.txt"), ("Pay 30 euros.", "dues.txt")),
        text_files("notes.txt"), lambda v: {v[1]: f"The parcel is for ANN.\nANN lives in Ulm.\n{v[0]}"},
        '"letter.txt" is shown.', 'Open the application "mousepad" with "{home}/notes.txt".', _notes,
    ),
    Task(
        "featherpad", "Qt 5", "featherpad", "Untitled", _featherpad,
        ("Water the plants", "plants.txt"), (("Feed the cat", "cat.txt"), ("Buy bread and milk", "shop.txt")),
        text_files(), lambda v: {v[1]: v[0]},
        '"plants.txt" is shown.', 'Open the application "featherpad".',
    ),
    Task(
        "idle", "Tk", "idle -n -e", "untitled", _write,
        ('print("hello")', "greet.py"), (('print("good morning")', "morning.py"), ("print(3 + 4)", "leave.py")),
        text_files(), lambda v: {v[1]: v[0]},
        '"greet.py" is shown.', 'Open the application "idle" with "-n", "-e".',
    ),
    Task(
        "gnome-text-editor", "GTK 4", "gnome-text-editor -s", "Text Editor", _write,
        ("Ask Jonas for the keys", "jonas.txt"),
        (("Return the books on Friday", "books.txt"), ("Order flour, eggs and oil", "kitchen.txt")),
        text_files(), lambda v: {v[1]: v[0]},
        '"jonas.txt" is shown.', 'Open the application "gnome-text-editor" with "-s".',
    ),
    Task(
        "focuswriter", "Qt 5", "focuswriter", "FocusWriter", _write,
        ("It was a wet spring.", "spring"), (("Nobody came to the fair.", "fair"), ("The end of June", "june")),
        paragraphs, lambda v: {v[1]: [("p", v[0])]},
        '"It was a wet spring." is shown.', 'Open the application "focuswriter".',
    ),
)  # fmt: skip
