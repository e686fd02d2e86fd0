"""Draws where the pointer clicked, as some recorders of screens do: a disc that stands for a moment."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.record.recorder import Footage
from bench.world.truth import Action

SHOWN_S: Final = 0.4
RADIUS_PX: Final = 16
COLOUR: Final = (40, 150, 255)
"""Blue, green and red, as the pictures are laid out."""
SHARE: Final = 0.5


def tapped(footage: Footage, actions: Iterable[Action]) -> Footage:
    """The same footage with the clicks of actions whose times are those of the clock."""
    clicks = [(each.t_ms / 1000, each.point) for each in actions if each.point is not None]
    times = {*footage.times, *(t for t, _ in clicks), *(t + SHOWN_S for t, _ in clicks)}
    shown = Footage(footage.width, footage.height, footage.started, footage.ended, grabs=footage.grabs)
    for t in sorted(each for each in times if footage.started <= each <= footage.ended):
        points = [point for since, point in clicks if since <= t < since + SHOWN_S]
        shown.times.append(t)
        shown.pictures.append(footage.still(t) if not points else _with_discs(footage.at(t), points))
    return shown


def _with_discs(picture: NDArray[np.uint8], points: Sequence[tuple[int, int]]) -> bytes:
    rows, columns = np.ogrid[: picture.shape[0], : picture.shape[1]]
    drawn = picture.copy()
    for x, y in points:
        inside = (columns - x) ** 2 + (rows - y) ** 2 <= RADIUS_PX**2
        drawn[inside, :3] = (drawn[inside, :3] * (1 - SHARE) + np.array(COLOUR) * SHARE).astype(np.uint8)
    return drawn.tobytes()
