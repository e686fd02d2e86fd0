"""File names that strangers choose, made fit for this machine's disk."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import Final

from core.file_names import is_reserved

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
