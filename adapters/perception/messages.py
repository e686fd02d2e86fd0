"""Arguments and answers between the daemon and a perception process, as bytes; a picture is sent once.

Both ends remember the same few pictures: a picture that is still known is sent as its number. What the process answers
may hold values of the core alone, because it has looked at files and screens of others.
"""

import io
import pickle
import sys
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

from core.screens import Picture

KEPT: Final = 3
"""Pictures: before an action, after it, and the one at the beginning of a subtask."""


class Album:
    """The newest pictures by their numbers; both ends keep the same ones, because frames arrive in order."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[int, Picture] = OrderedDict()
        self._next = 0

    def number(self, picture: Picture) -> tuple[int, bool]:
        """The number of a picture, and whether the other end does not know it yet."""
        for number, known in self._pictures.items():
            if known is picture:
                self._pictures.move_to_end(number)
                return number, False
        self._next += 1
        self.keep(self._next, picture)
        return self._next, True

    def keep(self, number: int, picture: Picture) -> None:
        """Remember it, and forget the one that was used least recently."""
        self._pictures[number] = picture
        if len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)

    def forget(self) -> None:
        """Keep none; numbers go on, so the other end replaces what it has."""
        self._pictures.clear()

    def known(self, number: int) -> Picture:
        """The picture of that number."""
        self._pictures.move_to_end(number)
        return self._pictures[number]


def packed(album: Album, arguments: Any) -> tuple[list[dict[str, Any]], bytes]:
    """The arguments as bytes that follow a header, and what the header says of the pictures among them."""
    pictures: dict[int, Picture] = {}
    text = _dumped(arguments, pictures)
    reported: list[dict[str, Any]] = []
    pixels: list[bytes] = []
    for place, picture in pictures.items():
        number, is_new = album.number(picture)
        sketch = {"place": place, "number": number, "bytes": len(picture.bgra) if is_new else 0}
        reported.append(sketch | {"width": picture.width, "height": picture.height, "taken": picture.taken})
        if is_new:
            pixels.append(picture.bgra)
    return reported, b"".join([*pixels, text])


def unpacked(album: Album, reported: Sequence[dict[str, Any]], payload: bytes) -> Any:
    """The arguments again. Only for what the daemon has sent."""
    pictures: dict[int, Picture] = {}
    at = 0
    for each in reported:
        if each["bytes"]:
            pixels = payload[at : at + each["bytes"]]
            at += each["bytes"]
            album.keep(each["number"], Picture(each["width"], each["height"], pixels, each["taken"]))
        pictures[each["place"]] = album.known(each["number"])
    return _Loader(io.BytesIO(payload[at:]), pictures).load()


def answered(value: Any) -> bytes:
    """What a perception process answers, as bytes."""
    return _dumped(value, {})


def heard(payload: bytes) -> Any:
    """The answer again."""
    return _CoreLoader(io.BytesIO(payload)).load()


def _dumped(value: Any, pictures: dict[int, Picture]) -> bytes:
    file = io.BytesIO()
    _Dumper(file, pictures).dump(value)
    return file.getvalue()


class _Dumper(pickle.Pickler):
    def __init__(self, file: io.BytesIO, pictures: dict[int, Picture]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._pictures = pictures

    def persistent_id(self, obj: Any) -> int | None:
        if not isinstance(obj, Picture):
            return None
        self._pictures[id(obj)] = obj
        return id(obj)


class _Loader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, pictures: dict[int, Picture]) -> None:
        super().__init__(file)
        self._pictures = pictures

    def persistent_load(self, pid: int) -> Picture:
        return self._pictures[pid]


class _CoreLoader(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        found = getattr(sys.modules.get(module_name), global_name, None)
        if not module_name.startswith("core.") or not isinstance(found, type) or found.__module__ != module_name:
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no value of the core")
        return found
