"""``vaider workflows``: what can be replayed; taken in, checked and handed on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from core.errors import InvalidWorkflow, VaiderError
from core.tasks.ports import find_task
from core.tasks.workflow import compiled
from core.workflows.checks import parameter_faults
from server.cli_output.analysis import console, lines, plain, prose, table, write_json
from server.commands.options import load, with_settings
from server.commands.tasks import complete_tasks
from server.presenters import Added, WorkflowAnswer, WorkflowShelf, tasks_of
from server.times import ago
from storage.workflows.packages import Imported, add_workflow, export_workflow, import_workflow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from config.settings import Settings
    from core.workflows.workflow import Parameter

_INVALID = 2


def complete_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The workflows that begin so, for the shell."""
    del ctx, param
    try:
        names = WorkflowShelf.of(load({})).folders.names()
    except (VaiderError, OSError):
        return []
    return [name for name in names if name.startswith(incomplete)]


@click.group()
def workflows() -> None:
    """List, show, validate, make, import and export workflows."""


@workflows.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /workflows does.")
@with_settings
def list_workflows(*, as_json: bool, settings: Settings) -> None:
    """List what can be replayed."""
    found = WorkflowShelf.of(settings).summaries()
    if as_json:
        write_json(found.model_dump(mode="json"))
        return
    out = console(sys.stdout)
    if not found.workflows:
        out.print(Text(f"None yet; `vaider workflows import FOLDER` adds one to {settings.workflow_roots[0]}."))
        return
    rows = table("workflow", "parameters", "steps", "does")
    for each in found.workflows:
        about = each.task_description or each.task_name if each.valid else str(each.error)
        cells = (each.name, _names(each.parameters), str(each.subtasks), about)
        rows.add_row(*(Text(plain(cell)) for cell in cells), style=None if each.valid else "red")
    out.print(rows)


@workflows.command("show")
@click.argument("name", metavar="WORKFLOW", shell_complete=complete_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /workflows/WORKFLOW does.")
@with_settings
def show_workflow(*, name: str, as_json: bool, settings: Settings) -> None:
    """Show a workflow's parameters, its numbered steps and its last run; by name or folder."""
    shelf = WorkflowShelf.of(settings)
    answer = shelf.at(shelf.folders.find(name))
    if as_json:
        write_json(answer.model_dump(mode="json"))
        return
    _show(console(sys.stdout), answer)


@workflows.command("validate")
@click.argument("names", metavar="[WORKFLOW]...", nargs=-1, shell_complete=complete_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_settings
def validate_workflows(*, names: Sequence[str], as_json: bool, settings: Settings) -> int:
    """Check each WORKFLOW, a name or a folder, against the rules of its format; all of them without one.

    Exit code: 0 all are valid, 2 one is not.
    """
    shelf = WorkflowShelf.of(settings)
    checked = [_checked(shelf, shelf.folders.find(name)) for name in names or shelf.folders.names()]
    if as_json:
        write_json({"workflows": checked})
    else:
        out = console(sys.stdout)
        for each in checked:
            word, style = ("valid", "green") if each["valid"] else ("not valid", "bold red")
            out.print(Text.assemble((plain(each["name"]), "bold"), "  ", (word, style)), soft_wrap=True)
            for line in each["faults"]:
                out.print(Text(f"  {plain(line)}"), soft_wrap=True)
            for line in each["notes"]:
                out.print(Text(f"  note: {plain(line)}", style="yellow"), soft_wrap=True)
    return 0 if all(each["valid"] for each in checked) else _INVALID


@workflows.command("import")
@click.argument("source", metavar="FOLDER|ZIP", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="Another name than the source's.")
@click.option("--force", is_flag=True, help="Replace a workflow of that name; the old one is kept as a backup.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_settings
def import_(*, source: Path, name: str | None, force: bool, as_json: bool, settings: Settings) -> None:
    """Copy a workflow from a folder or a zip file to where Vaider keeps its own."""
    done = import_workflow(source.expanduser(), settings.workflow_roots[0], name=name, force=force)
    _show_added(done, as_json=as_json)


@workflows.command("make")
@click.argument("task", metavar="TASK", shell_complete=complete_tasks)
@click.option("--name", metavar="NAME", help="Another name than the task's.")
@click.option("--force", is_flag=True, help="Replace a workflow of that name; the old one is kept as a backup.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_settings
def make(*, task: str, name: str | None, force: bool, as_json: bool, settings: Settings) -> None:
    """Make a workflow of TASK, with a parameter for each value of its plan; every line of that must be understood."""
    found = find_task(tasks_of(settings), task)
    done = add_workflow(compiled(found.heartbeat), settings.workflow_roots[0], name or found.id, force=force)
    _show_added(done, as_json=as_json)


@workflows.command("export")
@click.argument("name", metavar="WORKFLOW", shell_complete=complete_names)
@click.argument("target", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite the file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_settings
def export(*, name: str, target: Path | None, force: bool, as_json: bool, settings: Settings) -> None:
    """Write a workflow as a zip file, without its runs and the examples of sensitive parameters."""
    folder = Path(WorkflowShelf.of(settings).folders.find(name))
    file = (target or Path(f"{folder.name}.zip")).expanduser().absolute()
    hidden = export_workflow(folder, file, force=force)
    if as_json:
        write_json({"file": str(file), "left_out": list(hidden)})
        return
    out = console(sys.stdout)
    out.print(Text(plain(str(file))), soft_wrap=True)
    if hidden:
        out.print(Text(f"  without the examples of {', '.join(hidden)}, which are sensitive"), soft_wrap=True)


def _show_added(done: Imported, *, as_json: bool) -> None:
    reported = Added.of(done)
    if as_json:
        write_json(reported.model_dump(mode="json"))
        return
    out = console(sys.stdout)
    out.print(Text.assemble((plain(done.name), "bold"), f"  is in {plain(str(done.folder))}"), soft_wrap=True)
    if reported.backup is not None:
        out.print(Text(f"  the one before it is in {plain(reported.backup)}"), soft_wrap=True)
    for line in done.notes:
        out.print(Text(f"  note: {plain(line)}", style="yellow"), soft_wrap=True)


def _checked(shelf: WorkflowShelf, folder: str) -> dict[str, Any]:
    reported: dict[str, Any] = {"name": Path(folder).name, "folder": folder, "faults": [], "notes": []}
    try:
        reading = shelf.folders.read(folder)
    except InvalidWorkflow as error:
        faults = str(error.details.get("faults", error.message)).splitlines()
        return reported | {"valid": False, "version": None, "faults": faults}
    except VaiderError as error:
        return reported | {"valid": False, "version": None, "faults": [error.message]}
    faults = list(parameter_faults(reading.workflow))
    return reported | {"valid": not faults, "version": reading.version, "faults": faults, "notes": list(reading.notes)}


def _show(out: Console, answer: WorkflowAnswer) -> None:
    workflow = answer.workflow
    out.print(Text.assemble((plain(answer.name), "bold"), f"  {plain(answer.folder)}"), soft_wrap=True)
    for text in (workflow.task_description_user, workflow.detailed_task_description):
        if text:
            prose(out, text)
    if workflow.task_params:
        rows = table("parameter", "default", "type", "about")
        for each in workflow.task_params:
            rows.add_row(*(Text(plain(cell)) for cell in (each.name, _default(each), each.type, each.description)))
        out.print(rows)
    for subtask in workflow.plan.subtasks:
        lines(out, (f"{subtask.subtask_i + 1}.", plain(subtask.text)))
        within = enumerate((each.intent or each.target.primary for each in subtask.steps), 1)
        lines(out, *((f"   {subtask.subtask_i + 1}.{at}", Text(plain(step), "dim")) for at, step in within))
    if workflow.success_criteria:
        prose(out, f"Success: {workflow.success_criteria}")
    if answer.last_run is not None:
        run = answer.last_run
        ended = f"{run.headline.label}, {ago(run.started_at)}, {run.duration_ms / 1000:.1f} s"
        sentence = f"Last run: {ended}, {run.directory}"
        out.print(Text(plain(sentence), style="dim"), soft_wrap=True)
    for note in answer.notes:
        out.print(Text(f"note: {plain(note)}", style="yellow"), soft_wrap=True)


def _default(parameter: Parameter) -> str:
    if parameter.sensitive:
        return "(sensitive)"
    if parameter.example is not None:
        return parameter.example
    return "(optional)" if parameter.optional else "(needed)"


def _names(parameters: Sequence[Parameter]) -> str:
    return " ".join(each.name for each in parameters)
