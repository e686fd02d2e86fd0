"""Starts programs and opens addresses on one display, without a shell; and the programs that the menus offer."""

from __future__ import annotations

import configparser
import difflib
import os
import re
import shutil
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final
from urllib.parse import urlsplit

from adapters.desktop.browsers import BROWSERS, browser_arguments, find_browser
from core.errors import ActionFailed

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from adapters.desktop.children import Children
    from core.actions import OpenApp, OpenUrl
    from core.screens import Window


_GROUP: Final = "Desktop Entry"
_LARGEST_BYTES: Final = 1 << 20
_STRING_ESCAPES: Final = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_WORD: Final = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s"]+)', re.DOTALL)
_DROPPED_CODES: Final = frozenset("dDnNvm")
"""Field codes that no longer mean anything."""


@dataclass(frozen=True, slots=True)
class DesktopEntry:
    """One program: ``id`` is its file's name without the ending, ``command`` its ``Exec`` line as it stands."""

    id: str
    path: Path
    name: str
    command: str
    icon: str
    folder: str
    in_terminal: bool

    def argument_list(self, arguments: Sequence[str]) -> list[str]:
        """The line as an argument list, its field codes filled in.

        Raises:
            ActionFailed: the line breaks the specification.

        """
        left = list(arguments)
        words: list[str] = []
        for word, quoted in self._words():
            if quoted:
                words.append(word)
            elif word in {"%F", "%U"}:
                words += left
                left = []
            elif word in {"%f", "%u"}:
                words += left[:1]
                left = left[1:]
            elif word == "%i":
                words += ["--icon", self.icon] if self.icon else []
            elif filled := self._filled(word):
                words.append(filled)
        if not words:
            raise self._broken()
        return words + left

    def _words(self) -> Iterator[tuple[str, bool]]:
        """Words and whether they were quoted."""
        line = self.command.strip()
        end = 0
        for found in _WORD.finditer(line):
            if line[end : found.start()].strip() or (found.start() == end and end > 0):
                raise self._broken()
            end = found.end()
            quoted = found["quoted"]
            yield (found["plain"], False) if quoted is None else (re.sub(r'\\(["`$\\])', r"\1", quoted), True)
        if line[end:].strip():
            raise self._broken()

    def _filled(self, word: str) -> str:
        def fill(code: re.Match[str]) -> str:
            letter = code[1]
            if letter in _DROPPED_CODES:
                return ""
            known = {"%": "%", "c": self.name, "k": str(self.path)}
            if letter not in known:
                raise self._broken()
            return known[letter]

        return re.sub(r"%(.?)", fill, word)

    def _broken(self) -> ActionFailed:
        return ActionFailed(f"The desktop entry {self.id!r} has an Exec line that cannot be read. Name its program.")


def desktop_entries(environment: Mapping[str, str]) -> dict[str, DesktopEntry]:
    """All that can be started, by their id; of two with one id the user's own stands."""
    home = environment.get("XDG_DATA_HOME") or f"{environment.get('HOME', '')}/.local/share"
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    found: dict[str, DesktopEntry | None] = {}
    for folder in (home, *shared.split(":")):
        root = Path(folder, "applications")
        for path in sorted(root.rglob("*.desktop")) if root.is_absolute() else ():
            key = "-".join(path.relative_to(root).with_suffix("").parts)
            if key not in found:
                # Also one that cannot be used hides those of the same name further on: so a user removes an entry.
                found[key] = _read(key, path, environment.get("PATH", ""))
    return {key: entry for key, entry in found.items() if entry is not None}


def _read(key: str, path: Path, search_path: str) -> DesktopEntry | None:
    parser = configparser.RawConfigParser(
        delimiters=("=",), comment_prefixes=("#",), strict=False, empty_lines_in_values=False
    )
    parser.optionxform = str  # type: ignore[assignment] - the library's own way to keep capitals
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            parser.read_string(file.read(_LARGEST_BYTES))
        entry = parser[_GROUP]
    except (OSError, configparser.Error, KeyError):
        return None
    value = {name: _unescaped(text) for name, text in entry.items()}
    tried = value.get("TryExec", "")
    if (
        value.get("Type") != "Application"
        or value.get("Hidden") == "true"
        or not value.get("Exec")
        or (tried and shutil.which(tried, path=search_path) is None)
    ):
        return None
    return DesktopEntry(
        id=key,
        path=path,
        name=value.get("Name", key),
        command=value["Exec"],
        icon=value.get("Icon", ""),
        folder=value.get("Path", ""),
        in_terminal=value.get("Terminal") == "true",
    )


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _STRING_ESCAPES.get(found[1], found[0]), text)


SCHEMES: Final = ("http", "https", "file", "about")
_TERMINALS: Final = (
    *(("x-terminal-emulator", "-e"), ("xterm", "-e"), ("konsole", "-e")),
    *(("gnome-terminal", "--"), ("xfce4-terminal", "-x")),
)
_HANDED_OVER_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.02
_NAMES_LISTED: Final = 5
_LARGEST_LINE_BYTES: Final = 4096
_LONGEST_REASON: Final = 500


class Launcher:
    """Starts what is asked for.

    Args:
        children: who starts it.
        environment: what it gets to see; names the display.
        windows: tells which windows are shown; ``None`` where that cannot be known, and then none is waited for.
        browser: the browser's name; empty for ``$BROWSER`` or what is found.
        profile: the browser's folder on a private display, ``None`` on the user's.
        patience_seconds: how long a window may take to come.

    """

    def __init__(
        self,
        *,
        children: Children,
        environment: Mapping[str, str],
        windows: Callable[[], Sequence[Window]] | None,
        browser: str = "",
        profile: Path | None = None,
        patience_seconds: float = 30.0,
    ) -> None:
        self._children = children
        self._environment = environment
        self._windows = windows
        self._browser = browser
        self._profile = profile
        self._patience_seconds = patience_seconds

    def perform(self, action: OpenApp | OpenUrl, check: Callable[[], None]) -> None:
        """Start it and wait until its window has come, or it has handed over to a program that runs already.

        Raises:
            ActionFailed: there is no such program, it failed, or shows no window; or no such kind of address.

        """
        if action.action == "open_url":
            command, folder = self._browse(action.url)
        else:
            command, folder = self._start(action.name, action.arguments)
        before = self._shown()
        self._children.reap()
        name = Path(command[0]).name
        # A pipe would break when this process ends, and a file grows: only a browser is known to write little.
        with tempfile.TemporaryFile() if name in BROWSERS else nullcontext() as errors:
            try:
                program = self._children.start(command, environment=self._environment, folder=folder, stderr=errors)
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or "it has a character that no argument can have"
                raise ActionFailed(f"{name} cannot be started: {why}.") from error
            if self._windows is not None:
                self._await_window(name, program, before, check, errors)

    def _browse(self, url: str) -> tuple[list[str], str]:
        check_url(url)
        browser = find_browser(self._browser, self._environment)
        return [*browser, *browser_arguments(browser[0], self._profile), url], self._home()

    def _start(self, name: str, arguments: Sequence[str]) -> tuple[list[str], str]:
        program = shutil.which(name, path=self._environment.get("PATH", "")) if _is_plain(name) else None
        if program is not None:
            return [program, *browser_arguments(program, self._profile), *arguments], self._home()
        entries = desktop_entries(self._environment)
        wanted = name.removesuffix(".desktop").casefold()
        entry = next((entry for key, entry in entries.items() if key.casefold() == wanted), None) or next(
            (entry for entry in entries.values() if entry.name.casefold() == wanted), None
        )
        if entry is None:
            raise ActionFailed(self._unknown(name, [*entries, *(entry.name for entry in entries.values())]))
        command = entry.argument_list(arguments)
        program = shutil.which(command[0], path=self._environment.get("PATH", ""))
        if program is None:
            raise ActionFailed(f"The program {command[0]!r} of the desktop entry {entry.id!r} is not installed.")
        command = [program, *browser_arguments(program, self._profile), *command[1:]]
        folder = entry.folder if Path(entry.folder).is_dir() and entry.folder else self._home()
        return ([*self._terminal(), *command] if entry.in_terminal else command), folder

    def _terminal(self) -> list[str]:
        for terminal, option in _TERMINALS:
            if program := shutil.which(terminal, path=self._environment.get("PATH", "")):
                return [program, option]
        raise ActionFailed("This program runs in a terminal, and there is none here: `apt-get install xterm`.")

    def _home(self) -> str:
        home = self._environment.get("HOME", "")
        return home if Path(home).is_absolute() and Path(home).is_dir() else "/"

    def _unknown(self, name: str, names: Sequence[str]) -> str:
        programs: set[str] = set(names)
        for folder in self._environment.get("PATH", "").split(":"):
            try:
                programs |= {entry.name for entry in os.scandir(folder or ".")}
            except OSError:
                continue
        near = difflib.get_close_matches(name, sorted(programs), _NAMES_LISTED)
        hint = f"The nearest are {', '.join(near)}." if near else "Name a program on PATH or of a desktop entry."
        return f"There is no program {name!r} here. {hint}"

    def _shown(self) -> set[tuple[int, str]]:
        return {(window.id, window.title) for window in self._windows()} if self._windows is not None else set()

    def _await_window(
        self,
        name: str,
        program: subprocess.Popen[bytes],
        before: set[tuple[int, str]],
        check: Callable[[], None],
        errors: IO[bytes] | None,
    ) -> None:
        deadline = time.monotonic() + self._patience_seconds
        ended: float | None = None
        known = {number for number, _ in before}
        while True:
            shown = self._shown()
            if any(number not in known for number, _ in shown):
                return
            check()
            now = time.monotonic()
            if ended is None and (status := program.poll()) is not None:
                if status:
                    why = f": {line}" if (line := _last_line(errors)) else "."
                    raise ActionFailed(f"{name} ended at once with exit code {status}{why}")
                ended = now
            # It is a command without a window, or gave its work to a program that was there already.
            if ended is not None and (shown - before or now - ended > _HANDED_OVER_SECONDS):
                return
            if now > deadline:
                raise ActionFailed(f"{name} was started, but has shown no window in {self._patience_seconds:.0f} s.")
            time.sleep(_POLL_SECONDS)


def _last_line(errors: IO[bytes] | None) -> str:
    """The last line of a file, without the source position that Chromium begins it with; empty without one."""
    if errors is None:
        return ""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - _LARGEST_LINE_BYTES))
    lines = [line for line in errors.read(_LARGEST_LINE_BYTES).decode(errors="replace").splitlines() if line.strip()]
    return re.sub(r"^\[[^]]*\] ", "", lines[-1])[:_LONGEST_REASON] if lines else ""


def check_url(url: str) -> None:
    """Refuse what is no address of the web or of a file. Raises ``ActionFailed``."""
    said = f"The address {url[:200]!r}"
    if re.search(r"[\s\x00-\x1f\x7f]", url):
        raise ActionFailed(f"{said} has a space or a control character in it. Write it as %20.")
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        raise ActionFailed(f"{said} cannot be read.") from None
    if parts.scheme not in SCHEMES:
        raise ActionFailed(f"{said} is none that can be opened: it must begin with {', '.join(SCHEMES[:-1])} or about.")
    if parts.scheme in {"http", "https"} and not host:
        raise ActionFailed(f"{said} names no host.")
    if parts.scheme == "file" and host not in {None, "", "localhost"}:
        raise ActionFailed(f"{said} is a file of another machine.")


def _is_plain(name: str) -> bool:
    """A name on PATH, or a whole path; what is relative would be looked for where the daemon happens to stand."""
    return "\0" not in name and ("/" not in name or name.startswith("/"))
