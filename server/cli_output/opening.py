"""Showing a page or a file with the platform's own program, or saying where it is."""

import os
import shutil
import sys
from typing import Final

import click

from server.cli_output.analysis import plain

_SCREENS: Final = ("DISPLAY", "WAYLAND_DISPLAY")


def show(where: str) -> None:
    """Open an address or a path; where nothing can open it, print it on stderr."""
    if not _can_open() or click.launch(where) != 0:
        click.echo(plain(f"Nothing opens it here; it is at {where}"), err=True)


def _can_open() -> bool:
    """Whether there is a screen: without one a text browser would take the terminal, or nothing would happen."""
    if sys.platform != "linux":
        return True
    return any(os.environ.get(name) for name in _SCREENS) and shutil.which("xdg-open") is not None
