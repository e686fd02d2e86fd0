"""Uploads that go straight into the farm's store: in parts, in constant memory, and never left half-written."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from python_multipart.exceptions import FormParserError

from core.errors import InvalidRequest
from server.http.uploads import Form, Upload, Uploads, boundary_of, pour

if TYPE_CHECKING:
    from starlette.requests import Request

    from storage.objects import Objects


class StoredUploads(Uploads):
    """As ``Uploads``, but what is received has a key instead of a path: ``uploads/<id>/<name>``."""

    def __init__(self, objects: Objects, *, max_bytes: int) -> None:
        super().__init__(Path("uploads"), max_bytes=max_bytes)
        self._objects = objects
        self._most = max_bytes
        self._digests: dict[str, str] = {}

    async def receive(self, request: Request, *, part: str = "video", max_bytes: int | None = None) -> Upload:
        """Write the form's file to the store; on any failure nothing is left. Raises as ``Uploads.receive``."""
        with contextlib.ExitStack() as stack:
            limit = self._most if max_bytes is None else max_bytes
            form = _StoredForm(stack, self._objects, boundary_of(request), part, limit)
            try:
                await pour(request, form)
                form.check_whole()
            except FormParserError as error:
                raise InvalidRequest(f"The form is malformed: {error}") from None
            # The last part is sent with the end of the block.
            await asyncio.to_thread(stack.close)
            self._digests[form.key] = form.digest.hexdigest()
            return Upload(Path(form.key), form.metadata, form.size)

    def digest_of(self, key: str) -> str | None:
        """SHA-256 of what was just received here; returned once."""
        return self._digests.pop(key, None)

    def discard(self, path: Path) -> None:
        """Remove an upload."""
        self._digests.pop(path.as_posix(), None)
        self._objects.remove(path.as_posix())


class _StoredForm(Form):
    def __init__(
        self, stack: contextlib.ExitStack, objects: Objects, boundary: bytes, file: str, max_bytes: int
    ) -> None:
        super().__init__(boundary, file, max_bytes)
        self._stack = stack
        self._objects = objects
        self.key = ""
        self.digest = hashlib.sha256()

    def _created(self, name: str) -> BinaryIO:
        self.key = f"uploads/{secrets.token_hex(8)}/{name}"
        writing = self._stack.enter_context(self._objects.writing(self.key))
        return cast("BinaryIO", _Hashed(writing, self.digest))


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
