"""The answers that lie in interaction folders, also such as another machine or an earlier version wrote."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from core.analysis import Analysis
from core.errors import InvalidPath
from storage.files import Folder
from storage.interactions import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

_RESPONSE: Final = re.compile(r"(\d{2,9})_response\.json")
_MAX_BYTES: Final = 32 * 1024 * 1024


def kept_answers(root: Path) -> Iterator[tuple[Path, Analysis | None]]:
    """Each interaction folder at or below a folder, and its newest answer; ``None`` if it has none that can be read.

    Links are not followed. Raises ``InvalidPath`` when there is no such folder.
    """
    if not root.is_dir():
        raise InvalidPath(f"There is no folder {root}: name one with {SUFFIX} folders in it.")
    for place, folders, _ in os.walk(root):
        folders.sort()
        if Path(place).name.endswith(SUFFIX):
            folders.clear()
            yield Path(place), _newest(Path(place))


def _newest(place: Path) -> Analysis | None:
    try:
        with Folder.open(place) as folder:
            names = [match for name in folder.names() if (match := _RESPONSE.fullmatch(name))]
            for match in sorted(names, key=lambda each: int(each[1]), reverse=True):
                try:
                    return Analysis.model_validate_json(folder.read(match[0], _MAX_BYTES))
                except ValidationError:
                    # It failed, or was written by another version: an older one may do.
                    continue
    except OSError:
        return None
    return None
