"""``vaider tasks``: tasks to read, correct and answer; every change of one is kept and can be taken back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from core.errors import VaiderError
from core.schedules.book import shown, utc_now
from core.tasks.answers import answered
from core.tasks.heartbeat import Heartbeat
from server.cli_output.analysis import console, write_json
from server.cli_output.schedules import ScheduleArguments, daemon_runs, next_time, schedule_task, show_schedule
from server.cli_output.task import (
    confirm_removal,
    say,
    show_diff,
    show_history,
    show_list,
    show_questions,
    show_restored,
    show_runs,
    show_task,
    waiting,
)
from server.commands.options import load, with_settings
from server.commands.running import RunOptions, with_run_options
from server.presenters import fault_of, last_runs, listed_task, task_answer, tasks_of, upcoming
from server.times import machine_zone
from storage.tasks.runs import runs_of

if TYPE_CHECKING:
    from config.settings import Settings

_BY = "cli"


def complete_tasks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The tasks that begin so, for the shell."""
    del ctx, param
    try:
        found = tasks_of(load({})).list()
    except (VaiderError, OSError):
        return []
    return [each.id for each in found if each.id.startswith(incomplete)]


_task_argument = click.argument("task", metavar="TASK", shell_complete=complete_tasks)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def tasks() -> None:
    """List, show, answer, schedule, compare and remove tasks; their files may be edited by hand at any time."""


@tasks.command("list")
@_as_json
@with_settings
def list_tasks(*, as_json: bool, settings: Settings) -> None:
    """List the tasks, how many of their questions are open, and when they are carried out next."""
    found = tasks_of(settings).list()
    scheduled = upcoming(settings, found)
    if as_json:
        last = last_runs(settings, found)
        write_json({"tasks": [listed_task(each, scheduled.get(each.id), last.get(each.id)) for each in found]})
        return
    show_list(console(sys.stdout), found, {name: next_time(each) for name, each in scheduled.items()})


@tasks.command("add")
@click.argument("title", metavar="TITLE")
@_as_json
@with_settings
def add_task(*, title: str, as_json: bool, settings: Settings) -> None:
    """Make a task called TITLE, to be written by hand."""
    task = tasks_of(settings).add(Heartbeat.new(title), by=_BY, why="added by title")
    if as_json:
        write_json(task_answer(task))
        return
    out = console(sys.stdout)
    say(out, task.id, "bold")
    say(out, f"  Next: write below its title what is to be done, in {task.folder / 'HEARTBEAT.md'}")


@tasks.command("show")
@_task_argument
@_as_json
@with_settings
def show(*, task: str, as_json: bool, settings: Settings) -> None:
    """Show a task as it stands, and what it waits for."""
    found = tasks_of(settings).load(task)
    answer = shown(found.id, found.heartbeat, machine_zone(), utc_now())
    if as_json:
        write_json({**task_answer(found), "schedule": answer.model_dump(mode="json", exclude={"task", "log"})})
        return
    show_task(console(sys.stdout), found, fault_of(found) or answer.fault)


@tasks.command("questions")
@_task_argument
@_as_json
@with_settings
def questions(*, task: str, as_json: bool, settings: Settings) -> None:
    """List a task's questions with their ids, states and answers."""
    found = tasks_of(settings).load(task)
    if as_json:
        asked = [each.model_dump(mode="json") for each in found.heartbeat.questions]
        write_json({"task": found.id, "version": found.version.number, "questions": asked})
        return
    show_questions(console(sys.stdout), found)


@tasks.command("answer")
@_task_argument
@click.argument("question_id", metavar="QUESTION_ID")
@click.argument("answer", metavar="ANSWER")
@_as_json
@with_settings
def answer_question(*, task: str, question_id: str, answer: str, as_json: bool, settings: Settings) -> None:
    """Answer a question of a task, or answer it anew; `vaider tasks questions TASK` tells its QUESTION_ID.

    Put -- before an ANSWER that begins with a dash.
    """
    done = tasks_of(settings).change(
        task, lambda heartbeat: answered(heartbeat, question_id, answer), by=_BY, why=f"answered {question_id}"
    )
    if as_json:
        question = done.heartbeat.question(question_id).model_dump(mode="json")
        write_json({"task": done.id, "version": done.version.number, "question": question})
        return
    out = console(sys.stdout)
    say(out, f"{question_id} is answered, in version {done.version.number}.")
    say(out, waiting(done))


@tasks.command("try")
@_task_argument
@with_run_options
def try_task(*, task: str, options: RunOptions, settings: Settings) -> int:
    """Carry TASK out once on a private display, with the values that were shown; tell what it could not do.

    On a terminal, what stopped it is asked at once, and the answers are written into the plan.

    Exit code: as of `vaider run`.
    """
    from server.commands.trying import tried  # noqa: PLC0415 - the other commands need nothing of it

    return tried(settings, task, options)


@tasks.command("runs")
@_task_argument
@_as_json
@with_settings
def runs(*, task: str, as_json: bool, settings: Settings) -> None:
    """List the runs of a task, the newest first, with their reports."""
    found = runs_of(tasks_of(settings).load(task).folder)
    if as_json:
        write_json({"task": task, "runs": [each.model_dump(mode="json") for each in found]})
        return
    show_runs(console(sys.stdout), task, found)


@tasks.command("history")
@_task_argument
@_as_json
@with_settings
def history(*, task: str, as_json: bool, settings: Settings) -> None:
    """List the versions of a task, the oldest first; `hand` means that the file was edited."""
    versions = tasks_of(settings).history(task)
    if as_json:
        write_json({"task": task, "versions": [each.model_dump(mode="json") for each in versions]})
        return
    show_history(console(sys.stdout), task, versions)


@tasks.command("diff")
@_task_argument
@click.argument("old", metavar="[VERSION]", type=click.IntRange(1), required=False)
@click.argument("new", metavar="[VERSION]", type=click.IntRange(1), required=False)
@_as_json
@with_settings
def diff(*, task: str, old: int | None, new: int | None, as_json: bool, settings: Settings) -> None:
    """Compare two versions of a task; one with the last, or without any the last two."""
    kept = tasks_of(settings)
    numbers = [version.number for version in kept.history(task)] or [1]
    new = new if new is not None else numbers[-1]
    old = old if old is not None else numbers[-2:][0]
    changes = kept.diff(task, old, new)
    if as_json:
        write_json({"task": task, "old": old, "new": new, "diff": changes})
        return
    out = console(sys.stdout)
    if changes:
        show_diff(out, changes)
        return
    same = f"Versions {old} and {new} are the same."
    say(out, same if len(numbers) > 1 else f"{task} has one version only: nothing has changed yet.")


@tasks.command("restore")
@_task_argument
@click.argument("number", metavar="VERSION", type=click.IntRange(1))
@_as_json
@with_settings
def restore(*, task: str, number: int, as_json: bool, settings: Settings) -> None:
    """Make a task what it was in VERSION; what it was until now stays a version too."""
    kept = tasks_of(settings)
    before = kept.history(task)
    done = kept.restore(task, number, by=_BY)
    if as_json:
        write_json(task_answer(done))
        return
    show_restored(console(sys.stdout), done, number, before)


@tasks.command("schedule")
@_task_argument
@click.argument("when", metavar="[WHEN]", required=False)
@click.option("--tz", "zone", metavar="ZONE", help="The zone that WHEN is meant in, such as Europe/Berlin.")
@click.option(
    "--missed", type=click.Choice(["skip", "once", "all"]), help="What becomes of times at which nothing could run."
)
@click.option("--display", metavar="NAME", help="private, current or :N; else private where that is possible.")
@click.option("--remove", is_flag=True, help="Take the schedule away.")
@click.option("--dry-run", is_flag=True, help="Only repeat back what is understood.")
@click.option("--log", is_flag=True, help="Tell all that was decided, not the newest alone.")
@_as_json
@with_settings
def schedule(*, task: str, as_json: bool, settings: Settings, **asked: Any) -> None:
    """Carry out a task by itself: WHEN is "every weekday at 9:00", "in 20 minutes" or a cron expression.

    Repeats back what was understood, with the next five times. Without WHEN it tells how the schedule stands.
    """
    wanted = ScheduleArguments(**asked)
    answer = schedule_task(settings, task, wanted)
    runs = daemon_runs(settings)
    if as_json:
        write_json({**answer.model_dump(mode="json"), "daemon": runs})
        return
    show_schedule(console(sys.stdout), answer, wanted, runs=runs)


@tasks.command("rm")
@_task_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@_as_json
@with_settings
def remove(*, task: str, yes: bool, as_json: bool, settings: Settings) -> None:
    """Delete a task with its versions, recordings and runs."""
    kept = tasks_of(settings)
    versions = len(kept.history(task))
    if not yes:
        confirm_removal(task, versions)
    kept.remove(task)
    if as_json:
        write_json({"task": task, "removed": True})
        return
    say(console(sys.stdout), f"{task} is deleted.")
