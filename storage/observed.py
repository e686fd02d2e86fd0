"""What was seen in a video beyond its answer, out of the answer's own folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from core.analysis import Observation
from storage.answers import MOST_BYTES

if TYPE_CHECKING:
    from core.analysis import Analysis, Sighting

_NAME: Final = re.compile(r"(\d{1,9})_observation\.json")


def sightings_of(analysis: Analysis) -> tuple[Sighting, ...] | None:
    """Every text and its time, of the same bytes by the same provider; ``None`` where that was not kept."""
    folder = Path(analysis.interactions_dir)
    try:
        names = [match for path in folder.iterdir() if (match := _NAME.fullmatch(path.name))]
        for match in sorted(names, key=lambda each: int(each[1]), reverse=True):
            path = folder / match[0]
            if path.is_symlink() or path.stat().st_size > MOST_BYTES:
                continue
            try:
                seen = Observation.model_validate_json(path.read_bytes())
            except ValidationError:
                continue
            if (seen.video_sha256, seen.provider) == (analysis.video.sha256, analysis.provider):
                return seen.findings.sightings
    except OSError:
        return None
    return None
