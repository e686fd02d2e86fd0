"""An analysis as one HTML file to hand on, with its pictures in it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.video.contact_sheet import load_still
from core.errors import CallerError
from storage.reports.analysis_page import analysis_page, decisive_frames, frames_of
from storage.reports.page import MAX_BYTES, Thumbnail, fitting

if TYPE_CHECKING:
    from core.analysis import Analysis

_WIDTH: Final = 1280
_QUALITY: Final = 70
_LEAST_BYTES: Final = 15_000
"""Of a picture; more than would fit if all were so small need not be made."""


def shared_analysis(analysis: Analysis) -> bytes:
    """The file of an analysis; pictures that are gone are left out."""
    folder = Path(analysis.interactions_dir)
    names = frames_of(analysis)
    likely = fitting(dict.fromkeys(names, _LEAST_BYTES), MAX_BYTES, decisive_frames(analysis))
    made = {name: picture for name in names if name in likely and (picture := _picture(folder, name))}
    return analysis_page(analysis, made).encode("utf-8", "replace")


def _picture(folder: Path, name: str) -> Thumbnail | None:
    path = folder / "frames" / Path(name).name
    try:
        # A link could lead anywhere.
        if path.resolve() != folder.resolve() / "frames" / path.name:
            return None
        still = load_still(path, _WIDTH)
    except (OSError, CallerError):
        return None
    file = io.BytesIO()
    still.save(file, "WEBP", quality=_QUALITY)
    return Thumbnail(file.getvalue(), still.width, still.height)
