"""Reads members of a zip that anybody may have made: bounded in number, in bytes unpacked, in the length of a line."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from core.errors import InvalidVideo, TooLarge
from core.untrusted_files import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGNATURE: Final = b"PK\x03\x04"
_MOST_MEMBERS: Final = 50_000
_MOST_BYTES: Final = 1 << 30
"""Unpacked, of all that is read of one zip."""
_LONGEST_LINE: Final = 4 << 20
_BLOCK: Final = 1 << 20
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What ``zipfile`` raises for members that are damaged, encrypted, or packed in a way it does not know."""


class Archive:
    """The members of a zip, read within bounds; nothing is unpacked to a disk, so that their paths lead nowhere.

    Args:
        file: the zip.
        most_bytes: of all that is read of it, unpacked.

    Raises ``InvalidVideo`` and ``TooLarge``, from each method.
    """

    def __init__(self, file: BinaryIO, most_bytes: int = _MOST_BYTES) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except _BROKEN:
            raise InvalidVideo("The zip file is cut off or broken. Let the test run end first.") from None
        self._most = self._left = most_bytes
        self.names = tuple(self._zip.namelist())
        if len(self.names) > _MOST_MEMBERS:
            raise TooLarge(f"The zip file has {len(self.names):,} members; at most {_MOST_MEMBERS:,} are taken.")

    def read(self, name: str, most: int) -> bytes | None:
        """A member's bytes; ``None`` when there is no such member, it is damaged, or it has more than ``most``."""
        try:
            with self._zip.open(name) as member:
                data = member.read(most + 1)
        except KeyError:
            return None
        except _BROKEN:
            return None
        self._spend(len(data))
        return data if len(data) <= most else None

    def lines(self, name: str, unwanted: bytes) -> Iterator[dict[str, Any]]:
        """The JSON objects of a member, one a line, without lines that begin so; what is no such object is skipped."""
        for line in self._raw_lines(name):
            if line.startswith(unwanted):
                continue
            try:
                value = parse_json(line, max_bytes=_LONGEST_LINE)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value

    def _raw_lines(self, name: str) -> Iterator[bytes]:
        kept, is_whole = bytearray(), True
        try:
            with self._zip.open(name) as member:
                while block := member.readline(_BLOCK):
                    self._spend(len(block))
                    is_whole = is_whole and len(kept) + len(block) <= _LONGEST_LINE
                    if is_whole:
                        kept += block
                    if block.endswith(b"\n"):
                        if is_whole:
                            yield bytes(kept)
                        kept, is_whole = bytearray(), True
        except (KeyError, *_BROKEN):
            return  # a test that was killed leaves a torn trace; what was read of it is true
        if kept and is_whole:
            yield bytes(kept)

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise TooLarge(f"The zip file unpacks to more than {self._most:,} bytes; trace one test at a time.")
