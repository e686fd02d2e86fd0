"""A page that needs nothing else and runs no script, with its pictures in it: reports and shared pages are such."""

from __future__ import annotations

import base64
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from jinja2 import Environment

    from core.analysis import Region


class Thumbnail(NamedTuple):
    """A WebP file, and the size in pixels of the picture that it was made of."""

    webp: bytes
    width: int
    height: int


MAX_BYTES: Final = 5_000_000
"""Of a page: what people send one another and keep of a test run."""
SIGNS: Final[Mapping[str, str]] = {"good": "✓", "warn": "?", "bad": "✗", "muted": "■"}
_AROUND_A_PICTURE: Final = 1_000
"""Bytes of markup that come with one."""
_ROOM: Final = 1.3
_LEAST: Final = 0.36
_RATIO: Final = 16 / 9


def render(template: str, pictures: Mapping[str, Thumbnail], first: Iterable[str] = (), **values: Any) -> str:
    """A page of at most ``MAX_BYTES``, as far as that is a matter of its pictures: those that do not fit are left out.

    Args:
        template: the file's name; it extends ``page.html``.
        pictures: by their names; the template gets those that fit as ``pictures``.
        first: names of those that matter most; of the others some of each part are taken.
        **values: what the template shows.

    """
    made = environment().get_template(template)
    room = MAX_BYTES - len(made.render(pictures={}, **values).encode())
    chosen = fitting({name: len(picture.webp) for name, picture in pictures.items()}, room, [*first])
    return made.render(pictures={name: picture for name, picture in pictures.items() if name in chosen}, **values)


def fitting(sizes: Mapping[str, int], room: int, first: Sequence[str] = ()) -> Collection[str]:
    """The names of files that fit into so many bytes of a page.

    Args:
        sizes: bytes of each.
        room: bytes of the page that are left for them.
        first: names of those that matter most.

    """
    names = [*sizes]
    # By the bits of their places, turned round: each further one stands in the middle of those that are there.
    spread = sorted(range(len(names)), key=lambda place: int(f"{place:020b}"[::-1], 2))
    chosen: set[str] = set()
    for name in dict.fromkeys([*(name for name in first if name in sizes), *(names[place] for place in spread)]):
        room -= (taken := sizes[name] * 4 // 3 + _AROUND_A_PICTURE)
        if room >= 0:
            chosen.add(name)
        else:
            room += taken
    return chosen


def around(region: Region | None, width: int, height: int) -> tuple[int, int, int, int]:
    """The part of a frame that shows a region with some room around it, as in ``crop.js``: x, y, width, height."""
    x, y, wide, high = region or (0, 0, width, height)
    across = max(wide * _ROOM, high * _ROOM * _RATIO, width * _LEAST) if region else max(width, height * _RATIO)
    across = min(across, max(width, height * _RATIO))
    down = across / _RATIO
    return (_from(x + wide / 2, across, width), _from(y + high / 2, down, height), round(across), round(down))


def _from(middle: float, length: float, whole: int) -> int:
    return round((whole - length) / 2 if length >= whole else max(0.0, min(middle - length / 2, whole - length)))


@cache
def environment() -> Environment:
    """Templates of this folder, with all that is put into them escaped; filters of a template are added to it."""
    # With the first page: its import would be a part of each start.
    jinja2 = import_module("jinja2")
    made: Environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=jinja2.FunctionLoader(_file)
    )
    offered: dict[str, Any] = {"around": around, "numbered": _numbered, "style": _file("report.css")}
    made.globals.update(cast("Any", offered))
    filters: dict[str, Callable[[Any], object]] = {"base64": lambda data: base64.b64encode(data).decode()}
    made.filters |= filters
    return made


def _numbered(names: Iterable[str]) -> Mapping[str, str]:
    return {name: f"picture-{place}" for place, name in enumerate(names)}


def _file(name: str) -> str:
    return resources.files("storage.reports").joinpath(name).read_text(encoding="utf-8")
