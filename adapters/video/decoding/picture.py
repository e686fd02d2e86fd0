"""Pixels: from whatever format a decoder gives to brightness and colours of one upright picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import av
import numpy as np

from adapters.video.decoding.limits import TRANSPARENT
from adapters.video.frame import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

LUMA_FIRST: Final = frozenset(
    {"gray", "nv12", "nv16", "nv21", "nv24"}
    | {f"yuv{full}{sampling}p" for full in ("", "j") for sampling in ("410", "411", "420", "422", "440", "444")}
)
"""Pixel formats whose first plane is the brightness, a byte a pixel: read without any conversion."""
_ALPHA: Final = frozenset({"rgba", "bgra", "argb", "abgr", "ya8", "pal8", "gbrap"})
_QUARTER = 90


def work(picture: av.VideoFrame) -> int:
    """How many pixels the picture counts among those that a clip may have."""
    return picture.width * picture.height * (TRANSPARENT if _has_alpha(picture) else 1)


def upright_frame(picture: av.VideoFrame, t_ms: int, size: tuple[int, int]) -> Frame:
    """Wrap a decoded picture; ``size`` is the upright (width, height) that every frame of the video has."""
    turns = picture.rotation // _QUARTER % 4
    coded = size if turns % 2 == 0 else (size[1], size[0])
    if (picture.width, picture.height) != coded:
        picture = picture.reformat(width=coded[0], height=coded[1])
    luma = np.rot90(_luma(picture), turns)
    luma.flags.writeable = False
    return Frame(t_ms, luma, lambda: np.ascontiguousarray(np.rot90(_bgr(picture), turns)))


def _luma(picture: av.VideoFrame) -> NDArray[np.uint8]:
    if picture.format.name in LUMA_FIRST:
        plane = picture.planes[0]
        pixels = np.frombuffer(cast("memoryview", plane), np.uint8)
        return pixels.reshape(-1, plane.line_size)[: picture.height, : picture.width]
    if _has_alpha(picture):
        picture = av.VideoFrame.from_ndarray(_bgr(picture), format="bgr24")
    return cast("NDArray[np.uint8]", picture.to_ndarray(format="gray"))


def _bgr(picture: av.VideoFrame) -> NDArray[np.uint8]:
    if not _has_alpha(picture):
        return cast("NDArray[np.uint8]", picture.to_ndarray(format="bgr24"))
    pixels = cast("NDArray[np.uint8]", picture.to_ndarray(format="bgra"))
    alpha = pixels[..., 3:]
    if alpha.min() == np.iinfo(np.uint8).max:
        return np.ascontiguousarray(pixels[..., :3])
    # On white: colour x alpha + 255 x (1 - alpha), rounded.
    laid = pixels[..., :3] * alpha.astype(np.uint16) + 255 * (255 - alpha.astype(np.uint16))
    return ((laid + 127) // 255).astype(np.uint8)


def _has_alpha(picture: av.VideoFrame) -> bool:
    name = picture.format.name
    return name in _ALPHA or name.startswith("yuva")
