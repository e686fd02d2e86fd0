"""Imports earlier analyses into the memories."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from core.memories.remembering import began_at, remember_analysis
from core.values import Value
from server.composition.memory import Memory
from storage.interactions import kept_answers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from config.settings import Settings


class Imported(Value):
    """The result of an import."""

    videos: int
    """Of which something is remembered now."""
    memories: int
    skipped: tuple[str, ...]
    """Folders without an answer that can be read, or in which nothing was done."""


def import_interactions(settings: Settings, roots: Sequence[Path]) -> Imported:
    """Store the newest answer of each interaction folder as memories; idempotent.

    Raises ``InvalidPath`` for a root that is no folder, ``StorageFailed``.
    """
    videos = memories = 0
    skipped: list[str] = []
    with contextlib.closing(Memory(settings)) as memory:
        for root in roots:
            for folder, analysis in kept_answers(root.absolute()):
                kept = (
                    remember_analysis(analysis, memory.memories, started_at=began_at(analysis))
                    if analysis is not None
                    else ()
                )
                videos, memories = videos + bool(kept), memories + len(kept)
                skipped += [] if kept else [str(folder)]
    return Imported(videos=videos, memories=memories, skipped=tuple(skipped))
