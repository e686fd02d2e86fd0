"""Finding a recorded picture of a target again: at another size, and in another theme by its edges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import cv2
import numpy as np

from core.screens import Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.models.local.view import View

    Pixels = NDArray[np.uint8]

_MOST_BYTES: Final = 2_000_000
_SIDES: Final = (8, 800)
_SCALES: Final = (1.0, 0.8, 1.25, 1.5, 0.67, 2.0, 0.5, 0.9, 1.1)
_SURE: Final = 0.9
_SURE_EDGES: Final = 0.7
_APART: Final = 0.06
"""By how much the second best place must be worse."""
_LEAST_VARIATION: Final = 6.0


def find_anchor(anchor: Any, folder: str, view: View) -> Point | None:
    """Where ``{"image": file, "offset": [dx, dy]}`` points to; ``None`` when it is not there, or there twice.

    The file lies inside the workflow's folder; ``offset`` goes from the middle of the picture to the point, in its
    own pixels.
    """
    if not isinstance(anchor, dict) or not folder:
        return None
    described = cast("dict[str, Any]", anchor)
    picture = _read(described.get("image"), folder)
    if picture is None:
        return None
    found = _best(picture, view.grey, _SURE, edges=False) or _best(picture, view.grey, _SURE_EDGES, edges=True)
    if found is None:
        return None
    x, y, scale = found
    dx, dy = _offset(described.get("offset"))
    point = Point(x=round(x + dx * scale), y=round(y + dy * scale))
    return point if view.whole.contains(point) else None


def _offset(offset: Any) -> tuple[float, float]:
    if isinstance(offset, list):
        numbers = [each for each in cast("list[Any]", offset) if isinstance(each, int | float)]
        if len(numbers) == 2 and all(abs(each) <= _SIDES[1] for each in numbers):  # noqa: PLR2004 - x and y
            return float(numbers[0]), float(numbers[1])
    return 0.0, 0.0


def _read(name: Any, folder: str) -> Pixels | None:
    """The picture's brightness; ``None`` for what is no small picture inside the folder."""
    if not isinstance(name, str) or not name or "\0" in name:
        return None
    root = Path(folder).resolve()
    try:
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        data = path.read_bytes()
    except (OSError, RuntimeError, ValueError):
        return None
    try:
        decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    except cv2.error:
        return None
    if decoded is None:
        return None
    picture = np.asarray(decoded, np.uint8)
    has_size = min(picture.shape) >= _SIDES[0] and max(picture.shape) <= _SIDES[1]
    return picture if has_size and float(picture.std()) >= _LEAST_VARIATION else None


def _best(picture: Pixels, grey: Pixels, sure: float, *, edges: bool) -> tuple[float, float, float] | None:
    """Middle and scale of the one place that is surely it."""
    screen = _edges(grey) if edges else grey
    ranked: list[tuple[float, float, float, float]] = []
    for scale in _SCALES:
        height, width = (max(1, round(side * scale)) for side in picture.shape)
        if min(height, width) < _SIDES[0] or height > screen.shape[0] or width > screen.shape[1]:
            continue
        sized = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        wanted = _edges(np.asarray(sized, np.uint8)) if edges else sized
        if float(np.asarray(wanted).std()) < _LEAST_VARIATION:
            continue
        scores = np.nan_to_num(np.asarray(cv2.matchTemplate(screen, wanted, cv2.TM_CCOEFF_NORMED), np.float32))
        for _ in range(2):
            at = int(scores.argmax())
            y, x = divmod(at, scores.shape[1])
            ranked.append((float(scores[y, x]), x + width / 2, y + height / 2, scale))
            scores[max(y - height // 2, 0) : y + height // 2 + 1, max(x - width // 2, 0) : x + width // 2 + 1] = -1
        if ranked and scale == 1.0 and _lone(ranked, sure, picture.shape):
            break
    found = _lone(ranked, sure, picture.shape)
    return found[1:] if found else None


def _lone(
    ranked: list[tuple[float, float, float, float]], sure: float, shape: tuple[int, ...]
) -> tuple[float, float, float, float] | None:
    """The best place, if it is good and every place elsewhere is clearly worse."""
    best = max(ranked, default=None)
    if best is None or best[0] < sure:
        return None
    reach = min(shape) * best[3] / 2
    elsewhere = [each[0] for each in ranked if abs(each[1] - best[1]) > reach or abs(each[2] - best[2]) > reach]
    return best if max(elsewhere, default=0.0) <= best[0] - _APART else None


def _edges(grey: Pixels) -> Pixels:
    """How steep the brightness is, whichever side is lighter."""
    across = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 1, 0), np.float32)
    down = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 0, 1), np.float32)
    return np.minimum(np.hypot(across, down) / 2, 255).astype(np.uint8)
