"""``vaider serve``: the daemon."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from server.commands.options import with_settings

if TYPE_CHECKING:
    from config.settings import Settings


@click.command()
@with_settings
def serve(*, settings: Settings) -> int:
    """Run the daemon: HTTP, events and MCP on one port, until it is told to stop."""
    return start_daemon(settings)


def start_daemon(settings: Settings) -> int:
    """Run the daemon until it is told to stop; returns the exit code."""
    # What a start makes stays: looking for garbage among it took a fifth of the time. The daemon looks once it listens.
    gc.disable()
    from server.daemon import serve as run_daemon  # noqa: PLC0415 - `--help` need not wait for it

    return run_daemon(settings)
