"""``vaider tasks try``: a task is carried out once where it disturbs nobody, and what stopped it is asked at once."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from core.runs.run import Run, RunOutcome
from core.tasks.agreements import is_naming
from core.tasks.parameters import given_by_name, parametrised
from core.tasks.ports import find_task
from server.cli_output.analysis import console
from server.cli_output.run import ask_for
from server.cli_output.task import ask_each, quoted, say
from server.commands.running import RunOptions, follow, report_run
from server.presenters import tasks_of

if TYPE_CHECKING:
    from config.settings import Settings


def tried(settings: Settings, task: str, options: RunOptions) -> int:
    """Carry it out, tell what it could not do, and ask for that on a terminal; returns the exit code of a run."""
    tasks = tasks_of(settings)
    found = find_task(tasks, task)
    parameters = parametrised(found.heartbeat).parameters
    given = given_by_name(parameters, options.given)
    if options.asks:
        given = ask_for([each for each in parameters if each.example is None], given)
    own = replace(options, display=options.display or "private")
    asked = own.request(settings, given, task=found.id).model_copy(update={"trial": True})
    followed = follow(settings, lambda engine: ("replay", engine.admit(asked)), own)
    code = report_run(followed, own)
    run = Run.model_validate(followed.job.result)
    if options.as_json:
        return code
    out, name = console(sys.stdout), quoted(found.id)
    if run.outcome is RunOutcome.SUCCEEDED:
        say(out, f"It can be carried out: vaider run {name}")
        names = [each for each in run.open_questions if is_naming(each.text)]
        if options.asks and names:
            ask_each(out, tasks, found.id, names)
    elif options.asks and run.asked and ask_each(out, tasks, found.id, run.asked):
        say(out, f"The plan has your answers: vaider tasks try {name}")
    return code
