"""What people see of an analysis in a terminal: bars while it runs, then the timeline and the verdicts."""

import json
import os
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self, TextIO

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from core.analysis import Analysis, Verdict, VerdictResult
from core.headlines import Headline, Mood, of_analysis
from core.jobs import JobEvent, fraction, sentence
from core.narrative import clock
from core.traces import Why
from server.cli_output.pipes import leave_quietly

COLOURS: Final = {VerdictResult.FAIL: "bold red", VerdictResult.UNCLEAR: "yellow", VerdictResult.PASS: "green"}
"""The worst first."""
MOODS: Final[Mapping[Mood, str]] = {"good": "bold green", "warn": "yellow", "bad": "bold red", "muted": "dim"}
SIGNS: Final[Mapping[Mood, str]] = {"good": "✓", "warn": "?", "bad": "✗", "muted": "■"}
_PIPE_WIDTH: Final = 160


def console(stream: TextIO) -> Console:
    """A console that is plain in a pipe and with ``NO_COLOR``, and never reads markup out of what it shows.

    As wide as the terminal or the variable ``COLUMNS`` says; in a pipe without one, wide enough that rows stay whole.
    """
    width = None if stream.isatty() or "COLUMNS" in os.environ else _PIPE_WIDTH
    return _Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        leave_quietly()


def table(*names: str) -> Table:
    """A table whose columns fold."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        made.add_column(name, overflow="fold")
    return made


def plain(text: str) -> str:
    """The text without characters that would command the terminal: it may come from a screen or a model."""
    return "".join(_visible(letter) for letter in text)


def _visible(letter: str) -> str:
    if letter in "\n\t" or unicodedata.category(letter) not in {"Cc", "Cf", "Cs"}:
        return letter
    return "�"


def write_json(value: Mapping[str, Any]) -> None:
    """One value as one line on stdout, as the HTTP answer spells it, whatever the locale's encoding."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
    # What UTF-8 cannot hold becomes an escape, which JSON reads as the same character.
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def lines(out: Console, *rows: tuple[Text | str, Text | str]) -> None:
    """Rows of a mark and a text, which goes on below itself at the width of a terminal; in a pipe each is one line."""
    if _is_pipe(out):
        for first, second in rows:
            out.print(Text.assemble(first, " " if first else "", second), soft_wrap=True)
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row(*row)
    out.print(grid)


def prose(out: Console, text: str, style: str = "") -> None:
    """A sentence, broken between words at the width of a terminal; in a pipe it is one line."""
    out.print(Text(plain(text), style=style), soft_wrap=_is_pipe(out))


def _is_pipe(out: Console) -> bool:
    return not out.is_terminal and "COLUMNS" not in os.environ


def show_headline(out: Console, line: Headline) -> None:
    """How it ended: a sign and a sentence."""
    lines(out, (Text(SIGNS[line.mood], style=MOODS[line.mood]), Text(plain(line.text), style="bold")))


def show_analysis(out: Console, analysis: Analysis) -> None:
    """How it ended, each verdict, and the timeline."""
    video = analysis.video
    show_headline(out, of_analysis(analysis.model_dump(mode="json", include={"verdicts", "timeline", "video", "why"})))
    if len(analysis.verdicts) > 1:
        lines(out, *(_verdict_line(each) for each in sorted(analysis.verdicts, key=_worst_first)))
    if analysis.why is not None:
        _show_why(out, analysis.why, Path(analysis.interactions_dir))
    out.print()
    text = f"{video.duration_ms / 1000:.1f} s, {video.width}x{video.height}, {video.codec}"
    out.print(Text.assemble((plain(video.path), "bold"), f"  {text}"), soft_wrap=True)
    kept = "kept from before" if analysis.cached else f"in {analysis.duration_ms / 1000:.1f} s"
    judge = f"watched by {analysis.provider} {analysis.model} {kept} ({analysis.provider_reason})"
    prose(out, judge, "dim")
    out.print()
    description = analysis.description.splitlines()[1 if analysis.why is not None else 0 :]
    lines(out, *(_timeline_line(plain(line)) for line in description))
    for warning in analysis.warnings:
        prose(out, f"warning: {warning}", "yellow")
    out.print()
    out.print(Text(plain(f"log and pictures: {analysis.interactions_dir}"), style="dim"), soft_wrap=True)


def _show_why(out: Console, why: Why, folder: Path) -> None:
    """The chain of a failed test, a line for each clause with who says so, and the picture that shows it."""
    out.print(Text("why the test failed", style="bold"))
    for clause in why.clauses:
        at = "" if clause.t_ms is None else clock(clause.t_ms)
        said = Text.assemble(plain(clause.text), (plain(f"  ({clause.source})"), "dim"))
        lines(out, (Text(f"{at:>7}", style="cyan"), said))
    if why.frame is not None:
        out.print(Text(plain(f"picture: {folder / why.frame}"), style="dim"), soft_wrap=True)


def _timeline_line(line: str) -> tuple[Text, Text]:
    time, bracket, sentence = line.partition("] ")
    if not (line.startswith("[") and bracket):
        return Text(), Text(line)
    return Text(f"{time}]", style="cyan"), Text(sentence)


def _verdict_line(verdict: Verdict) -> tuple[Text, Text]:
    seen = f" ({clock(verdict.evidence[0].t_ms)})" if verdict.evidence else ""
    said = Text.assemble(plain(verdict.expectation), (plain(f"{seen}: {verdict.reason}"), "dim"))
    return Text(f"{verdict.verdict:7}", style=COLOURS[verdict.verdict]), said


def _worst_first(verdict: Verdict) -> int:
    return list(COLOURS).index(verdict.verdict)


class Bars:
    """A progress bar for each video, on a terminal only; a context manager."""

    def __init__(self, stream: TextIO) -> None:
        self._progress = Progress(
            TextColumn("{task.fields[name]}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
            TimeElapsedColumn(),
            console=console(stream),
            transient=True,
            disable=not stream.isatty(),
        )
        self._bars: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def add(self, key: str, name: str) -> None:
        """A bar for one more video."""
        self._bars[key] = self._progress.add_task("", total=1.0, name=plain(name), words="starting")

    def show_event(self, key: str, event: JobEvent) -> None:
        """Move a bar; it never goes back."""
        bar = self._bars[key]
        reached = max(self._progress.tasks[self._progress.task_ids.index(bar)].completed, fraction(event))
        self._progress.update(bar, completed=reached, words=plain(sentence(event)))
