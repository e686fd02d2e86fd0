"""Two small files of the data directory: the token that strangers need, and this installation's name."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Final

from core.errors import InvalidSetting, StorageFailed

if TYPE_CHECKING:
    from pathlib import Path

_SHORTEST_TOKEN: Final = 16


def load_token(directory: Path, given: str | None = None) -> str:
    """The token that requests from elsewhere must carry: the given one, or that of ``<directory>/token``.

    The file is made when it is missing, readable by this user alone.

    Raises:
        InvalidSetting: the given token, or the file's, is too short to guard anything.
        StorageFailed: the file can be neither made nor read.

    """
    token = given or _read_or_make(directory / "token", 32)
    if len(token) < _SHORTEST_TOKEN:
        source = "VAIDER_TOKEN" if given else str(directory / "token")
        raise InvalidSetting(f"The token of {source} is shorter than {_SHORTEST_TOKEN} characters; take a longer one.")
    return token


def installation(directory: Path) -> str:
    """This data directory's name among those that share a database: the same at each start, on whatever host."""
    return _read_or_make(directory / "installation", 8)


def _read_or_make(path: Path, length: int) -> str:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text(encoding="utf-8").strip()
        made = secrets.token_urlsafe(length)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(made + "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageFailed(f"{path} cannot be used: {getattr(error, 'strerror', None) or 'it is no text'}.") from None
    return made
