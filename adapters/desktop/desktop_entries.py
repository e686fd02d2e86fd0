"""The programs that a desktop's menus offer: ``.desktop`` files, by the Desktop Entry Specification 1.5."""

from __future__ import annotations

import configparser
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.errors import ActionFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
