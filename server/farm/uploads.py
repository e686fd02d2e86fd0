"""Uploads that go straight into the farm's store: in parts, in constant memory, and never left half-written."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import secrets
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, cast

from python_multipart.exceptions import FormParserError

from core.errors import InvalidRequest, NotFound, TooLarge
from server.http.uploads import Form, Upload, Uploads, boundary_of, pour, safe_name

if TYPE_CHECKING:
    from starlette.requests import Request

    from storage.objects import Objects


OFFER_SECONDS: Final = 3600


class Offer(NamedTuple):
    """A place for a file."""

    ticket: str
    url: str
    until: int
    """Seconds since 1970."""


class StoredUploads(Uploads):
    """As ``Uploads``, but what is received has a key instead of a path: ``uploads/<id>/<name>``.

    A large file may also be put into the store by its sender. What shows that it may be asked about is a ticket: its
    key, until when, and a hash that only the API processes of this farm can make, for this sender.

    Args:
        objects: the farm's store.
        max_bytes: of one video.
        secret: what all API processes share.

    """

    def __init__(self, objects: Objects, *, max_bytes: int, secret: str) -> None:
        super().__init__(Path("uploads"), max_bytes=max_bytes)
        self._secret = hashlib.sha256(f"vaider uploads {secret}".encode()).digest()
        self._objects = objects
        self._most = max_bytes
        self._digests: dict[str, str] = {}

    async def receive(
        self, request: Request, *, part: str = "video", max_bytes: int | None = None, takes_trace: bool = False
    ) -> Upload:
        """Write the form's file to the store; on any failure nothing is left. Raises as ``Uploads.receive``."""
        with contextlib.ExitStack() as stack:
            limit = self._most if max_bytes is None else max_bytes
            form = _StoredForm(stack, self._objects, boundary_of(request), part, limit, takes_trace=takes_trace)
            try:
                await pour(request, form)
                name = form.check_whole()
            except FormParserError as error:
                raise InvalidRequest(f"The form is malformed: {error}") from None
            # The last part is sent with the end of the block.
            await asyncio.to_thread(stack.close)
            key = f"{form.folder}/{name}"
            self._digests[key] = form.digest()
            return Upload(Path(key), form.metadata, form.size)

    def offer(self, name: str, submitter: str) -> Offer:
        """Where to put a file of that name. Raises ``InvalidRequest`` where the store is a folder."""
        key = f"uploads/{secrets.token_hex(16)}/{safe_name(name)}"
        until = int(time.time()) + OFFER_SECONDS
        return Offer(
            f"{until}.{self._hash(key, until, submitter)}.{key}", self._objects.upload_url(key, OFFER_SECONDS), until
        )

    async def claim(self, ticket: str, submitter: str) -> Upload:
        """What was put where ``offer`` said. Raises ``InvalidRequest``, ``TooLarge``."""
        until, given, key = [*ticket.split(".", 2), "", ""][:3]
        known = until.isascii() and until.isdecimal() and int(until) >= time.time()
        if not known or not hmac.compare_digest(given.encode(), self._hash(key, int(until), submitter).encode()):
            raise InvalidRequest("This upload is unknown, another's or too old: ask POST /uploads.", field="upload")
        try:
            size = await asyncio.to_thread(self._objects.size, key)
        except NotFound:
            raise InvalidRequest(
                "Nothing was uploaded there yet: PUT the file to its url first.", field="upload"
            ) from None
        if size > self._most:
            await asyncio.to_thread(self._objects.remove, key)
            raise TooLarge(f"The video is over {self._most} bytes; send a shorter one.", limit=self._most)
        return Upload(Path(key), {}, size)

    def _hash(self, key: str, until: int, submitter: str) -> str:
        return hmac.new(self._secret, f"{until} {submitter}\n{key}".encode(), hashlib.sha256).hexdigest()

    def digest_of(self, key: str) -> str | None:
        """What tells content that was just received here from other content; returned once."""
        return self._digests.pop(key, None)

    def discard(self, path: Path) -> None:
        """Remove an upload, and the trace beside it."""
        self._digests.pop(path.as_posix(), None)
        for key in list(self._objects.keys(path.parent.as_posix())):
            self._objects.remove(key)


class _StoredForm(Form):
    def __init__(
        self,
        stack: contextlib.ExitStack,
        objects: Objects,
        boundary: bytes,
        file: str,
        max_bytes: int,
        *,
        takes_trace: bool,
    ) -> None:
        super().__init__(boundary, file, max_bytes, takes_trace=takes_trace)
        self._stack = stack
        self._objects = objects
        self.folder = f"uploads/{secrets.token_hex(8)}"
        self._hashes: dict[bool, Any] = {}

    def digest(self) -> str:
        """Of the video, and of its trace if there is one."""
        return " ".join(self._hashes[is_trace].hexdigest() for is_trace in sorted(self._hashes))

    def _created(self, name: str) -> BinaryIO:
        made = self._hashes[self._part == "trace"] = hashlib.sha256()
        writing = self._stack.enter_context(self._objects.writing(f"{self.folder}/{name}"))
        return cast("BinaryIO", _Hashed(writing, made))


class _Hashed:
    """Adds up what is written. Closing it does nothing: the store's file ends with its block."""

    def __init__(self, file: IO[bytes], digest: Any) -> None:
        self._file = file
        self._digest = digest

    def write(self, piece: memoryview) -> int:
        self._digest.update(piece)
        self._file.write(bytes(piece))
        return len(piece)

    def close(self) -> None:
        pass
