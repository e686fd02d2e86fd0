"""The analysis process: ``python -m adapters.video.process.worker``, spoken to by ``child.py`` alone.

Other work on untrusted videos has a module of its own that calls ``main`` with what it can do; ``fork_server`` does the
same work in copies of itself.

It reads one request from standard input, writes messages to standard output, and ends with its answer. It dies when
its parent does, is bounded in memory and computing time, and knows no key. What it needs is imported late: a look at a
file shall not wait for the text reader.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

from core.errors import InvalidVideo, TooLarge, VaiderError

if TYPE_CHECKING:
    from adapters.video.ocr.reader import TextReader
    from core.analysis import Video

_SET_PARENT_DEATH_SIGNAL = 1
"""``PR_SET_PDEATHSIG`` of prctl(2)."""
_NICENESS = 5
_REPORT_EVERY_SECONDS = 0.1


END: Final = b"end\n"
"""What the parent says when a film that is being followed grows no more."""
ended: Final = threading.Event()
"""Whether it has said so."""


class Channel:
    """The way to the parent; safe from any thread."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._reported: dict[str, float] = {}

    def progress(self, stage: str, done: int, total: int) -> None:
        """Tell how far a stage is, ten times a second at most."""
        now = time.monotonic()
        if done < total and now - self._reported.get(stage, 0.0) < _REPORT_EVERY_SECONDS:
            return
        self._reported[stage] = now
        self.send(progress={"stage": stage, "data": {"done": done, "total": total}})

    def send(self, **message: object) -> None:
        """Write one line."""
        with self._lock:
            self._out.write(json.dumps(message).encode() + b"\n")
            self._out.flush()


Task = Callable[[Mapping[str, Any], Channel], dict[str, Any]]
"""What a request may ask for by its name."""


def main(tasks: Mapping[str, Task]) -> None:
    """Do what the one request asks, and end."""
    channel = Channel(claim_output())
    request = json.loads(sys.stdin.buffer.readline())
    bind(**request["bounds"])
    threading.Thread(target=_die_with_parent, name="parent", daemon=True).start()
    answer(tasks, request, channel)


def answer(tasks: Mapping[str, Task], request: Mapping[str, Any], channel: Channel) -> NoReturn:
    """Do what is asked, and end the process."""
    try:
        channel.send(result=tasks[request["do"]](request, channel))
    except VaiderError as error:
        channel.send(error={"kind": type(error).__name__, "message": error.message, "details": error.details})
    except MemoryError:
        error = TooLarge("The video takes more memory than an analysis may use. Record it in a smaller size.")
        channel.send(error={"kind": "TooLarge", "message": error.message, "details": {}})
    # At once: the libraries' own clean-up costs time, and this process has nothing left to lose.
    sys.stderr.flush()
    os._exit(0)


def claim_output() -> IO[bytes]:
    """Keep standard output for ourselves; what libraries print goes to standard error."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own


def bind(*, memory_bytes: int, cpu_seconds: int, parent: int) -> None:
    """Take the bounds upon us, before anything of the video is read."""
    for what, bound in (
        (resource.RLIMIT_DATA, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        allowed = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(what, (allowed, hard))
    os.nice(_NICENESS)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _die_with_parent() -> None:
    """Standard input ends when the parent does, on systems without a death signal too."""
    for line in sys.stdin.buffer:
        if line == END:
            ended.set()
    os._exit(1)


def look(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    """Say what a file is, without decoding all of it."""
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - as the module says
    from adapters.video.decoding.survey import survey  # noqa: PLC0415 - same

    del channel  # it takes no time worth telling
    return survey(request["path"], Limits(**request["limits"]))


def _convert(request: Mapping[str, Any], channel: Channel) -> dict[str, str]:
    from adapters.video.decoding.convert import convert  # noqa: PLC0415 - as the module says
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - same

    del channel  # whoever waits needs no more than to know that it goes on
    limits = Limits(**request["limits"])
    return convert(Path(request["path"]), Path(request["folder"]), limits, playable=request["playable"])


def _cut(request: Mapping[str, Any], channel: Channel) -> dict[str, int]:
    from adapters.video.decoding.convert import cut  # noqa: PLC0415 - as the module says
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - same

    del channel  # a clip is short
    limits = Limits(**request["limits"])
    return cut(Path(request["path"]), Path(request["target"]), request["start_ms"], request["end_ms"], limits)


def _stills(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - as the module says
    from adapters.video.decoding.stills import stills  # noqa: PLC0415 - same
    from core.analysis import Video  # noqa: PLC0415 - same
    from core.looking import Shot  # noqa: PLC0415 - same

    del channel  # the caller waits a moment for a few pictures
    video = Video.model_validate(request["video"])
    _check_unchanged(video)
    shots = [Shot.model_validate(shot) for shot in request["shots"]]
    limits = Limits(**request["limits"])
    return {"stills": stills(video, shots, request["pixels"], seeks=request["seeks"], limits=limits)}


def trace(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    """Read a test's record, and put it on the clock of its video."""
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - as the module says
    from adapters.video.decoding.placed_traces import placed  # noqa: PLC0415 - same
    from core.analysis import Video  # noqa: PLC0415 - same
    from core.traces import TraceFile  # noqa: PLC0415 - same

    del channel  # it takes seconds at most
    video = Video.model_validate(request["video"])
    _check_unchanged(video)
    found = placed(TraceFile.model_validate(request["trace"]), video, Limits(**request["limits"]))
    return found.model_dump(mode="json")


def _side_by_side(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - as the module says
    from adapters.video.decoding.screens import side_by_side  # noqa: PLC0415 - same
    from core.analysis import Video  # noqa: PLC0415 - same
    from core.comparison.values import ReadPlace  # noqa: PLC0415 - same

    del channel  # decoding alone is quick
    good, bad = (Video.model_validate(each) for each in request["videos"])
    for video in (good, bad):
        _check_unchanged(video)
    read, read_in_bad = ([ReadPlace.model_validate(place) for place in each] for each in request["places"])
    return side_by_side(good, bad, (read, read_in_bad), limits=Limits(**request["limits"]))


def observe(request: Mapping[str, Any], channel: Channel, reader: TextReader | None = None) -> dict[str, Any]:
    """Watch a video; without a ``reader`` that has its networks, one is loaded meanwhile."""
    from adapters.video.decoding.decode import decode  # noqa: PLC0415 - as the module says
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - same
    from adapters.video.observer import Observer, Pictures  # noqa: PLC0415 - same
    from adapters.video.ocr.reader import TextReader  # noqa: PLC0415 - same
    from core.analysis import Video  # noqa: PLC0415 - same

    video = Video.model_validate(request["video"])
    _check_unchanged(video)
    if reader is None:
        reader = TextReader(threads=request["ocr_threads"], of_videos=True)
        # Loading its models takes as long as decoding half a minute of video: both at once, but after our own imports,
        # which would have to take turns with it.
        threading.Thread(target=warm, args=(reader,), name="warm", daemon=True).start()
    folder = request["frames"]
    warnings: list[str] = []
    observer = Observer(
        reader=reader,
        pictures=Pictures(Path(folder["directory"]), folder["prefix"], folder["relative"]),
        report=channel.progress,
        publish=lambda part: channel.send(found=part.model_dump(mode="json")),
    )
    findings = observer.observe(
        decode(Path(video.path), video, limits=Limits(**request["limits"]), warn=warnings.append),
        width=video.width,
        height=video.height,
        duration_ms=video.duration_ms,
        fps=video.fps,
    )
    return findings.model_copy(update={"warnings": (*findings.warnings, *warnings)}).model_dump(mode="json")


def _check_unchanged(video: Video) -> None:
    """A file that is being written, or was replaced, is not the one whose hash the answer is kept under."""
    path = Path(video.path)
    if path.is_file() and path.stat().st_size != video.size_bytes:
        raise InvalidVideo(
            f"{video.path!r} has changed since it was looked at. Let the recorder finish, and ask again."
        )


def warm(reader: TextReader) -> None:
    """Load the models."""
    import numpy as np  # noqa: PLC0415 - as the module says

    reader.recognise([np.full((32, 64, 3), 255, np.uint8)])


_TASKS: Final[Mapping[str, Task]] = {
    "look": look,
    "convert": _convert,
    "cut": _cut,
    "stills": _stills,
    "trace": trace,
    "side_by_side": _side_by_side,
    "observe": observe,
}

if __name__ == "__main__":
    main(_TASKS)
