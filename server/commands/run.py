"""``vaider run`` and ``vaider replay``: carry out a task, or a workflow, on a desktop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from core.tasks.parameters import given_by_name, parametrised
from core.tasks.ports import find_task
from server.cli_output.analysis import console
from server.cli_output.run import ask_for
from server.cli_output.task import show_open_questions
from server.commands.running import RunOptions, carry_out, with_run_options
from server.commands.tasks import complete_tasks
from server.presenters import tasks_of
from storage.workflows.workflows import WorkflowFolders

if TYPE_CHECKING:
    from config.settings import Settings


@click.command()
@click.argument("task", metavar="TASK", shell_complete=complete_tasks)
@with_run_options
def run(*, task: str, options: RunOptions, settings: Settings) -> int:
    """Carry out TASK on a desktop, with these values; others are those that were shown.

    TASK is an id or a title (see `vaider tasks list`). Open questions are told, and do not hold it up; what blocks it
    is asked in its HEARTBEAT.md. On a terminal, values without a default are asked for.

    Exit code: 0 done and seen to be done, 1 not done or not clear, 2 bad input, 3 a provider, the display or the
    daemon failed, 130 stopped.
    """
    found = find_task(tasks_of(settings), task)
    parameters = parametrised(found.heartbeat).parameters
    given = given_by_name(parameters, options.given)
    if options.asks:
        given = ask_for([each for each in parameters if each.example is None], given)
    if not options.as_json:
        show_open_questions(console(sys.stderr), found)
    return carry_out(settings, options.request(settings, given, task=found.id), options)


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
