"""A display opened for a run, as the daemon opens it, and whether somebody has taken it over."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from adapters.desktop.displays import LocalDesktops
from core.errors import TakenOver
from core.runs.ports import Desktop


def nothing() -> None:
    """Nobody wants it to stop."""


@contextmanager
def opened(display: str, data_dir: Path) -> Generator[Desktop]:
    """The display, for a run called "a test"."""
    with LocalDesktops(data_dir=data_dir).open(display, run="a test", size=None, raise_if_cancelled=nothing) as desktop:
        yield desktop


def is_taken_over(desktop: Desktop) -> bool:
    """Whether it says so."""
    try:
        desktop.raise_if_cancelled()
    except TakenOver:
        return True
    return False
