"""Files that come over HTTP: streamed to disk in constant memory, refused early, and never left half-written."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import secrets
import shutil
import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, cast

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from core.errors import InvalidRequest, StorageFailed, TooLarge, VaiderError, naming_only
from core.untrusted_files import is_reserved
from server.http.bodies import parse_object

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator
    from pathlib import Path

    from python_multipart.multipart import MultipartCallbacks
    from starlette.requests import Request

_MAX_BYTES: Final = 120
"""Leaves room for what is added to it: `.VaiderInteractions`, numbers, `.part`."""
_UNSAFE: Final = frozenset('<>:"|?*\x7f\ufffd')


def safe_name(given: str) -> str:
    """One path component that keeps the given name's look and extension; ``video`` when nothing is left of it.

    Folders, control and format characters (right-to-left tricks), characters and names that some file systems refuse
    and leading dots go; at most 120 bytes of UTF-8 stay.
    """
    last = unicodedata.normalize("NFC", given).replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join("_" if character in _UNSAFE or not _is_visible(character) else character for character in last)
    kept = kept.strip(" .").lstrip("-")
    suffix = PurePosixPath(kept).suffix
    if len(suffix.encode()) > _MAX_BYTES // 4:
        suffix = ""
    stem = kept.removesuffix(suffix) or "video"
    stem = f"video-{stem}" if is_reserved(stem) else stem
    return _shortened(stem, _MAX_BYTES - len(suffix.encode())) + suffix


def _is_visible(character: str) -> bool:
    # Zero-width joiners hold emoji together; every other control, format or unassigned character is dropped.
    return character == "\u200d" or not unicodedata.category(character).startswith("C")


def _shortened(text: str, limit: int) -> str:
    return text.encode()[:limit].decode("utf-8", "ignore")


MAX_METADATA_BYTES: Final = 256 * 1024
_FORM_OVERHEAD: Final = MAX_METADATA_BYTES + 16 * 1024
"""Bytes that a form may have beside its video."""
_BATCH: Final = 1024 * 1024
"""Bytes that are parsed and written at a time: the memory that an upload takes."""
TRACE_NAME: Final = "trace.zip"
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Upload(NamedTuple):
    """A form that arrived whole."""

    path: Path
    metadata: dict[str, Any]
    size: int
    """In bytes."""


class Uploads:
    """The folder of uploaded files, each in a folder of its own, readable by this user alone.

    Args:
        directory: made when the first upload comes.
        max_bytes: of one video.

    """

    def __init__(self, directory: Path, *, max_bytes: int) -> None:
        self._directory = directory
        self._max_bytes = max_bytes

    async def receive(
        self, request: Request, *, part: str = "video", max_bytes: int | None = None, takes_trace: bool = False
    ) -> Upload:
        """Write the form's file to disk and read its ``metadata``; on any failure nothing is left.

        Args:
            request: the form.
            part: the name of the part with the file.
            max_bytes: of the file, where it may have other than a video.
            takes_trace: whether a part ``trace`` may come too, which is written beside the file.

        Raises:
            InvalidRequest: not a form of one such file and at most one ``metadata``.
            TooLarge: more bytes than allowed, by ``Content-Length`` or in truth.
            StorageFailed: the disk is full, or the folder cannot be written.

        """
        limit = self._max_bytes if max_bytes is None else max_bytes
        self._refuse_early(request, part, limit)
        folder = self._make_folder()
        try:
            form = FileForm(folder, boundary_of(request), part, limit, takes_trace=takes_trace)
            with contextlib.closing(form):
                await pour(request, form)
                return Upload(form.finish(), form.metadata, form.size)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise _storage_failed(error) from None
            if isinstance(error, FormParserError):
                raise InvalidRequest(f"The form is malformed: {error}") from None
            raise

    async def claim(self, ticket: str, submitter: str) -> Upload:
        """A file that its sender has put into the store; here there is none. Raises ``InvalidRequest``."""
        del ticket, submitter
        raise InvalidRequest("This is no farm: send the video itself, as -F video=@FILE.", field="upload")

    def discard(self, path: Path) -> None:
        """Remove an upload and its folder."""
        if path.parent.parent == self._directory:
            shutil.rmtree(path.parent, ignore_errors=True)

    @contextlib.contextmanager
    def discarded_if_refused(self, path: Path | None) -> Generator[None]:
        """Remove an upload that the block refuses to take, and leave its place out of the message.

        After any other failure it stays: when a database goes away, a job may be stored that needs it. What no job
        needs is swept.
        """
        try:
            with naming_only([] if path is None else [str(path)]):
                yield
        except VaiderError as error:
            if path is not None and not isinstance(error, StorageFailed):
                self.discard(path)
            raise

    def sweep(self, wanted: Collection[Path]) -> None:
        """Remove what an earlier daemon left behind, but for the wanted uploads."""
        for folder in self._folders():
            if all(path.parent != folder for path in wanted):
                shutil.rmtree(folder, ignore_errors=True)

    def _folders(self) -> Iterator[Path]:
        if self._directory.is_dir():
            yield from (entry for entry in self._directory.iterdir() if entry.is_dir() and not entry.is_symlink())

    def _refuse_early(self, request: Request, part: str, limit: int) -> None:
        announced = int(request.headers.get("content-length", "0"))
        if announced > limit + _FORM_OVERHEAD:
            raise _too_large(part, limit)
        with contextlib.suppress(OSError):
            existing = next(parent for parent in (self._directory, *self._directory.parents) if parent.exists())
            if announced > shutil.disk_usage(existing).free:
                raise StorageFailed(f"The disk has too little room for this {part}; free some space and send it again.")

    def _make_folder(self) -> Path:
        folder = self._directory / secrets.token_hex(8)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise _storage_failed(error) from None
        return folder


async def pour(request: Request, form: Form) -> None:
    """Feed the form what comes."""
    # Parsing and writing happen in a thread: a slow disk holds up this upload, not the daemon.
    batch = bytearray()
    async for chunk in request.stream():
        batch += chunk
        if len(batch) >= _BATCH:
            await asyncio.to_thread(form.feed, bytes(batch))
            batch.clear()
    await asyncio.to_thread(form.feed, bytes(batch))


class Form:
    """Takes a form apart as it comes: its files go where they are wanted, ``metadata`` to memory, all else is refused.

    ``size`` is what of the files has arrived so far, in bytes.
    """

    def __init__(self, boundary: bytes, file: str, max_bytes: int, *, takes_trace: bool = False) -> None:
        self.metadata: dict[str, Any] = {}
        self._file = file
        self._files = [file, "trace"] if takes_trace else [file]
        self._max_bytes = max_bytes
        self._seen: set[str] = set()
        self._part = ""
        self._header_name = bytearray()
        self._header_value = bytearray()
        self._disposition = b""
        self._text = bytearray()
        self._open: BinaryIO | None = None
        self._name = ""
        self.size = 0
        self._ended = False
        callbacks: MultipartCallbacks = {
            "on_part_begin": self._begin,
            "on_header_field": self._on_header_field,
            "on_header_value": self._on_header_value,
            "on_header_end": self._on_header_end,
            "on_headers_finished": self._open_part,
            "on_part_data": self._on_data,
            "on_part_end": self._close_part,
            "on_end": self._on_end,
        }
        self._parser = MultipartParser(boundary, callbacks)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the form."""
        self._parser.write(data)

    def check_whole(self) -> str:
        """The file's name, once all bytes were fed. Raises ``InvalidRequest`` when some are missing."""
        if not self._ended:
            raise InvalidRequest("The form ends before its closing boundary; send it whole.")
        file = self._file
        if file not in self._seen:
            raise InvalidRequest(f"The form has no part '{file}'; send the file as -F {file}=@FILE.", field=file)
        return self._name

    def close(self) -> None:
        """Let go of the file."""
        if self._open is not None:
            self._open.close()

    def _created(self, name: str) -> BinaryIO:
        """Where the bytes of the file of that name go."""
        raise NotImplementedError

    def _begin(self) -> None:
        self._disposition = b""

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _on_header_end(self) -> None:
        if bytes(self._header_name).lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)
        self._header_name.clear()
        self._header_value.clear()

    def _open_part(self) -> None:
        kind, options = parse_options_header(self._disposition)
        name = options.get(b"name", b"").decode("utf-8", "replace")
        if kind != b"form-data" or name not in {*self._files, "metadata"}:
            taken = ", ".join(f"'{each}'" for each in self._files)
            raise InvalidRequest(f"The form has a part {name!r}; it takes {taken} and 'metadata' alone.", field=name)
        if name in self._seen:
            raise InvalidRequest(f"The form has two parts {name!r}; send one.", field=name)
        self._seen.add(name)
        self._part = name
        if name == "metadata":
            return
        if b"filename" not in options:
            raise InvalidRequest(f"The part '{name}' is no file; send it as -F {name}=@FILE.", field=name)
        given = safe_name(options[b"filename"].decode("utf-8", "replace"))
        if name == self._file:
            self._name = given
        # A trace that is sent alone is the video; beside one it has the name by which it is found there.
        if "trace" in self._seen and self._name == TRACE_NAME:
            raise InvalidRequest("The video has the name of its trace; send that one alone, as 'video'.", field=name)
        self._open = self._created(given if name == self._file else TRACE_NAME)

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        piece = memoryview(data)[start:end]
        if self._part == "metadata":
            self._text += piece
            if len(self._text) > MAX_METADATA_BYTES:
                raise InvalidRequest(f"metadata is over {MAX_METADATA_BYTES} bytes; send less.", field="metadata")
            return
        self.size += len(piece)
        if self.size > self._max_bytes:
            raise _too_large(self._file, self._max_bytes)
        file = cast("BinaryIO", self._open)
        while piece:
            piece = piece[file.write(piece) :]

    def _close_part(self) -> None:
        if self._part == "metadata":
            self.metadata = parse_object(bytes(self._text), "metadata")
        elif self._open is not None:
            self._open.close()

    def _on_end(self) -> None:
        self._ended = True


class FileForm(Form):
    """A form whose files go to a folder."""

    def __init__(self, folder: Path, boundary: bytes, file: str, max_bytes: int, *, takes_trace: bool = False) -> None:
        super().__init__(boundary, file, max_bytes, takes_trace=takes_trace)
        self._folder = folder

    def finish(self) -> Path:
        """The whole file's path, once all bytes were fed."""
        name = self.check_whole()
        for part in self._folder.iterdir():
            part.rename(part.with_suffix(""))
        return self._folder / name

    def _created(self, name: str) -> BinaryIO:
        path = self._folder / f"{name}.part"
        file = path.open("xb", buffering=0)
        path.chmod(0o600)
        return file


def boundary_of(request: Request) -> bytes:
    """What stands between the parts of the form. Raises ``InvalidRequest``."""
    boundary = parse_options_header(request.headers.get("content-type"))[1].get(b"boundary", b"")
    if not boundary:
        raise InvalidRequest("The multipart Content-Type names no boundary; let your client set that header.")
    return boundary


def _too_large(part: str, limit: int) -> TooLarge:
    if part != "video":
        return TooLarge(f"The {part} is over {limit} bytes; send a smaller one.", limit=limit)
    return TooLarge(
        f"The video is over {limit} bytes; send a shorter one, or raise the setting max_video_bytes.", limit=limit
    )


def _storage_failed(error: OSError) -> StorageFailed:
    if error.errno in _FULL:
        return StorageFailed("The disk is full; free some space and send it again.")
    return StorageFailed(f"The upload cannot be stored: {error.strerror}. See to the data directory.")
