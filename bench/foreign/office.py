"""Tasks of an office."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING, Final

from bench.foreign.task import Task, Values

if TYPE_CHECKING:
    from pathlib import Path

    from bench.foreign.person import Person


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
    user.save_as(name)
    user.await_window(name)


def _cells(home: Path) -> dict[str, list[str]]:
    """The files that are sheets, and the texts of their cells."""
    found = dict[str, list[str]]()
    for path in sorted(home.glob("*.ods")):
        with zipfile.ZipFile(path) as archive:
            content = archive.read("content.xml").decode()
        found[path.stem] = re.findall(r"<text:p>([^<]*)</text:p>", content)
    return found


def _writer(user: Person, values: Values) -> None:
    user.press("ctrl+1")
    user.type(values[0])
    user.press("Return")
    user.type(values[1])
    user.save_as(values[2])
    user.await_window(values[2])


def paragraphs(home: Path) -> dict[str, list[tuple[str, str]]]:
    """The files that are texts, and their headings and paragraphs."""
    found = dict[str, list[tuple[str, str]]]()
    for path in sorted(home.glob("*.odt")):
        with zipfile.ZipFile(path) as archive:
            content = archive.read("content.xml").decode()
        found[path.stem] = re.findall(r"<text:(h|p)\b[^>]*>([^<]+)</text", content)
    return found


TASKS: Final = (
    Task(
        "calc", "LibreOffice", "localc", "Calc", _calc,
        ("Stamps", "12", "3", "costs"), (("Paper", "40", "7", "paper"), ("Ink", "5", "19", "office")),
        _cells, lambda v: {v[3]: [v[0], v[1], v[2], str(int(v[1]) * int(v[2]))]},
        '"costs" is shown.', 'Open the application "localc".', _office,
    ),
    Task(
        "writer", "LibreOffice", "lowriter", "Writer", _writer,
        ("Minutes", "All were there.", "minutes"),
        (("Agenda", "We begin at nine.", "agenda"), ("Report", "Nothing was lost.", "report")),
        paragraphs, lambda v: {v[2]: [("h", v[0]), ("p", v[1])]},
        '"minutes" is shown.', 'Open the application "lowriter".', _office,
    ),
)  # fmt: skip
