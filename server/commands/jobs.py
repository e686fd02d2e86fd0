"""``vaider jobs``: what the daemon is doing and has done."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from core.analysis import Analysis
from core.errors import Conflict
from core.headlines import why
from core.job_briefs import brief_of
from core.jobs import Job, JobState, sentence
from core.runs.run import Run
from server.cli_output.analysis import MOODS, console, plain, show_analysis, show_headline, table, write_json
from server.cli_output.run import show_run
from server.client.address import address
from server.client.jobs import RemoteJobs, health
from server.commands.options import with_server, with_settings, write_file
from server.times import ago

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from config.settings import Settings
    from server.client.address import Address


_WIDE: Final = 100
"""Columns of a terminal from which on a reason stands whole in a list."""
_SHORT: Final = 60


@click.group()
def jobs() -> None:
    """List, show, hold and cancel jobs, and answer what they ask."""


@jobs.command("list")
@click.option("--state", type=click.Choice([state.value for state in JobState]), help="Only jobs in this state.")
@click.option("--label", metavar="TEXT", help="Only what was submitted under this label.")
@click.option("--submitter", metavar="NAME", help="Only what the token NAME submitted.")
@click.option("--limit", type=click.IntRange(1, 500), default=20, show_default=True, help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /jobs does.")
@with_server
@with_settings
def list_jobs(
    *,
    state: str | None,
    label: str | None,
    submitter: str | None,
    limit: int,
    as_json: bool,
    server: Address | None,
    settings: Settings,
) -> None:
    """List jobs, newest first."""
    wanted = JobState(state) if state else None
    found: Sequence[Job] = _with_jobs(
        settings, lambda jobs: jobs.submitted(submitter, label, state=wanted, limit=limit), server
    )
    if as_json:
        write_json({"jobs": [job.model_dump(mode="json") for job in found]})
        return
    rows = table("job", "when", "about", "outcome")
    rows.columns[0].no_wrap = rows.columns[1].no_wrap = True
    out = console(sys.stdout)
    for job in found:
        stands = _stands(job)
        if out.width < _WIDE:
            # In a narrow column a whole reason is a dozen lines; `jobs show` tells it.
            stands.truncate(_SHORT, overflow="ellipsis")
        rows.add_row(Text(job.id), Text(ago(job.created_at)), Text(plain(brief_of(job).title)), stands)
    out.print(rows)


@jobs.command("show")
@click.argument("job_id", metavar="JOB")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /jobs/JOB does.")
@with_server
@with_settings
def show_job(*, job_id: str, as_json: bool, server: Address | None, settings: Settings) -> None:
    """Show a job's state, and its answer when it is done."""
    _show(_with_jobs(settings, lambda jobs: jobs.get(job_id), server), as_json=as_json)


@jobs.command("share")
@click.argument("job_id", metavar="JOB")
@click.argument("file", type=click.Path(path_type=Path))
@with_server
@with_settings
def share_job(*, job_id: str, file: Path, server: Address | None, settings: Settings) -> None:
    """Write an analysis, a comparison or a run as one HTML FILE, with its pictures in it and nothing from elsewhere."""
    write_file(file, _with_jobs(settings, lambda jobs: jobs.share(job_id), server))


@jobs.command("cancel")
@click.argument("job_id", metavar="JOB")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as DELETE /jobs/JOB does.")
@with_server
@with_settings
def cancel_job(*, job_id: str, as_json: bool, server: Address | None, settings: Settings) -> None:
    """Ask a job to stop."""
    _show(_with_jobs(settings, lambda jobs: jobs.cancel(job_id), server), as_json=as_json)


@jobs.command("pin")
@click.argument("job_id", metavar="JOB")
@click.option("--off", is_flag=True, help="Let it go again as the settings say.")
@with_server
@with_settings
def pin_job(*, job_id: str, off: bool, server: Address | None, settings: Settings) -> None:
    """Keep an analysis, whatever its age."""
    _with_jobs(settings, lambda jobs: jobs.pin(job_id, pinned=not off), server)


@jobs.command("leaving")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /retention does.")
@with_server
@with_settings
def leaving_jobs(*, as_json: bool, server: Address | None, settings: Settings) -> None:
    """List the analyses that go, and when; `vaider jobs pin JOB` keeps one."""
    found = _with_jobs(settings, lambda jobs: jobs.leaving(), server)
    if as_json:
        write_json(found)
        return
    days, size = found["keep_days"], found["keep_bytes"]
    limits = [*([f"{days:g} days"] if days else []), *([f"{size:,} bytes together"] if size else [])]
    click.echo(f"Analyses of uploads are kept for {', '.join(limits) or 'ever'}.")
    if found["leaving"]:
        rows = table("job", "about", "goes")
        for each in found["leaving"]:
            rows.add_row(*(Text(plain(str(each[name]))) for name in ("job_id", "title", "leaves_at")))
        console(sys.stdout).print(rows)


@jobs.command("hold")
@click.argument("job_id", metavar="JOB")
@click.option("--json", "as_json", is_flag=True, help="Print the job as JSON.")
@with_settings
def hold_job(*, job_id: str, as_json: bool, settings: Settings) -> None:
    """Have a run let go of its display, and wait until you resume it."""
    _show(_with_jobs(settings, lambda jobs: jobs.hold(job_id)), as_json=as_json)


@jobs.command("resume")
@click.argument("job_id", metavar="JOB")
@click.option("--json", "as_json", is_flag=True, help="Print the job as JSON.")
@with_settings
def resume_job(*, job_id: str, as_json: bool, settings: Settings) -> None:
    """Let a run go on that is held; it looks at its display afresh."""
    _show(_with_jobs(settings, lambda jobs: jobs.resume(job_id)), as_json=as_json)


@jobs.command("answer")
@click.argument("job_id", metavar="JOB")
@click.argument("approval_id", metavar="QUESTION")
@click.argument("answer", type=click.Choice(["yes", "no"]))
@click.option("--json", "as_json", is_flag=True, help="Print the job as JSON.")
@with_settings
def answer_job(*, job_id: str, approval_id: str, answer: str, as_json: bool, settings: Settings) -> None:
    """Allow a run what it asks, or forbid it: QUESTION is the approval_id of the event that asks."""

    async def pass_on(remote: RemoteJobs) -> Job:
        await remote.answer(job_id, approval_id, agree=answer == "yes")
        return await remote.get(job_id)

    _show(_with_jobs(settings, pass_on), as_json=as_json)


def _stands(job: Job) -> Text:
    """How it ended, and why if that is not well; or what it does just now."""
    if job.headline is None:
        return Text(plain(sentence(job.progress) if job.progress else job.state))
    outcome = Text(job.headline.label, style=MOODS[job.headline.mood])
    if job.headline.mood in {"bad", "warn"}:
        outcome.append(plain(f"  {why(job.headline)}"), "dim")
    return outcome


def _with_jobs(
    settings: Settings, question: Callable[[RemoteJobs], Awaitable[Any]], server: Address | None = None
) -> Any:
    async def put() -> Any:
        where = server or address(settings)
        if server is not None:
            from server.client.remote import found_server  # noqa: PLC0415 - only for who names one

            await asyncio.to_thread(found_server, server)
        elif await asyncio.to_thread(health, where) is None:
            raise Conflict(f"No daemon answers at {where.url}, and jobs live there; start it with `vaider serve`.")
        async with RemoteJobs(where) as remote:
            return await question(remote)

    return asyncio.run(put())


def _show(job: Job, *, as_json: bool) -> None:
    if as_json:
        write_json(job.model_dump(mode="json"))
        return
    out = console(sys.stdout)
    out.print(
        Text(f"{job.id}  {job.headline.label if job.headline else job.state}, {ago(job.created_at)}", style="dim")
    )
    if job.result is not None and job.kind == "analysis":
        show_analysis(out, Analysis.model_validate(job.result))
    elif job.result is not None and job.kind == "replay":
        show_run(out, Run.model_validate(job.result))
    elif job.headline is not None:
        show_headline(out, job.headline)
    elif job.progress is not None:
        out.print(Text(plain(sentence(job.progress))), soft_wrap=True)
