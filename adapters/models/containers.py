"""Which of Gemini's video types a file is, by its first bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SNIFFED = 64
# https://ai.google.dev/gemini-api/docs/video-understanding lists the types that Gemini takes.
_KINDS: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (lambda head: head[4:12] == b"ftypqt  ", "video/quicktime"),
    (lambda head: head[4:11] == b"ftyp3gp", "video/3gpp"),
    (lambda head: head[4:8] == b"ftyp", "video/mp4"),
    (lambda head: head[4:8] in {b"moov", b"mdat", b"wide", b"free"}, "video/quicktime"),
    (lambda head: head[:4] == b"RIFF" and head[8:12] == b"AVI ", "video/avi"),
    (lambda head: head[:4] == b"\x1a\x45\xdf\xa3" and b"webm" in head, "video/webm"),
    (lambda head: head[:3] == b"FLV", "video/x-flv"),
    (lambda head: head[:4] in {b"\0\0\1\xba", b"\0\0\1\xb3"}, "video/mpeg"),
)


def mime_type(path: Path) -> str | None:
    """The MIME type of a file as Gemini names it, ``None`` when Gemini takes no such file."""
    with path.open("rb") as file:
        head = file.read(_SNIFFED)
    return next((kind for matches, kind in _KINDS if matches(head)), None)
