"""Tasks of files, settings, dialogs, a calculator and a terminal."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from bench.foreign.task import HERE, Task, Values, script, text_files

if TYPE_CHECKING:
    from pathlib import Path

    from bench.foreign.person import Person


def _folders(home: Path) -> None:
    (home / "papers").mkdir()
    (home / "papers" / "draft.txt").write_text("A draft.\n", encoding="utf-8")


def _name_folder(user: Person, name: str) -> None:
    """Begin a new folder, and type its name over the one that is proposed."""
    user.press("ctrl+shift+n")
    user.wait(1.0)
    user.press("ctrl+a")
    user.type(name)


def _pcmanfm(user: Person, values: Values) -> None:
    _name_folder(user, values[0])
    user.press("Return")
    user.wait(1.5)


def _thunar(user: Person, values: Values) -> None:
    _name_folder(user, values[0])
    user.click("push button: Create")
    user.wait(1.5)


def _papers(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "papers").iterdir())


def _appearance(user: Person, values: Values) -> None:
    user.click("page tab: Fonts")
    # The list right of its label: it is called by what it shows, as another one is.
    x, y = user.see("label: Hinting:")
    user.click(f"{x + 170},{y}")
    user.click(f"menu item: {values[0]}")
    user.wait(1.5)


def _hinting(home: Path) -> str:
    file = home / ".config" / "xfce4" / "xfconf" / "xfce-perchannel-xml" / "xsettings.xml"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    found = re.search(r'"HintStyle" type="string" value="hint(\w+)"', text)
    return found[1] if found is not None else ""


def _galculator(user: Person, values: Values) -> None:
    user.type(values[0])
    user.press("Return")
    user.wait(1.0)


def _watched(home: Path) -> None:
    """Under its own name, the program beside a watcher: it keeps what it shows nowhere."""
    watch = f"/usr/bin/python3 {HERE / 'places.py'} {home / 'texts.json'}"
    script(home / "bin" / "galculator", f"{watch} &\nexec /usr/bin/galculator")


def _result(home: Path) -> str:
    file = home / "texts.json"
    held: list[str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return next((each.strip() for each in held if re.fullmatch(r"[-\d.,]+", each.strip())), "")


def _register(home: Path) -> None:
    form = (
        'zenity --forms --title="New member" --text="Who joins?" --add-entry=Name --add-entry=Email '
        '--add-combo=Plan --combo-values="Basic|Plus|Team" --separator=";"'
    )
    script(home / "bin" / "register", f'said=$({form}) && echo "$said" >> members.csv\nzenity --info --text="Welcome."')


def _zenity(user: Person, values: Values) -> None:
    for label, value in zip(("Name", "Email"), values, strict=False):
        user.click(f"text: {label}")
        user.type(value)
    user.click("combo box: Plan")
    user.click(f"menu item: {values[2]}")
    user.click("push button: OK")
    user.wait(1.5)


def _shell(home: Path) -> None:
    """The shell as Debian gives it to a user: it shows its folder as the window's title when it is ready for a line."""
    shutil.copy("/etc/skel/.bashrc", home)


def _xterm(user: Person, values: Values) -> None:
    user.type(values[0])
    user.press("Return")
    user.type("ls")
    user.press("Return")
    user.wait(1.0)


def _repository(home: Path) -> None:
    """One with a change that waits to be committed."""
    commands = ("init -q", "config user.name Ann", "config user.email ann@example.com", "add notes.txt")
    (home / "notes.txt").write_text("One.\n", encoding="utf-8")
    for command in (*commands, "commit -qm First"):
        subprocess.run(["git", *command.split()], cwd=home, check=True)
    (home / "notes.txt").write_text("One.\nTwo.\n", encoding="utf-8")
    (home / ".git" / "info" / "exclude").write_text("*\n", encoding="utf-8")
    script(home / "bin" / "commits", f"cd {home} && exec git gui")


def _commit(user: Person, values: Values) -> None:
    user.press("ctrl+i")
    user.wait(1.0)
    user.type(values[0])
    user.press("ctrl+Return")
    user.wait(2.0)


def _subjects(home: Path) -> list[str]:
    command = ["git", "log", "--format=%s"]
    return subprocess.run(command, cwd=home, check=True, capture_output=True, text=True).stdout.splitlines()


TASKS: Final = (
    Task(
        "pcmanfm", "GTK 2", "pcmanfm papers", "papers", _pcmanfm,
        ("Invoices",), (("Letters 2027",), ("Photos",)),
        _papers, lambda v: sorted(["draft.txt", v[0]]),
        '"Invoices" is shown.', 'Open the application "pcmanfm" with "{home}/papers".', _folders,
    ),
    Task(
        "thunar", "GTK 3", "thunar papers", "papers", _thunar,
        ("Invoices",), (("Letters 2027",), ("Photos",)),
        _papers, lambda v: sorted(["draft.txt", v[0]]),
        '"Invoices" is shown.', 'Open the application "thunar" with "{home}/papers".', _folders,
    ),
    Task(
        "appearance", "GTK 3", "xfce4-appearance-settings", "Appearance", _appearance,
        ("Slight",), (("Medium",), ("Full",)),
        _hinting, lambda v: v[0].lower(),
        '"Slight" is shown.', 'Open the application "xfce4-appearance-settings".',
    ),
    Task(
        "galculator", "GTK 3", "galculator", "galculator", _galculator,
        ("12*7",), (("35*8",), ("19+6",)),
        _result, lambda v: str(eval(v[0])),  # noqa: S307 - a product or a sum of ours
        '"84" is shown.', 'Open the application "galculator".', _watched,
    ),
    Task(
        "zenity", "GTK 3", "register", "New member", _zenity,
        ("Ada Lovelace", "ada@example.com", "Plus"),
        (("Grace Hopper", "grace@example.com", "Team"), ("Alan Turing", "alan@example.com", "Basic")),
        text_files(), lambda v: {"members.csv": ";".join(v)},
        '"Welcome." is shown.', 'Open the application "{home}/bin/register".', _register,
    ),
    Task(
        "xterm", "no toolkit", "xterm", ": ~", _xterm,
        ("echo Ada > who.txt",), (("echo Grace > who.txt",), ("echo Alan Turing > who.txt",)),
        text_files(), lambda v: {"who.txt": v[0].removeprefix("echo ").removesuffix(" > who.txt")},
        '"who.txt" is shown.', 'Open the application "xterm".', _shell,
    ),
    Task(
        "git-gui", "Tk", "commits", "Git Gui", _commit,
        ("Say two as well",), (("Mend the second line",), ("Add what was missing",)),
        _subjects, lambda v: [v[0], "First"],
        '"Created commit" is shown.', 'Open the application "{home}/bin/commits".', _repository,
    ),
)  # fmt: skip
