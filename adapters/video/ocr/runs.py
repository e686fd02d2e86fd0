"""Runs in a row of marks: the columns that strokes take, the rows of a line, the length of a border."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Run = tuple[int, int]
"""The first place of a run, and the first one behind it."""


def true_runs(marks: NDArray[np.bool_]) -> list[Run]:
    """Where marks (n,) are set without a gap, in order."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], marks, [False])).view(np.int8))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))
