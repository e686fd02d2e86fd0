"""What a recording session is made of."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from bench.record.ledger import Ledger
from bench.record.screen import Screen
from bench.record.steps import Step

Stage = Callable[[Screen, Ledger], AbstractContextManager[Any]]

HD = (1280, 720)
FULL_HD = (1920, 1080)


@dataclass(frozen=True)
class Session:
    """One thing to record. ``clips`` maps each clip's name to its profile, all from the same footage."""

    stage: Stage
    """Starts what is recorded, and yields the hands for ``play``."""
    play: Step
    clips: dict[str, str]
    size: tuple[int, int] = HD
    pointer: bool = True
    """Whether the pointer is in the picture; in the browser's own recordings it is not."""
