"""What the files of a recording say: an mp4 of its own pictures, read without a decoder; and the input log beside it.

Format: ISO/IEC 14496-12. A film that is still written is a ``moov`` without pictures and a ``moof`` for each one; one
that is finished has all of them in the tables of its ``moov``. Nothing is trusted: any number may be any.
"""

import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from core.errors import InvalidRequest
from core.recording.input_log import MAX_LOG_BYTES, InputLog, log_beside, parse_input_log

_MOST_INDEX: Final = 8 << 20
"""Bytes of one ``moov`` or ``moof``."""
_MOST_PICTURES: Final = 1_000_000
_PARENTS: Final = frozenset({b"trak", b"mdia", b"minf", b"stbl", b"mvex", b"traf"})
_OFFSET, _FIRST_FLAGS, _DURATION, _SIZE, _FLAGS, _COMPOSITION = 0x1, 0x4, 0x100, 0x200, 0x400, 0x800
"""Which fields a ``trun`` has."""


@dataclass(slots=True)
class FilmIndex:
    """What was found; ``times_ms`` are those of the pictures, from the first one's."""

    width: int = 0
    height: int = 0
    duration_ms: int = 0
    in_pieces: bool = False
    times_ms: list[int] = field(default_factory=list[int])


def read_film_index(path: Path) -> FilmIndex | None:
    """Read it; ``None`` for what is no such film. A torn end is left out. Raises ``OSError``."""
    found = _Reading()
    with path.open("rb") as file:
        size = file.seek(0, 2)
        for kind, start, end in _boxes(file, size):
            if kind in {b"moov", b"moof"} and end - start <= _MOST_INDEX:
                file.seek(start)
                try:
                    found.take(file.read(end - start))
                except (struct.error, IndexError):
                    continue
            elif kind == b"mdat":
                found.keep()
    return found.ended()


def whole_bytes(file: IO[bytes]) -> int:
    """How much of a film can be played: up to the end of its last picture that is whole. Raises ``OSError``."""
    size, whole = file.seek(0, 2), 0
    for kind, _, end in _boxes(file, size):
        if kind != b"moof":
            whole = end
    return whole


def _boxes(file: IO[bytes], size: int) -> Iterator[tuple[bytes, int, int]]:
    """The outermost boxes that are whole: kind, where their content begins, and where they end."""
    at = 0
    while at + 8 <= size:
        file.seek(at)
        head = file.read(16)
        length, kind, begin = int.from_bytes(head[:4]), head[4:8], at + 8
        if length == 1 and len(head) == 16:  # noqa: PLR2004 - a length of 64 bits follows
            length, begin = int.from_bytes(head[8:16]), at + 16
        end = size if length == 0 else at + length
        if end < begin or end > size:
            return
        yield kind, begin, end
        at = end


class _Reading:
    def __init__(self) -> None:
        self._index = FilmIndex()
        self._scale = 0
        self._usual = 0
        self._base = 0
        self._end = 0
        self._length = 0
        self._times: list[int] = []
        self._waiting: list[int] = []
        self._waiting_end = 0

    def take(self, data: bytes) -> None:
        """A ``moov``, or a ``moof``, whose pictures count once they are there."""
        self._inside(memoryview(data))

    def keep(self) -> None:
        """The pictures of the last ``moof`` are whole."""
        if len(self._times) + len(self._waiting) <= _MOST_PICTURES:
            self._times += self._waiting
            self._end = max(self._end, self._waiting_end)
        self._waiting = []

    def ended(self) -> FilmIndex | None:
        """All of it."""
        if not self._scale or not self._times:
            return None
        first = self._times[0]
        self._index.times_ms = [round((time - first) * 1000 / self._scale) for time in self._times]
        self._index.duration_ms = round((self._end - first) * 1000 / self._scale)
        return self._index

    def _inside(self, data: memoryview) -> None:
        at = 0
        while at + 8 <= len(data):
            length, kind = int.from_bytes(data[at : at + 4]), bytes(data[at + 4 : at + 8])
            if length < 8 or at + length > len(data):  # noqa: PLR2004 - its own head
                return
            body = data[at + 8 : at + length]
            if kind in _PARENTS:
                self._index.in_pieces |= kind == b"mvex"
                self._inside(body)
            else:
                self._leaf(kind, body)
            at += length

    def _leaf(self, kind: bytes, body: memoryview) -> None:
        match kind:
            case b"tkhd":
                width, height = struct.unpack(">II", body[-8:])
                if width and height:
                    self._index.width, self._index.height = width >> 16, height >> 16
            case b"mdhd":
                self._scale = struct.unpack(">I", body[20:24] if body[0] else body[12:16])[0]
            case b"stts":
                self._table(body)
            case b"tfhd":
                self._usual = _usual_duration(body)
            case b"tfdt":
                self._base = int.from_bytes(body[4:12] if body[0] else body[4:8])
            case b"trun":
                self._run(body)
            case _:
                pass

    def _table(self, body: memoryview) -> None:
        at = 0
        for entry in range(min(struct.unpack(">I", body[4:8])[0], (len(body) - 8) // 8)):
            count, step = struct.unpack(">II", body[8 + 8 * entry : 16 + 8 * entry])
            if len(self._times) + count > _MOST_PICTURES:
                return
            self._times += [at + step * number for number in range(count)]
            at += count * step
        self._end = at

    def _run(self, body: memoryview) -> None:
        flags, count = int.from_bytes(body[1:4]), int.from_bytes(body[4:8])
        at = 8 + 4 * bool(flags & _OFFSET) + 4 * bool(flags & _FIRST_FLAGS)
        each = sum(4 for flag in (_DURATION, _SIZE, _FLAGS, _COMPOSITION) if flags & flag)
        time = self._base
        for number in range(min(count, (len(body) - at) // each if each else count, _MOST_PICTURES)):
            self._waiting.append(time)
            place = at + number * each
            time += int.from_bytes(body[place : place + 4]) if flags & _DURATION else self._usual
        self._waiting_end = time


def _usual_duration(body: memoryview) -> int:
    flags = int.from_bytes(body[1:4])
    if not flags & 0x8:
        return 0
    at = 8 + 8 * bool(flags & 0x1) + 4 * bool(flags & 0x2)
    return int.from_bytes(body[at : at + 4])


class InputLogFiles:
    """Implements ``core.tasks.ports.InputLogs``."""

    def of(self, video: Path) -> InputLog | None:
        """The log of a recording, ``None`` if it has none. Raises ``InvalidRequest`` for a broken one."""
        return read_input_log(video)


def read_input_log(video: Path) -> InputLog | None:
    """The log that stands beside a video, ``None`` if there is none; a half last line is left out.

    Raises:
        InvalidRequest: it cannot be read, is larger than 32 MB, or a line of it is no event: the message tells which.

    """
    log = log_beside(video)
    data = read_log_bytes(log)
    return None if data is None else parse_input_log(data, str(log))


def read_log_bytes(log: Path) -> bytes | None:
    """All of a log, ``None`` if it is not there. Raises ``InvalidRequest``."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(log, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidRequest(f"{log} is no file: move it away, or record again.")
            data = file.read(MAX_LOG_BYTES + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no path"
        raise InvalidRequest(f"The input log {log} cannot be read: {why}.") from None
    if len(data) > MAX_LOG_BYTES:
        raise InvalidRequest(
            f"{log} is larger than {MAX_LOG_BYTES // 1024**2} MB, which no input log is: delete it to do without."
        )
    return data
