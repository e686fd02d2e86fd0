"""``vaider replay``: carry out a workflow on a desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server.commands.running import carry_out, with_run_options
from server.terminals.run import ask_for
from storage.workflows.workflows import WorkflowFolders

if TYPE_CHECKING:
    from config.settings import Settings
    from server.commands.running import RunOptions


@click.command()
@click.argument("workflow", metavar="WORKFLOW")
@with_run_options
def replay(*, workflow: str, options: RunOptions, settings: Settings) -> int:
    """Carry out WORKFLOW on a desktop, with these values; others have the workflow's examples.

    WORKFLOW is a name (see `vaider workflows list`) or a folder. On a terminal, missing values are asked for.

    Exit code: 0 done and seen to be done, 1 not done or not clear, 2 bad input, 3 a provider, the display or the
    daemon failed, 130 stopped.
    """
    folders = WorkflowFolders(settings.workflow_roots)
    folder = folders.find(workflow)
    given = ask_for(folders.load(folder).task_params, options.given) if options.asks else options.given
    return carry_out(settings, options.request(settings, given, workflow=folder), options)
