"""``vaider mcp``: the daemon, or an MCP server over stdin and stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server.commands.options import with_settings
from server.commands.serve import start_daemon

if TYPE_CHECKING:
    from config.settings import Settings


@click.command()
@click.option("--stdio", is_flag=True, help="Speak MCP over stdin and stdout, for clients that start their servers.")
@with_settings
def mcp(*, stdio: bool, settings: Settings) -> int:
    """Run the daemon, which serves MCP at /mcp; or one MCP client over stdin and stdout.

    With --stdio the work is done by the running daemon if there is one, else by this process.
    """
    if stdio:
        from server.stdio import serve_stdio  # noqa: PLC0415 - `--help` need not wait for it

        return serve_stdio(settings)
    return start_daemon(settings)
