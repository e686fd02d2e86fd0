"""What a task of a program is."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bench.foreign.person import Person

HERE: Final = Path(__file__).parent
OUT: Final = HERE.parent / "out" / "programs"
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
        serve: the command that serves the site it is done on, for the home folder and a port; none where it is no site.
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
    serve: Callable[[Path, int], Sequence[str]] = field(default=lambda _home, _port: ())


def new_home(task: Task, home: Path) -> None:
    """The home folder as it is before each demonstration and each run."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "bin").mkdir(parents=True)
    task.prepare(home)


def script(path: Path, text: str) -> None:
    """Write a command of the home folder."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def text_files(*names: str) -> Callable[[Path], Any]:
    """The files of a home folder that are none of the names, and their texts, without blanks at their ends."""

    def read(home: Path) -> dict[str, str]:
        files = (path for path in sorted(home.iterdir()) if path.is_file() and not path.name.startswith("."))
        return {path.name: path.read_text("utf-8", "replace").rstrip() for path in files if path.name not in names}

    return read


def search_path(home: Path) -> str:
    """Where a task's own commands are found first."""
    return f"{home}/bin:{os.environ['PATH']}"
