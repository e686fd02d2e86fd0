"""``vaider replay``: carry out a workflow on a desktop."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from core.errors import InvalidPath, InvalidRequest, TimedOut
from core.jobs import JobState
from core.parameters import read_form
from core.runs import Run, RunOutcome, RunRequest
from server.client import error_from
from server.commands.options import with_settings
from server.engine import open_engine
from server.job_following import submit, until_final
from server.run_terminal import Questions, RunBar, ask_for, show_run
from server.terminal import console, write_json
from storage.workflows import WorkflowFolders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from config.settings import Settings


@click.command()
@click.argument("workflow", metavar="WORKFLOW")
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--params", "params_file", metavar="FILE", help="Values from a file: JSON, or a line NAME=VALUE each.")
@click.option("--provider", metavar="NAME", help="Who decides: local, anthropic, openai, gemini or tagged.")
@click.option("--model", metavar="NAME", help="Another model than the provider's setting names.")
@click.option("--display", metavar="DISPLAY", help="current, private, or an X display such as :1.")
@click.option("--size", metavar="WxH", help="Of a private display, e.g. 1920x1080.")
@click.option("--on-takeover", type=click.Choice(["cancel", "pause"]), help="When you take the mouse or the keyboard.")
@click.option("--timeout", "seconds", type=click.FloatRange(min=1), metavar="S", help="Stop after so many seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print the run as JSON, as the job's result has it.")
@click.option("--open", "opens", is_flag=True, help="Open the report when done.")
@with_settings
def replay(
    *,
    workflow: str,
    values: Sequence[str],
    params_file: str | None,
    provider: str | None,
    model: str | None,
    display: str | None,
    size: str | None,
    on_takeover: str | None,
    seconds: float | None,
    as_json: bool,
    opens: bool,
    settings: Settings,
) -> int:
    """Carry out WORKFLOW on a desktop, with these values; others have the workflow's examples.

    WORKFLOW is a name (see `vaider workflows list`) or a folder. On a terminal, missing values are asked for.

    Exit code: 0 done and seen to be done, 1 not done or not clear, 2 bad input, 3 a provider, the display or the
    daemon failed, 130 stopped.
    """
    folders = WorkflowFolders(settings.workflow_roots)
    folder = folders.find(workflow)
    given = _given(values, params_file)
    if sys.stdin.isatty() and sys.stderr.isatty():
        given = ask_for(folders.load(folder), given)
    request = RunRequest.model_validate(
        {
            "workflow": folder,
            "params": given,
            "provider": provider or settings.replay_provider,
            "model": model,
            "display": display or settings.display,
            "size": size or settings.display_size,
            "on_takeover": on_takeover or settings.replay_on_takeover,
        }
    )
    run = asyncio.run(_carry_out(settings, request, seconds, quiet=as_json))
    if as_json:
        write_json(run.model_dump(mode="json"))
    else:
        show_run(console(sys.stdout), run)
    report = Path(run.directory) / "report.html"
    if opens and report.exists():
        click.launch(str(report))
    return 0 if run.outcome is RunOutcome.SUCCEEDED else 1


def _given(values: Sequence[str], params_file: str | None) -> dict[str, str]:
    given = _from_file(Path(params_file)) if params_file else {}
    for assignment in values:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InvalidRequest(f"A value is given as NAME=VALUE; {assignment!r} has no '='.")
        given[name.strip()] = value
    return given


def _from_file(path: Path) -> dict[str, str]:
    """The values of a file: a JSON object of texts, or a form."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidPath(f"{path} cannot be read ({type(error).__name__}); name a text file with values.") from None
    if not text.lstrip().startswith("{"):
        return read_form(text)
    try:
        values: object = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidRequest(f"{path} begins like JSON, but is none.") from None
    if not isinstance(values, dict) or not all(
        isinstance(value, str) for value in cast("dict[str, object]", values).values()
    ):
        raise InvalidRequest(f"{path} must hold a JSON object whose values are texts.")
    return cast("dict[str, str]", values)


async def _carry_out(settings: Settings, request: RunRequest, seconds: float | None, *, quiet: bool) -> Run:
    """Run it in the daemon, or here; what it tells goes to stderr."""
    with RunBar(sys.stderr, quiet=quiet) as bar:
        async with open_engine(settings) as engine:
            admitted = await asyncio.to_thread(engine.admit, request)
            job = await submit(engine.jobs, "replay", admitted)
            questions = Questions(engine, bar)
            try:
                job = await until_final(engine.jobs, job, questions.tell, seconds=seconds)
            except TimeoutError:
                raise TimedOut(f"The run took longer than {seconds:g} s and was stopped; raise --timeout.") from None
            finally:
                await questions.close()
    if job.state is JobState.DONE and job.result is not None:
        return Run.model_validate(job.result)
    raise error_from(job.error or {})
