"""The interaction log: for each video a folder with every request, its answer, its pictures and what happened.

``<video>.VaiderInteractions/`` beside the video, or ``<data_dir>/interactions/<hash>-<name>/`` for an upload and where
the video's own folder cannot take it::

    01_request.json  01_observation.json  01_response.json  02_request.json …
    frames/01_….png  timeline.md  server.log
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import re
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from core.analysis import Analysis, AnalysisRequest, Observation, Video
from core.errors import InvalidPath, StorageFailed
from core.files import Folder, make_private, storage_failure
from core.narrative import timeline_markdown
from storage.answers import MOST_BYTES, AnswerIndex, KeptObservation, ObservationFiles, asked_again, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


_LOG = logging.getLogger("vaider.interactions")
SUFFIX = ".VaiderInteractions"
_NAME_BYTES = 255
_FRAMES = "frames"
_REQUEST = re.compile(r"(\d{2,})_request\.json")
_MAX_BYTES = 64 * 1024 * 1024
# Not ours to write, read-only, too long, or a link or file in its place: then the data directory takes it.
_ELSEWHERE = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENAMETOOLONG,
        errno.ELOOP,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ENOENT,
    }
)
Place = tuple[Path, str]
"""A folder that exists, and the name of the interaction folder in it."""


class InteractionFolders:
    """Implements ``core.ports.InteractionLogs``.

    Args:
        data_dir: below it lie the folders that cannot lie beside their video.
        answers: where answers are found again by content.
        redact: takes the secrets out of a text; everything that is written goes through it.

    """

    def __init__(self, *, data_dir: Path, answers: AnswerIndex, redact: Callable[[str], str]) -> None:
        self._data_dir = data_dir
        self._answers = answers
        self._redact = redact
        self._observations = ObservationFiles()
        self._numbering = threading.Lock()

    def open(self, video: Video, request: AnalysisRequest, job_id: str) -> InteractionFolder:
        """Take the next number and write ``NN_request.json``; the same ``job_id`` finds its own number again."""
        beside = _beside(video, request)
        if beside is not None:
            try:
                return self._begin(beside, video, request, job_id)
            except OSError as error:
                if error.errno not in _ELSEWHERE:
                    raise storage_failure(beside[0] / beside[1], error) from error
        parent, name = self._in_data_dir(video)
        try:
            return self._begin((parent, name), video, request, job_id)
        except OSError as error:
            raise storage_failure(parent / name, error) from error

    def find(self, video: Video, request: AnalysisRequest, provider: str, model: str) -> Analysis | None:
        """A kept answer to the same question by the same provider and model about the same content, if any.

        The video's own folder comes first, for it is where its user looks.
        """
        beside = _beside(video, request)
        own = beside and beside[0] / beside[1]
        candidates = self._answers.candidates(video, request, provider, model)
        for path, sha256 in sorted(candidates, key=lambda candidate: candidate[0].parent != own):
            kept = _kept(path, sha256)
            if kept is not None and (answer := asked_again(kept, request, video)) is not None:
                return answer
        return None

    def find_observation(self, video: Video, provider: str, model: str, settings: str) -> KeptObservation | None:
        """What was seen in the same content by the same provider and model with the same settings, if it is kept."""
        for path, sha256 in self._answers.observations(video.sha256, settings, provider, model):
            observation = self._observations.read(path, sha256)
            if observation is not None and observation.video_sha256 == video.sha256:
                return KeptObservation(observation, (path.parent.parent, path.parent.name), self._begin)
        return None

    def _in_data_dir(self, video: Video) -> Place:
        tame = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(video.path).name)[:100].strip("._") or "video"
        return make_private(self._data_dir / "interactions"), f"{video.sha256[:16]}-{tame}"

    def _begin(
        self, place: Place, video: Video, request: AnalysisRequest, job_id: str, *, is_new: bool = False
    ) -> InteractionFolder:
        parent, name = place
        with Folder.open(parent, name) as folder, Folder.open(parent, name, _FRAMES) as pictures:
            number = None if is_new else _number_of(folder, job_id)
            event = "internal.job.resumed"
            if number is None:
                event = "agent.request.received"
                content = {"job_id": job_id, "received_at": _now()}
                content |= {"video": video.model_dump(mode="json"), "request": request.model_dump(mode="json")}
                data = self._redact(json.dumps(content, indent=2, ensure_ascii=False)).encode()
                # Calls of this process take their numbers one after the other: each try writes to the disk.
                with self._numbering:
                    number = _next_number(folder)
                    while not folder.create(f"{number:02}_request.json", data, durable=not is_new):
                        number += 1
                # The folder's creator may have planted links under the names of the future pictures.
                _remove_all(pictures, f"{number:02}_")
        interaction = InteractionFolder(
            place,
            number,
            request=request,
            job_id=job_id,
            answers=self._answers,
            redact=self._redact,
            durable=not is_new,
        )
        interaction.log(event, number=number, provider=request.provider)
        return interaction


class PictureFolder:
    """Implements ``core.ports.FrameFolder``."""

    def __init__(self, directory: Path, prefix: str) -> None:
        self.directory = directory
        self.prefix = prefix
        self.relative = _FRAMES


class InteractionFolder:
    """Implements ``core.ports.Interaction``.

    What is not ``durable`` was judged of an observation that is kept, and can be judged of it again: it does not wait
    for the disk, which for twenty questions at once took longer than all else.
    """

    def __init__(
        self,
        place: Place,
        number: int,
        *,
        request: AnalysisRequest,
        job_id: str,
        answers: AnswerIndex,
        redact: Callable[[str], str],
        durable: bool,
    ) -> None:
        self._durable = durable
        self._place = place
        self._name = f"{number:02}"
        self._request = request
        self._job_id = job_id
        self._answers = answers
        self._redact = redact

    @property
    def directory(self) -> Path:
        """The interaction folder."""
        return self._place[0] / self._place[1]

    @property
    def frames(self) -> PictureFolder:
        """Where this request's pictures go."""
        return PictureFolder(self.directory / _FRAMES, f"{self._name}_")

    def log(self, event: str, *, level: str = "info", **fields: str | float | bool | None) -> None:
        """Append one line to ``server.log``. A failure to write it is only logged."""
        entry = {"timestamp": _now(), "level": level, "event": event, "request_id": self._job_id, **fields}
        line = self._redact(json.dumps(entry, ensure_ascii=False)) + "\n"
        try:
            with Folder.open(*self._place) as folder:
                folder.append("server.log", line.encode())
        except OSError as error:
            _LOG.warning("%s", storage_failure(self.directory / "server.log", error).message)

    def answer(self, analysis: Analysis) -> None:
        """Write ``NN_response.json`` and ``timeline.md``, atomically, and remember where."""
        data = self._redact(analysis.model_dump_json(indent=2)).encode()
        response = self._write(f"{self._name}_response.json", data)
        self._write("timeline.md", self._redact(timeline_markdown(analysis)).encode())
        try:
            self._answers.remember(self._request, analysis, response, data)
        except StorageFailed as failure:
            _LOG.warning("the answer in %s will not be found again: %s", response, failure.message)

    def keep_observation(self, observation: Observation) -> None:
        """Write ``NN_observation.json``, and remember where; without it the next question has the video watched."""
        data = self._redact(observation.model_dump_json(exclude_defaults=True)).encode()
        try:
            if len(data) <= MOST_BYTES:
                self._answers.remember_observation(
                    observation, self._write(f"{self._name}_observation.json", data), data
                )
        except StorageFailed as failure:
            _LOG.warning("what was seen is not kept for further questions: %s", failure.message)

    def fail(self, error: Mapping[str, Any]) -> None:
        """Write the error shape as ``NN_response.json``, and drop the pictures, which no answer will name.

        The failure itself matters more than that it is kept.
        """
        self._drop_pictures()  # first: where the disk is full, this is the room for the rest
        try:
            data = self._redact(json.dumps(error, indent=2, ensure_ascii=False)).encode()
            self._write(f"{self._name}_response.json", data)
        except StorageFailed as failure:
            _LOG.warning("%s", failure.message)

    def _drop_pictures(self) -> None:
        with contextlib.suppress(OSError), Folder.open(*self._place, _FRAMES) as pictures:
            _remove_all(pictures, self.frames.prefix)

    def _write(self, name: str, data: bytes) -> Path:
        try:
            with Folder.open(*self._place) as folder:
                folder.replace(name, data, durable=self._durable)
        except OSError as error:
            raise storage_failure(self.directory / name, error) from error
        return self.directory / name


def _remove_all(folder: Folder, prefix: str) -> None:
    for name in folder.names():
        if name.startswith(prefix):
            folder.remove(name)


def _beside(video: Video, request: AnalysisRequest) -> Place | None:
    path = Path(video.path)
    name = path.name + SUFFIX
    return None if request.uploaded or len(os.fsencode(name)) > _NAME_BYTES else (path.parent, name)


def _kept(path: Path, sha256: str) -> Analysis | None:
    try:
        with Folder.open(path.parent) as folder:
            data = folder.read(path.name, _MAX_BYTES)
        return Analysis.model_validate_json(data) if digest(data) == sha256 else None
    except (OSError, ValidationError):
        return None


def _numbers(folder: Folder) -> list[tuple[int, str]]:
    matches = (_REQUEST.fullmatch(name) for name in folder.names())
    return sorted((int(match[1]), match[0]) for match in matches if match)


def _next_number(folder: Folder) -> int:
    numbers = _numbers(folder)
    return numbers[-1][0] + 1 if numbers else 1


def _number_of(folder: Folder, job_id: str) -> int | None:
    """The number that the job took before a crash."""
    for number, name in reversed(_numbers(folder)):
        try:
            if json.loads(folder.read(name, _MAX_BYTES))["job_id"] == job_id:
                return number
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


_RESPONSE: Final = re.compile(r"(\d{2,9})_response\.json")
_MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024


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
                    return Analysis.model_validate_json(folder.read(match[0], _MAX_ANSWER_BYTES))
                except ValidationError:
                    # It failed, or was written by another version: an older one may do.
                    continue
    except OSError:
        return None
    return None
