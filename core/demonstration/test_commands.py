"""What a test runner writes beside the page that it tests: its commands, with their selectors and values.

Cypress draws them so in each film that it records: ``get input[name="email"]``, ``-type ada@example.com``, ``-click``.
What was typed is read there letter by letter, also where the page hid it or was filled within a picture or two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.demonstration.command_rows import DOES, FINDS, command_rows
from core.secrets import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Region
    from core.demonstration.command_rows import Row
    from core.demonstration.screen_texts import ScreenTexts

_MOVED_MS: Final = 500
_ADDRESS: Final = re.compile(r"https?://\S+", re.IGNORECASE)
_STROKES: Final = frozenset("1lI|")
"""What a slash that stands alone is read as."""
_OPTIONS: Final = re.compile(r"(?:, ?\{?|\{) ?(?:force|delay|log|timeout|scrollBehavior) ?:.*")
"""What a command is set to, which is written behind its value."""
_STARTS: Final = frozenset({"get", "contains"})
_BY_WORDS: Final = re.compile(r"(?:find|get)(?:all)?by(?:placeholdertext|labeltext|text|title|alttext|displayvalue)")
"""Testing Library's; what they look for is on the page."""
_STAYS: Final = frozenset({
    "assert", "should", "focus", "trigger", "scrollintoview", "invoke", "its", "then", "wait", "screenshot",
})  # fmt: skip
"""What is done next is done to the same thing."""
_LITERAL: Final = re.compile(
    r"(?:\[(?:placeholder|aria-label|title|alt|value)\s*[*^$~|]?=\s*|:contains\()[\"']?(?P<words>[^\"'\])]+)[\"']?[\])]",
    re.IGNORECASE,
)
"""What a page shows, in a selector."""
_NAME: Final = re.compile(
    r"\[(?:name|id|for|data-[\w-]+)\s*[*^$~|]?=\s*[\"']?(?P<words>[^\"'\]]+)(?:[\"']?\]|$)|#(?P<id>[\w-]+)",
    re.IGNORECASE,
)
"""What a page's author calls a thing, in a selector."""
_CLASS: Final = re.compile(r"\.([a-z][\w-]+)", re.IGNORECASE)


class Command(NamedTuple):
    """One that does something."""

    t_ms: int
    """When it was written."""
    verb: str
    words: str
    """What was typed or chosen, or the address."""
    shown: str
    """What the page shows of the thing that it was done to, as far as its selector says that; else empty."""
    name: str
    """What the page's author calls that; empty for none."""
    selector: str = ""
    """All that finds it."""
    follows: bool = True
    """Whether no row is missed between it and the command before it."""

    @property
    def is_secret(self) -> bool:
        """Whether what finds it says that a password is typed there."""
        return is_secret_name(self.name) or is_secret_name(self.selector)


class CommandLog(NamedTuple):
    """The commands in their order, and how far to the right they stand."""

    commands: tuple[Command, ...]
    right: int
    rows: tuple[Row, ...] = ()
    """All that is written there."""

    def is_beside(self, place: Region | None) -> bool:
        """Whether a place is that of the page, and not of the commands."""
        return place is None or place[0] + place[2] / 2 > self.right

    @property
    def address(self) -> str:
        """The first page that was opened; empty where only a part of its address is written."""
        words = next((one.words for one in self.commands if one.verb == "visit"), "")
        return words if _ADDRESS.fullmatch(words) else ""


def command_log(texts: ScreenTexts, column: Region | None = None) -> CommandLog:
    """The commands of a film; none where nothing is written as a test runner does.

    Args:
        texts: what was read, and when.
        column: where a runner writes, if that was seen.

    """
    rows, right = command_rows(texts)
    known = 0 if column is None else column[0] + column[2]
    if not any(row.verb in DOES or row.verb in FINDS for row in rows):
        return CommandLog((), known)
    right = max(right, known)
    found: list[Command] = []
    subject, test = "", 0
    between: list[Row] = []
    for row in rows:
        subject, test = subject if row.test == test and row.follows else "", row.test
        between.append(row)
        if row.verb in _STARTS or _BY_WORDS.match(row.verb):
            subject = _selector(row)
        elif row.verb in FINDS:
            subject = f"{subject} {_selector(row)}".strip()
        elif row.verb not in DOES and row.verb not in _STAYS:
            subject = ""
        elif row.verb in DOES:
            words = "/" if row.verb == "visit" and row.words in _STROKES else _OPTIONS.sub("", row.words)
            follows = all(one.follows for one in between)
            done = Command(row.t_ms, row.verb, words, _shown(subject), _name(subject), subject, follows)
            if subject or row.words or row.verb == "visit":
                _add(found, done, between)
                between.clear()
    return CommandLog(tuple(found), right, rows)


def _add(found: list[Command], done: Command, between: Sequence[Row]) -> None:
    """Add a command, if it is not the one before it."""
    last = found[-1] if found else None
    if last is None or last._replace(t_ms=0, follows=True) != done._replace(t_ms=0, follows=True):
        found.append(done)
    elif done.verb == "visit" and not any(one.verb in FINDS | _STAYS for one in between):
        # The runner began anew: for another site it loads itself again.
        found[-1] = done
    elif done.t_ms - last.t_ms > _MOVED_MS:
        # What is read in two places at once has moved.
        found.append(done)


def _selector(row: Row) -> str:
    """What finds a thing; a text that is looked for as a selector says it."""
    by_words = row.verb == "contains" or _BY_WORDS.match(row.verb)
    return f':contains("{row.words.rpartition(", ")[2]}")' if by_words else row.words


def _shown(selector: str) -> str:
    found = [match["words"].strip() for match in _LITERAL.finditer(selector)]
    return found[-1] if found else ""


def _name(selector: str) -> str:
    found = [(match["words"] or match["id"]).strip() for match in _NAME.finditer(selector)]
    return found[-1] if found else (_CLASS.findall(selector) or [""])[-1]
