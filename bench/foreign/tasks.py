"""The tasks: what a person does in each program, with which values, and what must be there then."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bench.foreign.person import Person

HERE: Final = Path(__file__).parent
OUT: Final = HERE.parent / "out" / "programs"
SPLIT: Final[Mapping[str, list[str]]] = json.loads((HERE / "split.json").read_text(encoding="utf-8"))
Values = tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """One task of one program.

    Args:
        name: as ``split.json`` has it.
        toolkit: what it is made with.
        start: the command that a person has typed before; it runs in the home folder.
        window: words of the title of its window.
        play: what is done, with values.
        shown: the values of the demonstration.
        runs: those of the runs.
        state: what the program has made in the home folder; anything that can be compared.
        wanted: what that is to be for values.
        prepare: what is in the home folder before.
        criterion: what a person answers when asked by what success is seen.
        opening: what a person answers when asked how the program is opened.

    """

    name: str
    toolkit: str
    start: str
    window: str
    play: Callable[[Person, Values], None]
    shown: Values
    runs: tuple[Values, ...]
    state: Callable[[Path], Any]
    wanted: Callable[[Values], Any]
    criterion: str
    opening: str
    prepare: Callable[[Path], None] = field(default=lambda _home: None)


def new_home(task: Task, home: Path) -> None:
    """The home folder as it is before each demonstration and each run."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "bin").mkdir(parents=True)
    task.prepare(home)


def _script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def _text(*names: str) -> Callable[[Path], Any]:
    """The files of a home folder that are none of the names, and their texts, without blanks at their ends."""

    def read(home: Path) -> dict[str, str]:
        files = (path for path in sorted(home.iterdir()) if path.is_file() and not path.name.startswith("."))
        return {path.name: path.read_text("utf-8", "replace").rstrip() for path in files if path.name not in names}

    return read


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


def _office(home: Path) -> None:
    """The office as its owner has it: without a tip of the day."""
    folder = home / ".config" / "libreoffice" / "4" / "user"
    folder.mkdir(parents=True)
    off = "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop>'
        "</item>"
        for path, name, value in (
            ("Office.Common/Misc", "ShowTipOfTheDay", "false"),
            ("Office.Common/Misc", "FirstRun", "false"),
            ("Setup/Office", "ooSetupInstCompleted", "true"),
            ("Setup/Office", "LastTimeGetInvolvedShown", "99999999999"),
            ("Setup/Office", "LastTimeDonateShown", "99999999999"),
            ("Setup/Product", "ooSetupLastVersion", "7.4"),
            ("Setup/Product", "WhatsNew", "false"),
        )
    )
    (folder / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        f'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{off}</oor:items>',
        encoding="utf-8",
    )


def _calc(user: Person, values: Values) -> None:
    item, count, price, name = values
    for each in (item, count):
        user.type(each)
        user.press("Tab")
    user.type(price)
    user.press("Tab")
    user.type("=B1*C1")
    user.press("Return")
    user.press("ctrl+s")
    user.await_window("Save")
    user.press("ctrl+a")
    user.type(name)
    user.press("Return")
    user.await_window(name)


def _cells(home: Path) -> dict[str, list[str]]:
    """The files that are sheets, and the texts of their cells."""
    found = dict[str, list[str]]()
    for path in sorted(home.glob("*.ods")):
        with zipfile.ZipFile(path) as archive:
            content = archive.read("content.xml").decode()
        found[path.stem] = re.findall(r"<text:p>([^<]*)</text:p>", content)
    return found


def _folders(home: Path) -> None:
    (home / "papers").mkdir()
    (home / "papers" / "draft.txt").write_text("A draft.\n", encoding="utf-8")


def _pcmanfm(user: Person, values: Values) -> None:
    user.press("ctrl+shift+n")
    user.wait(1.0)
    user.press("ctrl+a")
    user.type(values[0])
    user.press("Return")
    user.wait(1.5)


def _thunar(user: Person, values: Values) -> None:
    user.press("ctrl+shift+n")
    user.wait(1.0)
    user.press("ctrl+a")
    user.type(values[0])
    user.click("push button: Create")
    user.wait(1.5)


def _papers(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "papers").iterdir())


def _galculator(user: Person, values: Values) -> None:
    user.type(values[0])
    user.press("Return")
    user.wait(1.0)


def _watched(home: Path) -> None:
    """Under its own name, the program beside a watcher: it keeps what it shows nowhere."""
    watch = f"/usr/bin/python3 {HERE / 'places.py'} {home / 'texts.json'}"
    _script(home / "bin" / "galculator", f"{watch} &\nexec /usr/bin/galculator")


def _result(home: Path) -> str:
    file = home / "texts.json"
    held: list[str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return next((each.strip() for each in held if re.fullmatch(r"[-\d.,]+", each.strip())), "")


def _featherpad(user: Person, values: Values) -> None:
    user.type(values[0])
    user.press("ctrl+s")
    user.await_window("Save")
    user.press("ctrl+a")
    user.type(values[1])
    user.press("Return")
    user.await_window(values[1])


def _register(home: Path) -> None:
    form = (
        'zenity --forms --title="New member" --text="Who joins?" --add-entry=Name --add-entry=Email '
        '--add-combo=Plan --combo-values="Basic|Plus|Team" --separator=";"'
    )
    _script(
        home / "bin" / "register", f'said=$({form}) && echo "$said" >> members.csv\nzenity --info --text="Welcome."'
    )


def _zenity(user: Person, values: Values) -> None:
    for label, value in zip(("Name", "Email"), values, strict=False):
        user.click(f"text: {label}")
        user.type(value)
    user.click("combo box: Plan")
    user.click(f"menu item: {values[2]}")
    user.click("push button: OK")
    user.wait(1.5)


def _database(home: Path) -> None:
    with closing(sqlite3.connect(home / "parts.db")) as opened, opened:
        opened.execute(
            "CREATE TABLE parts (id INTEGER PRIMARY KEY, name VARCHAR(60), place VARCHAR(60), kind VARCHAR(9))"
        )
        opened.execute("INSERT INTO parts (name, place, kind) VALUES ('Hinge', 'Shelf 1', 'iron')")


def _browser(home: Path) -> None:
    _database(home)
    flags = "--no-first-run --no-default-browser-check --password-store=basic --force-renderer-accessibility"
    as_root = "--no-sandbox --test-type" if os.getuid() == 0 else ""
    _script(home / "bin" / "browser", f'exec chromium {flags} {as_root} --user-data-dir={home / ".profile"} "$@"')


def _insert(user: Person, values: Values) -> None:
    for label, value in zip(("name", "place", "kind"), values, strict=True):
        user.click(f"entry: {label}")
        user.type(value)
    user.click("push button: Insert")
    user.wait(2.0)


def _rows(home: Path) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(home / "parts.db")) as opened:
        return opened.execute("SELECT name, place, kind FROM parts WHERE id > 1").fetchall()


def _shell(home: Path) -> None:
    """The shell as Debian gives it to a user: it shows its folder as the window's title when it is ready for a line."""
    shutil.copy("/etc/skel/.bashrc", home)


def _xterm(user: Person, values: Values) -> None:
    user.type(values[0])
    user.press("Return")
    user.type("ls")
    user.press("Return")
    user.wait(1.0)


def _writer(user: Person, values: Values) -> None:
    user.press("ctrl+1")
    user.type(values[0])
    user.press("Return")
    user.type(values[1])
    user.press("ctrl+s")
    user.await_window("Save")
    user.press("ctrl+a")
    user.type(values[2])
    user.press("Return")
    user.await_window(values[2])


def _paragraphs(home: Path) -> dict[str, list[tuple[str, str]]]:
    found = dict[str, list[tuple[str, str]]]()
    for path in sorted(home.glob("*.odt")):
        with zipfile.ZipFile(path) as archive:
            content = archive.read("content.xml").decode()
        found[path.stem] = re.findall(r"<text:(h|p)\b[^>]*>([^<]+)</text", content)
    return found


def _appearance(user: Person, values: Values) -> None:
    user.click("page tab: Fonts")
    user.click("check box: Custom DPI setting:")
    user.press("Tab", "ctrl+a")
    user.type(values[0])
    user.press("Tab")
    user.wait(1.5)


def _dpi(home: Path) -> str:
    file = home / ".config" / "xfce4" / "xfconf" / "xfce-perchannel-xml" / "xsettings.xml"
    found = re.search(r'"DPI" type="int" value="(\d+)"', file.read_text(encoding="utf-8")) if file.exists() else None
    return found[1] if found is not None else ""


def _idle(user: Person, values: Values) -> None:
    user.type(f'print("{values[0]}")')
    user.press("ctrl+s")
    user.await_window("Save")
    user.press("ctrl+a")
    user.type(values[1])
    user.press("Return")
    user.wait(1.5)


_ALL: Final = (
    Task(
        "mousepad", "GTK 3", "mousepad notes.txt", "notes.txt", _mousepad,
        ("Bring tea.", "letter.txt"), (("Call Maria at nine.", "calls.txt"), ("Pay 30 euros.", "dues.txt")),
        _text("notes.txt"), lambda v: {v[1]: f"The parcel is for ANN.\nANN lives in Ulm.\n{v[0]}"},
        '"letter.txt" is shown.', 'Open the application "mousepad" with "{home}/notes.txt".', _notes,
    ),
    Task(
        "calc", "LibreOffice", "localc", "Calc", _calc,
        ("Stamps", "12", "3", "costs"), (("Paper", "40", "7", "paper"), ("Ink", "5", "19", "office")),
        _cells, lambda v: {v[3]: [v[0], v[1], v[2], str(int(v[1]) * int(v[2]))]},
        '"costs" is shown.', 'Open the application "localc".', _office,
    ),
    Task(
        "pcmanfm", "GTK 2", "pcmanfm papers", "papers", _pcmanfm,
        ("Invoices",), (("Letters 2027",), ("Photos",)),
        _papers, lambda v: sorted(["draft.txt", v[0]]),
        '"Invoices" is shown.', 'Open the application "pcmanfm" with "{home}/papers".', _folders,
    ),
    Task(
        "galculator", "GTK 3", "galculator", "galculator", _galculator,
        ("12*7",), (("35*8",), ("19+6",)),
        _result, lambda v: str(eval(v[0])),  # noqa: S307 - a product or a sum of ours
        '"84" is shown.', 'Open the application "galculator".', _watched,
    ),
    Task(
        "featherpad", "Qt 5", "featherpad", "Untitled", _featherpad,
        ("Water the plants", "plants.txt"), (("Feed the cat", "cat.txt"), ("Buy bread and milk", "shop.txt")),
        _text(), lambda v: {v[1]: v[0]},
        '"plants.txt" is shown.', 'Open the application "featherpad".',
    ),
    Task(
        "zenity", "GTK 3", "register", "New member", _zenity,
        ("Ada Lovelace", "ada@example.com", "Plus"),
        (("Grace Hopper", "grace@example.com", "Team"), ("Alan Turing", "alan@example.com", "Basic")),
        _text(), lambda v: {"members.csv": ";".join(v)},
        '"Welcome." is shown.', 'Open the application "{home}/bin/register".', _register,
    ),
    Task(
        "sqlite-web", "Chromium", "browser http://127.0.0.1:{port}/parts/insert/", "parts", _insert,
        ("Bolt M4", "Shelf 3", "steel"), (("Washer", "Drawer 2", "copper"), ("Nut M8", "Box 11", "brass")),
        _rows, lambda v: [v],
        '"Successfully inserted record" is shown.', 'Open "http://127.0.0.1:{port}/parts/insert/" in the browser.',
        _browser,
    ),
    Task(
        "xterm", "no toolkit", "xterm", ": ~", _xterm,
        ("echo Ada > who.txt",), (("echo Grace > who.txt",), ("echo Alan Turing > who.txt",)),
        _text(), lambda v: {"who.txt": v[0].removeprefix("echo ").removesuffix(" > who.txt")},
        '"who.txt" is shown.', 'Open the application "xterm".', _shell,
    ),
    Task(
        "writer", "LibreOffice", "lowriter", "Writer", _writer,
        ("Minutes", "All were there.", "minutes"),
        (("Agenda", "We begin at nine.", "agenda"), ("Report", "Nothing was lost.", "report")),
        _paragraphs, lambda v: {v[2]: [("h", v[0]), ("p", v[1])]},
        '"minutes" is shown.', 'Open the application "lowriter".', _office,
    ),
    Task(
        "thunar", "GTK 3", "thunar papers", "papers", _thunar,
        ("Invoices",), (("Letters 2027",), ("Photos",)),
        _papers, lambda v: sorted(["draft.txt", v[0]]),
        '"Invoices" is shown.', 'Open the application "thunar" with "{home}/papers".', _folders,
    ),
    Task(
        "appearance", "GTK 3", "xfce4-appearance-settings", "Appearance", _appearance,
        ("112",), (("104",), ("120",)),
        _dpi, lambda v: v[0],
        '"112" is shown.', 'Open the application "xfce4-appearance-settings".',
    ),
    Task(
        "idle", "Tk", "idle -n -e", "untitled", _idle,
        ("hello", "greet.py"), (("good morning", "morning.py"), ("bye", "leave.py")),
        _text(), lambda v: {v[1]: f'print("{v[0]}")'},
        '"greet.py" is shown.', 'Open the application "idle" with "-n", "-e".',
    ),
)  # fmt: skip
TASKS: Final[Mapping[str, Task]] = {each.name: each for each in _ALL}


def lacking() -> str:
    """What is not installed; empty when nothing is."""
    programs = "mousepad localc pcmanfm galculator featherpad thunar xfce4-appearance-settings idle"
    missing = [each for each in programs.split() if shutil.which(each) is None]
    if not (OUT / "venv" / "bin" / "sqlite_web").exists():
        missing.append("sqlite_web")
    return f"Run bench/foreign/install first: {', '.join(missing)} missing." if missing else ""


def search_path(home: Path) -> str:
    """Where a task's own commands are found first."""
    return f"{home}/bin:{os.environ['PATH']}"
