"""One decoded picture of a video."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Luma = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One upright picture: rotation applied, alpha laid on white, every frame of a video of one size.

    Args:
        t_ms: milliseconds from the clip's first frame; never smaller than the frame's before.
        luma: brightness, (height, width) uint8, read-only. As it was coded: 16..235 in a video of limited range
            (nearly all), 0..255 in one of full range and in what was RGB or a palette. Its rows may be padded
            (not contiguous), since it can be the decoder's own buffer.
        render: makes the colour picture.

    """

    t_ms: int
    luma: NDArray[np.uint8]
    render: Callable[[], NDArray[np.uint8]] = field(repr=False)

    def bgr(self) -> NDArray[np.uint8]:
        """Convert the colours: (height, width, 3) uint8, contiguous. Costs a conversion at each call."""
        return self.render()
