"""The lines of ``## Schedule`` in HEARTBEAT.md: ``every weekday at 9:00 (Europe/Berlin), missed: once``.

Behind it may stand on which display: ``, display: private``. At most one line holds the schedule; it may be a list
item. Empty lines and HTML comments are left alone, ``None.`` says that there is no schedule. Lines are given and taken
without their line ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.schedules.cron import looks_like_cron
from core.schedules.parser import understand
from core.schedules.schedule import Missed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from core.schedules.parser import Understood
    from core.schedules.schedule import Schedule

_LINE = re.compile(
    r"(?P<words>[^()]*?)\s*(?:\((?P<zone>[^()]*)\)\s*)?(?:[,;]?\s*\bmissed\s*:\s*(?P<missed>[^\s,;()]+)\s*)?"
    r"(?:[,;]?\s*\bdisplay\s*:\s*(?P<display>[^\s,;()]+)\s*)?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-+*]\s+)?")
_NONE = re.compile(r"none\.?", re.IGNORECASE)
_DISPLAY = re.compile(r"current|private|:\d{1,5}(?:\.\d{1,3})?")
_CRON_FIELDS = 5


def write_line(schedule: Schedule, display: str = "") -> str:
    """The schedule in one line; the display is left out where it is the setting's."""
    line = f"{schedule.words} ({schedule.zone}), missed: {schedule.missed.value}"
    return f"{line}, display: {display}" if display else line


def read_display(word: str) -> str:
    """The name of a display, in lower case. Raises ``InvalidRequest``."""
    name = word.lower().rstrip(".")
    if not _DISPLAY.fullmatch(name):
        raise InvalidRequest(f'"display: {word[:40]}" is not known; write private, current or one such as :1.')
    return name


def read_line(line: str, *, zone: str, missed: Missed = Missed.ONCE, now: datetime | None = None) -> Understood:
    """What a line says; ``zone`` and ``missed`` hold where it says nothing of them, ``now`` is as in ``understand``.

    Raises:
        InvalidRequest: it is not understood.

    """
    found = _LINE.fullmatch(line[_bullet(line) :].strip())
    if found is None:
        raise InvalidRequest('Write a schedule as "every weekday at 9:00 (Europe/Berlin), missed: once".')
    policy = (found["missed"] or missed).lower().rstrip(".")
    if policy not in set(Missed):
        raise InvalidRequest(f'"missed: {policy[:40]}" is not known; write skip, once or all.')
    understood = understand(
        found["words"].strip().strip("`"),
        zone=zone if found["zone"] is None else found["zone"],
        missed=Missed(policy),
        now=now,
    )
    return understood.model_copy(update={"display": read_display(found["display"])}) if found["display"] else understood


def read_section(lines: Sequence[str], *, zone: str, missed: Missed = Missed.ONCE) -> Understood | None:
    """The schedule that the section holds; none where it is empty.

    Raises:
        InvalidRequest: a line is not understood, or there are several.

    """
    places = _places(lines)
    return read_line(lines[places[0]], zone=zone, missed=missed) if places else None


def write_section(lines: Sequence[str], schedule: Schedule | None, display: str = "") -> list[str]:
    """The section's lines with this schedule, or with none; other lines, and one that says the same, stay as they are.

    Raises:
        InvalidRequest: there are several lines, of which none can be chosen.

    """
    places = _places(lines, also_none=True)
    written = list(lines)
    if schedule is None:
        return [line for number, line in enumerate(written) if number not in places]
    if not places:
        filled = [number for number, line in enumerate(written) if line.strip()]
        place = filled[-1] + 1 if filled else min(1, len(written))
        written.insert(place, write_line(schedule, display))
    elif not _says(written[places[0]], schedule, display):
        line = written[places[0]]
        ending = line[len(line.rstrip("\r\n")) :]
        written[places[0]] = line[: _bullet(line)] + write_line(schedule, display) + ending
    return written


def _says(line: str, schedule: Schedule, display: str) -> bool:
    """Whether the line says all of it by itself."""
    found = _LINE.fullmatch(line[_bullet(line) :].strip())
    if found is None or found["zone"] is None or found["missed"] is None:
        return False
    try:
        read = read_line(line, zone=schedule.zone)
    except InvalidRequest:
        return False
    return (read.schedule, read.display) == (schedule, display)


def _places(lines: Sequence[str], *, also_none: bool = False) -> list[int]:
    found: list[int] = []
    in_comment = False
    for number, line in enumerate(lines):
        text = line.strip()
        if in_comment or text.startswith("<!--"):
            in_comment = "-->" not in text
            # What stands behind the end of a comment is meant to be read.
            if not in_comment and not text.endswith("-->"):
                found.append(number)
        elif text and (also_none or not _NONE.fullmatch(text[_bullet(text) :])):
            found.append(number)
    if in_comment:
        raise InvalidRequest('A comment in "## Schedule" is not closed; end it with "-->".')
    if len(found) > 1:
        raise InvalidRequest(
            f'There are {len(found)} lines in "## Schedule"; leave one, and join several times with a semicolon: '
            '"every weekday at 9:00; every Saturday at 11:00 (Europe/Berlin), missed: once".'
        )
    return found


def _bullet(line: str) -> int:
    """How many characters come before the schedule.

    A star before the fields of a cron expression is one of them and never of a list, because a sixth field would be
    dropped in silence otherwise.
    """
    words = re.split(r"[(,]\s*[^\d\s]|;", line.strip(), maxsplit=1)[0]
    star, _, rest = words.partition(" ")
    if star == "*" and looks_like_cron(words) and (len(words.split()) == _CRON_FIELDS or looks_like_cron(rest)):
        return len(line) - len(line.lstrip())
    found = _BULLET.match(line)
    return found.end() if found else 0
