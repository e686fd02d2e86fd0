"""The files of settings as text: what ``defaults.toml`` says of each, and how the user's is changed value by value."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from config.settings import SettingsError, defaults_text


def with_values(text: str, changes: Mapping[str, Any]) -> str:
    """The file's text with these settings changed; those that are ``None`` are taken out.

    Raises:
        SettingsError: it is no TOML, or cannot be changed so without changing more.

    """
    # Nothing else needs it.
    import tomlkit  # noqa: PLC0415
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        wanted: dict[str, Any] = tomllib.loads(text)
        document = tomlkit.parse(text)
        for name, value in changes.items():
            wanted.pop(name, None) if value is None else wanted.update({name: value})
            if value is not None:
                document[name] = value
            elif name in document:
                del document[name]
        changed = tomlkit.dumps(document)
        if tomllib.loads(changed) == wanted:
            return changed
    except (tomllib.TOMLDecodeError, TOMLKitError) as error:
        raise SettingsError(f"it is no TOML that can be changed ({error})") from None
    raise SettingsError("it is written in a way that cannot be changed without changing more of it")


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
