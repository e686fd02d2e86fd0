"""The recorded Playwright traces of ``tests/data/traces`` (see ``bench/playwright/record.py``), and changed copies."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

TRACES: Final = Path(__file__).parents[2] / "data" / "traces"


def members_of(name: str) -> dict[str, bytes]:
    """The members of a recorded trace."""
    with zipfile.ZipFile(TRACES / name / "trace.zip") as kept:
        return {member: kept.read(member) for member in kept.namelist()}


def write_trace(folder: Path, members: Mapping[str, bytes]) -> Path:
    """A trace with these members."""
    path = folder / "trace.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return path
