"""Which question about which video was answered, and in which file the answer lies."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.schema import ANALYSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Analysis, AnalysisRequest
    from storage.database import Database

_TRIES = 8
"""How many kept answers are looked at; older ones are gone or changed as well when these are."""


class AnswerIndex:
    """Finds answers by the content of the video, so that a renamed one is known as well.

    The index holds each answer's digest and lies in the user's own database: a folder of answers that came with
    somebody's videos proves nothing, and is never taken for an answer of ours.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def remember(self, request: AnalysisRequest, analysis: Analysis, response: Path, written: bytes) -> None:
        """Note that ``response`` now holds ``analysis`` as the bytes ``written``."""
        row = {
            "video_sha256": analysis.video.sha256,
            "question": _question(request),
            "provider": analysis.provider,
            "model": analysis.model,
            "response_path": str(response),
            "response_sha256": digest(written),
            "created_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        with self._database.write() as connection:
            connection.execute(sa.insert(ANALYSES).values(**row))

    def candidates(
        self, video_sha256: str, request: AnalysisRequest, provider: str, model: str
    ) -> Sequence[tuple[Path, str]]:
        """Where answers to the same question were written, newest first, each with its digest."""
        query = (
            sa.select(ANALYSES.c.response_path, ANALYSES.c.response_sha256)
            .where(
                ANALYSES.c.video_sha256 == video_sha256,
                ANALYSES.c.question == _question(request),
                ANALYSES.c.provider == provider,
                ANALYSES.c.model == model,
            )
            .order_by(ANALYSES.c.number.desc())
            .limit(_TRIES)
        )
        with self._database.read() as connection:
            return [(Path(row.response_path), row.response_sha256) for row in connection.execute(query)]


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _question(request: AnalysisRequest) -> str:
    return digest(json.dumps(sorted(request.expectations)).encode())
