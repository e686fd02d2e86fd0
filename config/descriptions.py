"""What ``defaults.toml`` says of each setting in its comments, for those who show them: it is written there alone."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from config.sources import defaults_text

_SECTION: Final = re.compile(r"# -- ([^(]+?)(?: \((.+)\))?")
_SETTING: Final = re.compile(r'([a-z_]+) = (?:"[^"]*"|[^\s#]+)\s*(?:# (.*))?')
_VALUES: Final = re.compile(r"\S+ (?:\([^)]*\) )?[|=] ")


class Description(NamedTuple):
    """Of one setting."""

    section: str
    """The heading that it stands below."""
    text: str


class Section(NamedTuple):
    """A heading, and what is said in brackets behind it."""

    name: str
    note: str


def descriptions() -> tuple[list[Section], dict[str, Description]]:
    """The sections in their order, and each setting's description."""
    sections: list[Section] = []
    found: dict[str, Description] = {}
    for line in defaults_text().splitlines():
        if heading := _SECTION.fullmatch(line):
            sections.append(Section(_capital(heading[1]), _capital(heading[2] or "")))
        elif setting := _SETTING.fullmatch(line):
            found[setting[1]] = Description(sections[-1].name, _capital(setting[2] or ""))
    return sections, found


def _capital(text: str) -> str:
    # What begins with the values that may be given is left as they are given.
    return text if _VALUES.match(text) else text[:1].upper() + text[1:]
