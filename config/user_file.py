"""Changing the user's settings file as text: comments, order and what is unknown stay as they are."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from config.sources import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping


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
