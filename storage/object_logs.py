"""The interaction log of a farm: written in a folder of the worker's, kept in the store by job and attempt.

::

jobs/<job>/<attempt>/01_request.json  01_response.json  timeline.md  server.log  frames/01_….png
"""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ValidationError

from core.analysis import Analysis, AnalysisRequest, Observation, Video
from core.errors import NotFound, StorageFailed
from storage.answers import asked_again, digest
from storage.interactions import InteractionFolders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.ports import FrameFolder, Interaction
    from storage.answers import AnswerIndex
    from storage.objects import Objects

_LOG = logging.getLogger("vaider.interactions")
_MOST_BYTES: Final = 64 * 1024 * 1024


def answer_prefix(job_id: str, attempt: int) -> str:
    """Where an attempt at a job keeps its things."""
    return f"jobs/{job_id}/{attempt}"


class ObjectLogs:
    """Implements ``core.ports.InteractionLogs`` for one attempt at one job.

    Args:
        objects: the farm's store.
        answers: where answers are found again by content.
        prefix: of this attempt's keys.
        scratch: a folder of this attempt's alone.
        redact: takes the secrets out of a text.

    """

    def __init__(
        self, objects: Objects, answers: AnswerIndex, prefix: str, scratch: Path, redact: Callable[[str], str]
    ) -> None:
        self._objects = objects
        self._answers = answers
        self._prefix = prefix
        self._scratch = scratch
        self._folders = InteractionFolders(data_dir=scratch, answers=cast("Any", _NoAnswers()), redact=redact)
        self._published: set[Path] = set()

    def open(self, video: Video, request: AnalysisRequest, job_id: str) -> Interaction:
        """See the port."""
        uploaded = request.model_copy(update={"uploaded": True})
        inner = self._folders.open(video, uploaded, job_id)
        return ObjectInteraction(inner, self._prefix, request, self._answers, lambda: self.publish(inner.directory))

    def find(self, video: Video, request: AnalysisRequest, provider: str, model: str) -> Analysis | None:
        """See the port."""
        for path, sha256 in self._answers.candidates(video, request, provider, model):
            kept = self._kept(path.as_posix(), sha256)
            if kept is not None and (answer := asked_again(kept, request, video)) is not None:
                return answer
        return None

    def find_observation(self, video: Video, provider: str, model: str, settings: str) -> None:
        """A further question has the video watched anew: where its pictures lie is another job's."""
        del video, provider, model, settings

    def publish(self, folder: Path) -> None:
        """Keep each file that is not kept yet, or that grows. Raises ``StorageFailed``."""
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and path not in self._published:
                self._objects.put_file(f"{self._prefix}/{path.relative_to(folder).as_posix()}", path)
                if path.suffix in {".png", ".jpg", ".webp"}:
                    self._published.add(path)

    def publish_pictures(self) -> None:
        """Keep the pictures there are, as part of the step that made them. Raises ``StorageFailed``."""
        for folder in self._own_folders():
            self.publish(folder)

    def fetch_pictures(self, prefix: str) -> None:
        """Take over the pictures that a step of an earlier attempt has made. Raises ``StorageFailed``, ``NotFound``."""
        for folder in self._own_folders():
            for key in self._objects.keys(f"{prefix}/frames"):
                path = folder / "frames" / Path(key).name
                if not path.exists():
                    self._objects.get_file(key, path)

    def _own_folders(self) -> Sequence[Path]:
        root = self._scratch / "interactions"
        return [folder for folder in root.iterdir() if folder.is_dir()] if root.is_dir() else []

    def _kept(self, key: str, sha256: str) -> Analysis | None:
        with contextlib.suppress(NotFound, StorageFailed, ValidationError):
            data = self._objects.get(key, _MOST_BYTES)
            return Analysis.model_validate_json(data) if digest(data) == sha256 else None
        return None


class ObjectInteraction:
    """Implements ``core.ports.Interaction``: written to a folder first, and kept with the answer."""

    def __init__(
        self,
        inner: Any,
        prefix: str,
        request: AnalysisRequest,
        answers: AnswerIndex,
        publish: Callable[[], None],
    ) -> None:
        self._inner = inner
        self._prefix = prefix
        self._request = request
        self._answers = answers
        self._publish = publish

    @property
    def directory(self) -> Path:
        """The prefix: what an answer names is no path of a machine."""
        return Path(self._prefix)

    @property
    def frames(self) -> FrameFolder:
        """Where this request's pictures go."""
        return self._inner.frames

    def log(self, event: str, *, level: str = "info", **fields: str | float | bool | None) -> None:
        """Append one line to ``server.log``."""
        self._inner.log(event, level=level, **fields)

    def answer(self, analysis: Analysis) -> None:
        """Write the answer, and keep all of it. Raises ``StorageFailed``."""
        named = analysis.model_copy(
            update={"video": analysis.video.model_copy(update={"path": Path(analysis.video.path).name})}
        )
        self._inner.answer(named)
        self._publish()
        written = self._inner.frames.directory.parent / f"{self._inner.frames.prefix}response.json"
        try:
            self._answers.remember(self._request, named, Path(f"{self._prefix}/{written.name}"), written.read_bytes())
        except StorageFailed as failure:
            _LOG.warning("the answer in %s will not be found again: %s", self._prefix, failure.message)

    def keep_observation(self, observation: Observation) -> None:
        """Not kept: see ``find_observation``."""

    def fail(self, error: Mapping[str, Any]) -> None:
        """Write the error, and keep it if that is possible."""
        self._inner.fail(error)
        try:
            self._publish()
        except StorageFailed as failure:
            _LOG.warning("%s", failure.message)


class _NoAnswers:
    """The folder is this attempt's alone: nothing is found again in it."""

    def remember(self, *_: object) -> None:
        """Nothing."""

    def remember_observation(self, *_: object) -> None:
        """Nothing."""
