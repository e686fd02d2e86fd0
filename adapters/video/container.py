"""Opens a file that may be anything as one of four containers, and nothing else with it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, BinaryIO, Final, NoReturn

from core.errors import CallerError, InvalidPath, InvalidVideo

if TYPE_CHECKING:
    from pathlib import Path

    from av.container import InputContainer
    from av.video.stream import VideoStream

    from adapters.video.limits import Limits

_TAKEN = "mp4, mov, webm, mkv, avi or gif"
_MOV_ATOMS: Final = frozenset({b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
_HEADER_BYTES = 12


def open_file(path: Path) -> BinaryIO:
    """Open a regular, readable, non-empty file; a FIFO or a device is refused without waiting for it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidPath(f"There is no file {str(path)!r}. Check the path.") from None
    except PermissionError:
        raise InvalidPath(f"{str(path)!r} may not be read. Give the user of the daemon the right to read it.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidPath(f"{str(path)!r} cannot be opened: {reason}.") from None
    refusal = _refusal(path, os.fstat(descriptor))
    if refusal is not None:
        os.close(descriptor)
        raise refusal
    return os.fdopen(descriptor, "rb")


def open_video(file: BinaryIO, limits: Limits) -> InputContainer:
    """Open the container of an open file by the demuxer that its first bytes name; the caller closes both.

    FFmpeg gets bytes, never a name: it cannot reach another file or a host, whatever a playlist or a data reference
    inside asks for. Pictures above the limit are refused by the decoders before they allocate.

    Raises:
        InvalidVideo: no container that is taken, or a broken one.

    """
    import av  # noqa: PLC0415 - costs 0.1 s and 40 MB, and is needed in the analysis process alone
    from av.error import FFmpegError  # noqa: PLC0415 - same

    demuxer = _demuxer(file)
    try:
        return av.open(
            file,
            mode="r",
            format=demuxer,
            options={"max_pixels": str(limits.max_pixels), "protocol_whitelist": "none"},
            metadata_errors="replace",
            io_open=_refuse,
        )
    except (FFmpegError, ValueError) as error:
        if demuxer == "mov":
            message = "The video is cut off: its index (moov) is missing or broken. Let the recorder finish first."
        else:
            message = f"The {demuxer} file is broken: {getattr(error, 'strerror', None) or error}. Record it again."
        raise InvalidVideo(message) from None


def video_stream(container: InputContainer, limits: Limits) -> VideoStream:
    """Find the stream that is the film (no cover picture). Raises ``InvalidVideo``, ``TooLarge``."""
    from av.stream import Disposition  # noqa: PLC0415 - as above

    films = [stream for stream in container.streams.video if not stream.disposition & Disposition.attached_pic]
    if not films:
        raise InvalidVideo("The file has no video stream, only sound or data. Name a file with a picture.")
    stream = films[0]
    if stream.codec_context is None:  # pyright: ignore[reportUnnecessaryComparison] - so for an unknown codec
        raise InvalidVideo("The video's codec is not known here. Convert it to H.264 in mp4.")
    limits.check_pixels(stream.codec_context.width, stream.codec_context.height)
    return stream


def _refusal(path: Path, status: os.stat_result) -> CallerError | None:
    if stat.S_ISDIR(status.st_mode):
        return InvalidPath(f"{str(path)!r} is a folder. Name the video file in it.")
    if not stat.S_ISREG(status.st_mode):
        return InvalidPath(f"{str(path)!r} is no regular file. Copy the video to a file first.")
    if status.st_size == 0:
        return InvalidVideo(f"{str(path)!r} is empty. Was the recording finished?")
    return None


def _demuxer(file: BinaryIO) -> str:
    head = file.read(_HEADER_BYTES)
    file.seek(0)
    if head[4:8] in _MOV_ATOMS:
        return "mov"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "matroska"
    if head.startswith(b"RIFF") and head[8:11] == b"AVI":
        return "avi"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    raise InvalidVideo(f"The file is no video, whatever its name says. Give one in {_TAKEN}.")


def _refuse(url: str, flags: int, options: object) -> NoReturn:
    raise PermissionError(f"a video may not open further files ({len(url)} characters, {flags}, {type(options)})")
