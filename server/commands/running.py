"""What the commands that carry something out share: their options, the run with its bar, and the exit code."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from core.errors import InvalidPath, InvalidRequest, TimedOut
from core.runs.run import Run, RunOutcome, RunRequest, read_form
from server.cli_output.analysis import console, write_json
from server.cli_output.opening import show
from server.cli_output.run import Questions, RunBar, show_run
from server.client.engine import Engine, open_engine
from server.client.job_following import submit, until_final
from server.client.jobs import error_from
from server.commands.options import with_settings, write_file
from storage.runs import report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from config.settings import Settings
    from core.jobs import Job
    from core.values import Value

ReturnT = TypeVar("ReturnT")


@dataclass(frozen=True)
class RunOptions:
    """What a command was given."""

    given: dict[str, str]
    """The values of parameters."""
    provider: str | None
    model: str | None
    display: str | None
    size: str | None
    on_takeover: str | None
    seconds: float | None
    as_json: bool
    opens: bool
    page: Path | None

    @property
    def asks(self) -> bool:
        """Whether a person sits there who can be asked."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def request(self, settings: Settings, given: dict[str, str], **named: str) -> RunRequest:
        """The request: ``named`` says what is to be carried out."""
        return RunRequest.model_validate(
            {
                **named,
                "params": given,
                "provider": self.provider or settings.replay_provider,
                "model": self.model,
                "display": self.display or settings.display,
                "size": self.size or settings.display_size,
                "on_takeover": self.on_takeover or settings.replay_on_takeover,
            }
        )


class Followed(NamedTuple):
    """A job at its end, and the address of the daemon that has it, if one does."""

    job: Job
    daemon: str | None


def with_run_options(command: Callable[..., ReturnT]) -> Callable[..., ReturnT]:
    """Give a command the options of a run; it receives them as ``options``, beside ``settings``."""

    @click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
    @click.option(
        "--params", "params_file", metavar="FILE", help="Values from a file: JSON, or a line NAME=VALUE each."
    )
    @click.option("--provider", metavar="NAME", help="Who decides: local, anthropic, openai, gemini or tagged.")
    @click.option("--model", metavar="NAME", help="Another model than the provider's setting names.")
    @click.option("--display", metavar="DISPLAY", help="current, private, or an X display such as :1.")
    @click.option("--size", metavar="WxH", help="Of a private display, e.g. 1920x1080.")
    @click.option(
        "--on-takeover", type=click.Choice(["cancel", "pause"]), help="When you take the mouse or the keyboard."
    )
    @click.option("--timeout", "seconds", type=click.FloatRange(min=1), metavar="S", help="Stop after so many seconds.")
    @click.option("--json", "as_json", is_flag=True, help="Print the run as JSON, as the job's result has it.")
    @click.option("--open", "opens", is_flag=True, help="Open its page when done; without a daemon the report.")
    @click.option(
        "--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Write the report as one HTML file."
    )
    @with_settings
    @functools.wraps(command)
    def wrapper(*, values: Sequence[str], params_file: str | None, settings: Settings, **options: Any) -> ReturnT:
        names = RunOptions.__dataclass_fields__.keys() - {"given"}
        kept = {name: options.pop(name) for name in names}
        return command(settings=settings, options=RunOptions(given=_given(values, params_file), **kept), **options)

    return wrapper


def carry_out(settings: Settings, request: RunRequest, options: RunOptions) -> int:
    """Run it in the daemon, or here, and tell how it ended; returns the exit code."""
    return report_run(follow(settings, lambda engine: ("replay", engine.admit(request)), options), options)


def follow(settings: Settings, begin: Callable[[Engine], tuple[str, Value]], options: RunOptions) -> Followed:
    """Submit a job to the daemon, or here, and follow it to its end; ``begin`` tells its kind and admitted request.

    Raises ``VaiderError`` when it failed, was stopped or took too long.
    """
    followed = asyncio.run(_followed(settings, begin, options.seconds, quiet=options.as_json))
    if followed.job.result is None:
        raise error_from(followed.job.error or {})
    return followed


def report_run(followed: Followed, options: RunOptions) -> int:
    """Tell how a run ended; returns the exit code."""
    run = Run.model_validate(followed.job.result)
    if options.as_json:
        write_json(run.model_dump(mode="json"))
    else:
        show_run(console(sys.stdout), run)
    if options.opens:
        page = followed.daemon and f"{followed.daemon}/ui/runs/{followed.job.id}"
        show(page or str(Path(run.directory) / "report.html"))
    if options.page is not None and (page := report(Path(run.directory))) is not None:
        write_file(options.page, page)
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


async def _followed(
    settings: Settings, begin: Callable[[Engine], tuple[str, Value]], seconds: float | None, *, quiet: bool
) -> Followed:
    """What it tells goes to stderr."""
    with RunBar(sys.stderr, quiet=quiet) as bar:
        async with open_engine(settings) as engine:
            kind, admitted = await asyncio.to_thread(begin, engine)
            job = await submit(engine.jobs, kind, admitted)
            questions = Questions(engine, bar)
            try:
                job = await until_final(engine.jobs, job, questions.show_event, seconds=seconds)
                return Followed(job, engine.daemon)
            except TimeoutError:
                raise TimedOut(f"The run took longer than {seconds:g} s and was stopped; raise --timeout.") from None
            finally:
                await questions.close()
