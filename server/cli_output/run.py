"""What people see of a run in a terminal: where it is, what it asks, and how it ended."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final, Self, TextIO

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from core.headlines import of_run
from core.jobs import EMITTING, RUNNING, JobEvent, Stage, fraction, sentence
from server.cli_output.analysis import console, lines, plain, show_headline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

    from core.runs.run import Check, ReplaySummary, Run
    from core.workflows.workflow import Parameter
    from server.client.engine import Engine

_COLOURS: Final = {"pass": "green", "fail": "bold red", "unclear": "yellow"}
_PRINTED: Final = frozenset({Stage.SUBTASK_STARTED, Stage.EXEC_ERROR, Stage.TAKEN_OVER, Stage.RESUMED})


class RunBar:
    """A bar on a terminal, and a line for each subtask; in a pipe only the lines.

    Args:
        stream: usually stderr.
        quiet: show nothing but the bar.

    """

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._out = console(stream)
        self._progress = Progress(
            TextColumn("{task.fields[words]}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            console=self._out,
            transient=True,
            disable=not stream.isatty(),
        )
        self._bar = self._progress.add_task("", total=1.0, words="starting")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show_event(self, event: JobEvent) -> None:
        """Move on; the bar never goes back."""
        reached = max(self._progress.tasks[0].completed, fraction(event))
        words = plain(sentence(event))
        self._progress.update(self._bar, completed=reached, words=words[:70])
        if event.stage in _PRINTED and not self._quiet:
            self._progress.console.print(Text(words), soft_wrap=True)

    def pause(self) -> None:
        """Leave the terminal to a question."""
        self._progress.stop()

    def resume(self) -> None:
        """Take it back."""
        self._progress.start()


class Questions:
    """Follows a run, and asks its questions at this terminal; without a terminal they stay unanswered here."""

    def __init__(self, engine: Engine, bar: RunBar) -> None:
        self._engine = engine
        self._bar = bar
        self._asking: set[asyncio.Task[None]] = set()

    def show_event(self, event: JobEvent) -> None:
        """Show an event, or ask."""
        if event.stage in {*RUNNING, *EMITTING, Stage.QUEUED, Stage.REPLAY_FINISHED}:
            self._bar.show_event(event)
        if event.stage is Stage.APPROVAL_ASKED and sys.stdin.isatty():
            task = asyncio.ensure_future(self._ask(event))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)

    async def close(self) -> None:
        """Drop the unanswered questions."""
        for task in tuple(self._asking):
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def _ask(self, event: JobEvent) -> None:
        question = plain(str(event.data["question"]))
        self._bar.pause()
        try:
            agreed = await asyncio.to_thread(click.confirm, question, default=False, err=True)
        finally:
            self._bar.resume()
        await self._engine.answer(event.job_id, str(event.data["approval_id"]), agreed)


def ask_for(parameters: Iterable[Parameter], given: Mapping[str, str]) -> dict[str, str]:
    """The given values, and those of the other parameters as a person types them; blank = the default."""
    values = dict(given)
    for parameter in parameters:
        if parameter.name in values:
            continue
        default = parameter.example if parameter.example is not None else ("" if parameter.optional else None)
        about = f" ({plain(parameter.description)})" if parameter.description else ""
        answer: str = click.prompt(
            f"{parameter.name}{about}",
            default=default,
            hide_input=parameter.sensitive,
            show_default=not parameter.sensitive and bool(default),
            err=True,
        )
        if answer != default:
            values[parameter.name] = answer
    return values


def show_run(out: Console, run: Run) -> None:
    """The outcome, the subtasks with what was seen of them, and where to read more."""
    line = of_run(run.model_dump(mode="json"))
    show_headline(out, line)
    if run.caution:
        lines(out, (" ", Text(plain(run.caution), style="yellow")))
    spent = f"{run.duration_ms / 1000:.1f} s, {run.spent.steps} actions by {run.provider} {run.model}"
    spent = f"{line.label}  {run.task_name}, {spent}"
    lines(out, (" ", Text(plain(spent), style="dim")))
    if run.reload is not None:
        _show_reload(out, run.reload)
    out.print()
    for subtask in run.subtasks:
        out.print(Text(plain(f"{subtask.index + 1}. {subtask.text}")), soft_wrap=True)
        _show_check(out, subtask.check)
    if run.success_check is not None:
        out.print(Text(plain(run.success_check.expected)), soft_wrap=True)
        _show_check(out, run.success_check)
    for effect in run.effects:
        out.print(Text(plain(effect.expected)), soft_wrap=True)
        _show_check(out, effect)
    for name, value in run.extracts.items():
        out.print(Text(plain(f"{name} = {value}")), soft_wrap=True)
    for question in run.asked:
        out.print(Text.assemble(("asks ", "yellow"), plain(f"{question.text} ({question.id})")), soft_wrap=True)
    if run.asked:
        answer = f'answer with: vaider tasks answer {run.task} {run.asked[0].id} "…"'
        out.print(Text(plain(answer), style="dim"), soft_wrap=True)
    out.print()
    if run.spent.model_calls:
        money = f", {run.spent.usd:.2f} USD" if run.spent.usd is not None else ""
        tokens = f"{run.spent.input_tokens} + {run.spent.output_tokens} tokens"
        out.print(Text(f"{run.spent.model_calls} model calls, {tokens}{money}", style="dim"))
    out.print(Text(plain(f"report: {run.directory}/report.html"), style="dim"), soft_wrap=True)


def _show_reload(out: Console, account: ReplaySummary) -> None:
    text = f"replayed {account.replayed} of {account.actions} actions of {account.cache_id}"
    text += f", {account.skipped} left out" if account.skipped else ""
    if account.stopped_at is not None:
        text += f"; stopped at {account.stopped_at}: {account.reason}"
    out.print(Text(plain(text), style="yellow" if account.stopped_at is not None else "dim"), soft_wrap=True)


def _show_check(out: Console, check: Check | None) -> None:
    if check is not None:
        out.print(
            Text.assemble("   ", (check.verdict, _COLOURS[check.verdict]), plain(f"  {check.evidence}")),
            soft_wrap=True,
        )
