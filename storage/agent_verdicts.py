"""The pictures and words of what agents judged, in the interaction folder of the video."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from core.analysis import Evidence
from core.files import Folder, storage_failure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.looking import AgentVerdict, Still

LOG = "agent_verdicts.jsonl"


def keep_pictures(folder: Path, job_id: str, stills: Sequence[Still], given: AgentVerdict) -> Sequence[Evidence]:
    """Implements ``core.agent_verdicts.KeepPictures``; each verdict is a line of ``agent_verdicts.jsonl`` as well."""
    found: list[Evidence] = []
    try:
        with (
            Folder.open(folder.parent, folder.name) as log,
            Folder.open(folder.parent, folder.name, "frames") as frames,
        ):
            for still in stills:
                name = f"agent_{hashlib.sha256(still.data).hexdigest()[:16]}.jpg"
                frames.create(name, still.data)
                found.append(Evidence(t_ms=still.t_ms, frame=f"frames/{name}"))
            entry = {"job_id": job_id, **given.model_dump(mode="json"), "frames": [each.frame for each in found]}
            log.append(LOG, json.dumps(entry, ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise storage_failure(folder / LOG, error) from error
    return found
