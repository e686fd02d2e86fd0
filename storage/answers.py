"""Which question about which video was answered, and in which file the answer and what was seen lie."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError

from core.analysis import Analysis, AnalysisRequest, Observation, Video
from core.files import Folder, storage_failure
from storage.schema import ANALYSES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.ports import Interaction
    from storage.database import Database


_TRIES = 8
"""How many kept answers are looked at; older ones are gone or changed as well when these are."""


class _Key(NamedTuple):
    video_sha256: str
    question: str
    provider: str
    model: str


class AnswerIndex:
    """Finds answers by the content of the video, so that a renamed one is known as well.

    The index holds each answer's digest and lies in the user's own database: a folder of answers that came with
    another person's videos proves nothing, and is never taken for an answer of ours.

    Args:
        database: several installations may share a server.
        owner: the installation whose files the answers are.

    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner

    def remember(self, request: AnalysisRequest, analysis: Analysis, response: Path, written: bytes) -> None:
        """Note that ``response`` now holds ``analysis`` as the bytes ``written``."""
        key = _Key(analysis.video.sha256, _question(request, analysis.video), analysis.provider, analysis.model)
        self._note(key, response, written)

    def remember_observation(self, observation: Observation, file: Path, written: bytes) -> None:
        """Note that ``file`` now holds ``observation`` as the bytes ``written``."""
        seen = _seen_with(observation.settings)
        self._note(_Key(observation.video_sha256, seen, observation.provider, observation.model), file, written)

    def candidates(
        self, video: Video, request: AnalysisRequest, provider: str, model: str
    ) -> Sequence[tuple[Path, str]]:
        """Where answers to the same question were written, newest first, each with its digest."""
        return self._find(_Key(video.sha256, _question(request, video), provider, model))

    def observations(self, video_sha256: str, settings: str, provider: str, model: str) -> Sequence[tuple[Path, str]]:
        """Where what was seen in the video was written, likewise."""
        return self._find(_Key(video_sha256, _seen_with(settings), provider, model))

    def is_empty(self) -> bool:
        """Whether nothing was watched yet."""
        with self._database.read() as connection:
            return connection.execute(sa.select(ANALYSES.c.number).limit(1)).first() is None

    def _note(self, key: _Key, file: Path, written: bytes) -> None:
        row = {
            **key._asdict(),
            "owner": self._owner,
            "response_path": str(file),
            "response_sha256": digest(written),
            "created_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        with self._database.write() as connection:
            connection.execute(sa.insert(ANALYSES).values(**row))

    def _find(self, key: _Key) -> Sequence[tuple[Path, str]]:
        query = (
            sa.select(ANALYSES.c.response_path, ANALYSES.c.response_sha256)
            .where(
                ANALYSES.c.owner.in_((self._owner, "")),
                *(ANALYSES.c[name] == value for name, value in key._asdict().items()),
            )
            .order_by(ANALYSES.c.number.desc())
            .limit(_TRIES)
        )
        with self._database.read() as connection:
            return [(Path(row.response_path), row.response_sha256) for row in connection.execute(query)]


def asked_again(kept: Analysis, request: AnalysisRequest, video: Video) -> Analysis | None:
    """A kept answer as one to this request, if it has a verdict on each of its expectations."""
    by_expectation = {verdict.expectation: verdict for verdict in kept.verdicts}
    if not by_expectation.keys() >= set(request.expectations):
        return None
    verdicts = tuple(by_expectation[expectation] for expectation in request.expectations)
    return kept.model_copy(update={"cached": True, "video": video, "verdicts": verdicts})


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _question(request: AnalysisRequest, video: Video) -> str:
    asked: list[str | list[str]] = [*sorted(request.expectations)]
    return digest(json.dumps([*asked, [video.trace.sha256]] if video.trace else asked).encode())


def _seen_with(settings: str) -> str:
    """The question «what is seen?», put by these settings, and answered in the form of this version."""
    return digest(json.dumps(["observation", _form(), settings]).encode())


@cache
def _form() -> str:
    return digest(json.dumps(Observation.model_json_schema(), sort_keys=True).encode())


MOST_BYTES: Final = 32 * 1024 * 1024
_READ_AT_ONCE: Final = 4


class ObservationFiles:
    """Reads observations; those that were read last are parsed once."""

    def __init__(self) -> None:
        self._parsed: OrderedDict[str, Observation] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, path: Path, sha256: str) -> Observation | None:
        """The observation in a file, if the file still holds the bytes that we wrote."""
        try:
            with Folder.open(path.parent) as folder:
                data = folder.read(path.name, MOST_BYTES)
        except OSError:
            return None
        if digest(data) != sha256:
            return None
        # Of several at once, the first parses for all.
        with self._lock:
            try:
                found = self._parsed.get(sha256) or Observation.model_validate_json(data)
            except ValidationError:
                return None
            self._parsed[sha256] = found
            self._parsed.move_to_end(sha256)
            while len(self._parsed) > _READ_AT_ONCE:
                self._parsed.popitem(last=False)
        return found


class KeptObservation:
    """Implements ``core.ports.KeptObservation``.

    Args:
        observation: what was seen.
        place: the folder that holds it, and its pictures.
        begin: takes a number in a folder.

    """

    def __init__(self, observation: Observation, place: tuple[Path, str], begin: Callable[..., Any]) -> None:
        self.observation = observation
        self._place = place
        self._begin = partial(begin, is_new=True)

    def open(self, video: Video, request: AnalysisRequest, job_id: str) -> Interaction:
        """See the port."""
        try:
            return self._begin(self._place, video, request, job_id)
        except OSError as error:
            raise storage_failure(self._place[0] / self._place[1], error) from error
