"""How a program that shows a window is opened anew: its name, and the files that it was given."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.desktop.launching import desktop_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from adapters.desktop.launching import DesktopEntry
    from core.screens import Window

_PROC: Final = Path("/proc")
_ANCESTORS: Final = 3
"""A program may be started by a script or a picture of its own, to which it adds words."""
_FEW: Final = 4


def programs_here(environment: Mapping[str, str]) -> Callable[[Window], tuple[str, ...] | None]:
    """What tells how a window's program is opened; the menus are read once, because that takes a moment."""
    entries = desktop_entries(environment)
    return lambda window: opened_by(window, environment, entries)


def opened_by(
    window: Window, environment: Mapping[str, str], entries: Mapping[str, DesktopEntry]
) -> tuple[str, ...] | None:
    """The program and its files, which the window's title names.

    Nothing where it was started with other words: they may hold anything, and are not kept. ``None`` where the process
    cannot be read.
    """
    if window.pid is None or (words := _words(window.pid)) is None:
        return None
    entry = _entry_of(window.application, entries)
    name, given = Path(words[0]).name, words[1:]
    options = [word for word in given if word.startswith("-")]
    files = [_file(word, window.pid) for word in given if not word.startswith("-")]
    shown = [file for file in files if file is not None]
    if len(shown) < len(files) or len(files) > _FEW or any(Path(file).name not in window.title for file in shown):
        return ()
    if entry is not None and (not options or _is_entry(entry, window.pid)):
        return (entry.id, *shown)
    is_found = shutil.which(name, path=environment.get("PATH", "")) is not None
    return (name, *shown) if is_found and not options else ()


def _words(pid: int) -> list[str] | None:
    try:
        said = (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return None
    words = [word for word in said if word]
    return words or None


def _file(word: str, pid: int) -> str | None:
    """The whole path of a file or folder that is there."""
    try:
        path = (_PROC / str(pid) / "cwd").readlink() / word
        return str(path) if path.exists() else None
    except OSError:
        return None


def _entry_of(application: str, entries: Mapping[str, DesktopEntry]) -> DesktopEntry | None:
    """The program of the menus whose id, or the end of it, or whose name is that of the window's class."""
    wanted = application.casefold()
    ids = [
        each for key, each in entries.items() if wanted and wanted in {key.casefold(), key.casefold().split(".")[-1]}
    ]
    named = [each for each in entries.values() if wanted and each.name.casefold() == wanted]
    return next(iter(ids or named), None)


def _is_entry(entry: DesktopEntry, pid: int) -> bool:
    """Whether the process, or what has started it, has no option that the entry does not have."""
    own = entry.command.split()
    return any(all(word in own for word in _options(words)) for words in _line_of(pid))


def _options(words: Sequence[str]) -> list[str]:
    return [word for word in words[1:] if word.startswith("-")]


def _line_of(pid: int) -> Iterator[Sequence[str]]:
    program = _words(pid)
    name = Path(program[0]).parent if program else None
    for _ in range(_ANCESTORS):
        words = _words(pid)
        if words is None or Path(words[0]).parent != name:
            # A shell or a desktop started it: what it was given says nothing of the program.
            return
        yield words
        try:
            stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return
        pid = int(stat.rpartition(")")[2].split()[1])
