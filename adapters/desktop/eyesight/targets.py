"""Eyes for targets: cuts anchors out of pictures and finds them again; see ``core.reload.ports.Targets``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from adapters.desktop.eyesight.anchors import clipped, decoded, encoded, part, whole
from adapters.desktop.eyesight.comparing import Recorded, compared, may_be
from adapters.desktop.eyesight.cutting import cut_out
from adapters.desktop.eyesight.likeness import is_same
from adapters.desktop.eyesight.outlines import outline
from adapters.desktop.eyesight.pixels import pixels_of
from adapters.desktop.eyesight.redrawing import Screen, reads_now, redrawn
from adapters.desktop.eyesight.searching import places
from core.reload.entry import Anchor
from core.reload.ports import Found, Missing
from core.screens import Box, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from core.reload.ports import Reader
    from core.screens import Picture

    Pixels = NDArray[np.uint8]

_TWICE: Final = Missing("it is there more than once")
_SHOWN: Final = 60
_ELSEWHERE: Final = 0.7
"""How much of what stands nearby has to come along when a target has moved."""


class ScreenTargets:
    """Implements ``core.reload.ports.Targets``; keeps no state, and is safe to share between threads."""

    def cut(
        self, picture: Picture, target: Point | Box, within: Box, *, ignore: Sequence[Box], reader: Reader
    ) -> Anchor | None:
        """The anchor of what is at a point, or of a region; what tells it from its like is part of the picture."""
        area = clipped(within, whole(picture))
        point = target.centre if isinstance(target, Box) else target
        if area is None or not area.contains(point):
            return None
        pixels = pixels_of(picture)
        found = outline(pixels, target, area, reader.read(picture))
        crop = cut_out(pixels, found, area, ignore)
        if crop is None:
            return None
        box, bgra = crop
        core = Box(x=found.core.x - box.x, y=found.core.y - box.y, width=found.core.width, height=found.core.height)
        if not part(bgra[..., 3], core).any():
            # All of it may be different the next time: a field that holds a value.
            return None
        return Anchor(
            image=encoded(bgra),
            core=core,
            point=Point(x=point.x - box.x, y=point.y - box.y),
            place=Point(x=point.x - within.x, y=point.y - within.y),
            words=found.words,
        )

    def find(
        self, anchor: Anchor, picture: Picture, within: Box, *, reader: Reader, far: bool = True
    ) -> Found | Missing:
        """Where it is now: at the same place of the window, else anywhere in it."""
        recorded = Recorded.of(anchor)
        area = clipped(within, whole(picture))
        if recorded is None or area is None:
            return Missing("its picture cannot be read" if recorded is None else "its window is not on the screen")
        pixels = pixels_of(picture)
        here = Point(x=within.x + anchor.place.x - anchor.point.x, y=within.y + anchor.place.y - anchor.point.y)
        why = compared(recorded, pixels, area, here)
        if why is None:
            return _found(anchor, here, "same_place")
        if not far:
            return Missing(why)
        screen = Screen(picture, pixels, area, reader)
        found = self._elsewhere(anchor, recorded, pixels, area) or redrawn(anchor, recorded, screen)
        if isinstance(found, Missing) and found != _TWICE and (now := reads_now(anchor, here, screen)):
            return Missing(f'it reads "{now[:_SHOWN]}" now')
        return found

    def _elsewhere(self, anchor: Anchor, recorded: Recorded, pixels: Pixels, area: Box) -> Found | Missing | None:
        likely = places(recorded, pixels, area)
        there = [place for place in likely if compared(recorded, pixels, area, place, nearby=0.0) is None]
        if not there:
            return None
        # What stands around does not choose among equals: rows that are the same have different neighbours.
        if len(there) > 1 or any(may_be(recorded, pixels, area, place) for place in likely if place != there[0]):
            return _TWICE
        is_there = compared(recorded, pixels, area, there[0], nearby=_ELSEWHERE) is None
        return _found(anchor, there[0], "moved") if is_there else None

    def crop(self, picture: Picture, box: Box) -> str:
        """That part of a picture, as ``Anchor.image``; empty when the box is not in the picture."""
        inside = clipped(box, whole(picture))
        if inside is None:
            return ""
        bgra = part(pixels_of(picture), inside).copy()
        bgra[..., 3] = 255
        return encoded(bgra)

    def same(self, image: str, picture: Picture, box: Box) -> bool:
        """Whether that part of the picture looks like ``image``."""
        one, inside = decoded(image), clipped(box, whole(picture))
        if one is None or inside != box or one.shape[:2] != (box.height, box.width):
            return False
        return is_same(one, part(pixels_of(picture), box), one[..., 3] > 0)


def _found(anchor: Anchor, origin: Point, how: Literal["same_place", "moved"]) -> Found:
    core = Box(
        x=origin.x + anchor.core.x, y=origin.y + anchor.core.y, width=anchor.core.width, height=anchor.core.height
    )
    point = Point(x=origin.x + anchor.point.x, y=origin.y + anchor.point.y)
    return Found(point, how, core)
