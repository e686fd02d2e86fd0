"""``vaider init``: the files that connect a project's coding agents to Vaider."""

from pathlib import Path

import click

from server.client.address import address
from server.commands.options import load
from server.security import needs_token
from server.setup.init import Wishes, apply, clients, plan, reporter_change
from server.setup.project_lines import line_changes


@click.command()
@click.argument("directory", type=click.Path(path_type=Path), default=".", metavar="[DIR]")
@click.option(
    "--client", type=click.Choice([*clients(), "all"]), default="all", show_default=True, help="Which agent to connect."
)
@click.option(
    "--stdio/--http",
    default=None,
    help="Whether the agent starts Vaider itself, without a daemon, or calls the daemon.",
)
@click.option("--host", metavar="NAME", help="Where the daemon listens.")
@click.option("--port", type=click.IntRange(1, 65535), help="The daemon's port.")
@click.option("--playwright", is_flag=True, help="Write a reporter for Playwright in JavaScript too.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def init(
    *,
    directory: Path,
    client: str,
    stdio: bool | None,
    host: str | None,
    port: int | None,
    playwright: bool,
    dry_run: bool,
) -> int:
    """Connect the coding agents of the project in DIR to Vaider.

    Writes .cursor/mcp.json, .mcp.json and VaiderRules.json. What is in them stays: other servers, an own entry for
    Vaider (unless you say --stdio, --http, --host or --port), comments and layout. Adds a marked block to AGENTS.md
    and CLAUDE.md that tells agents when to call what, and the logs to .gitignore where there is git.
    """
    settings = load({"host": host, "port": port})
    wishes = Wishes(
        url=f"{address(settings).url}/mcp",
        insists=host is not None or port is not None,
        stdio=stdio,
        token=needs_token(settings),
    )
    names = list(clients()) if client == "all" else [client]
    changes = [*plan(directory, names, wishes), *line_changes(directory, names)]
    changes += [reporter_change(directory)] if playwright else []
    for change in changes:
        if dry_run:
            click.echo(change.diff if change.is_needed else f"{change.path}: {change.note}", nl=not change.is_needed)
        else:
            apply(change)
            click.echo(f"{change.path}: {change.note}", err=change.refused)
    if not dry_run and not stdio and any(change.is_needed for change in changes):
        click.echo("Start the daemon with `vaider serve`.")
    return 2 if any(change.refused for change in changes) else 0
