"""A file that is sent whole or in part: as much of it as there is when it is asked for, though it may grow."""

import asyncio
import errno
import re
from http import HTTPStatus
from typing import IO, Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from server.http.errors import refusal

_CHUNK: Final = 256 * 1024
_RANGE: Final = re.compile(r"bytes=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.ASCII)
_WHOLE: Final = 200
_PART: Final = 206


def part_of(header: str | None, size: int) -> tuple[int, int] | None:
    """Which bytes a ``Range`` header asks for, from the first to before the last; ``None`` for all of them.

    Format: RFC 9110, 14.2. What is no range of one part asks for all, as it says there. An empty part, its end not
    after its beginning, is one that the file does not have.

    Args:
        header: as it came.
        size: of what there is, in bytes.

    """
    found = _RANGE.fullmatch(header or "")
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        return max(0, size - int(last)), size
    if last and int(last) < int(first):
        return None
    return int(first), min(size, int(last) + 1) if last else size


def ranged(file: IO[bytes], size: int, header: str | None, media_type: str, beyond: str) -> Response:
    """The part of an open file that a ``Range`` header asks for; 416, with the sentence ``beyond``, for none of it."""
    part = part_of(header, size)
    if part is None or part[0] < part[1]:
        return RangedFile(file, size, part, media_type)
    file.close()
    return refusal(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, beyond, {"Content-Range": f"bytes */{size}"})


class RangedFile(Response):
    """Sends an open file, and closes it.

    Args:
        file: open for reading; closed when this has been sent, or could not be.
        size: so many of its bytes are all there is.
        part: from which byte to before which; ``None`` for all of them, as an answer to a request without a range.
        media_type: of the file.

    """

    def __init__(self, file: IO[bytes], size: int, part: tuple[int, int] | None, media_type: str) -> None:
        self._file = file
        self._start, self._end = part or (0, size)
        super().__init__(status_code=_WHOLE if part is None else _PART, media_type=media_type)
        # A person's screen: no copy stays in a browser's folder.
        self.headers["Cache-Control"] = "no-store"
        self.headers["Accept-Ranges"] = "bytes"
        self.headers["Content-Length"] = str(self._end - self._start)
        if part is not None:
            self.headers["Content-Range"] = f"bytes {self._start}-{self._end - 1}/{size}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        del scope, receive
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            left = self._end - self._start
            await asyncio.to_thread(self._file.seek, self._start)
            while left > 0:
                chunk = await asyncio.to_thread(self._file.read, min(_CHUNK, left))
                if not chunk:
                    # It has become shorter: the connection ends before the announced length.
                    raise OSError(errno.EIO, "the file has become shorter while it was sent")
                left -= len(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": left > 0})
        finally:
            self._file.close()
