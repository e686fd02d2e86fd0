"""``vaider serve`` and ``vaider mcp``: the daemon, or an MCP server over stdin and stdout."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from server.commands.options import with_settings

if TYPE_CHECKING:
    from config.settings import Settings


@click.command()
@click.option(
    "--role", type=click.Choice(["all", "api", "worker"]), help="What of a farm this process is; else all, the daemon."
)
@with_settings
def serve(*, settings: Settings, role: str | None) -> int:
    """Run the daemon: HTTP, events and MCP on one port, until it is told to stop."""
    return start_daemon(settings.with_role(role) if role else settings)


def start_daemon(settings: Settings) -> int:
    """Run the daemon until it is stopped; returns the exit code."""
    # What a start makes stays: looking for garbage among it took a fifth of the time. The daemon looks once it listens.
    if settings.role != "all":
        from server.farm.start import serve_role  # noqa: PLC0415 - a laptop's daemon need not load it

        return serve_role(settings)
    gc.disable()
    from server.daemon import serve as run_daemon  # noqa: PLC0415 - `--help` need not wait for it

    return run_daemon(settings)


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
