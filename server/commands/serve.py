"""``vaider serve``: the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server.commands.options import with_settings

if TYPE_CHECKING:
    from config.settings import Settings


@click.command()
@with_settings
def serve(*, settings: Settings) -> int:
    """Run the daemon: HTTP, events and MCP on one port, until it is told to stop."""
    from server.daemon import serve as run_daemon  # noqa: PLC0415 - `--help` need not wait for it

    return run_daemon(settings)
