"""What was seen in videos, as it is kept beside their interaction logs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from core.analysis import Observation
from storage.answers import digest
from storage.files import Folder, storage_failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from core.analysis import AnalysisRequest, Video
    from core.ports import Interaction

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
