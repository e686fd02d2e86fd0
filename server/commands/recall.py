"""``vaider recall``: how something was done, and the clip of it."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.text import Text

from core.errors import InvalidPath
from core.memory import DEFAULT_LIMIT, DEFAULT_RECENCY_BIAS, MOST_RESULTS, RecallAnswer, RecallRequest
from server.cli_output.analysis import console, plain, write_json
from server.cli_output.task import say
from server.commands.options import with_settings
from server.composition.memory import Memory
from server.times import ago

if TYPE_CHECKING:
    from rich.console import Console

    from config.settings import Settings

_NOTHING: Final = 1
_SURE: Final = 0.8
_DIGITS: Final = 9
"""So many results have a key of their own."""


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@click.option(
    "--limit", type=click.IntRange(1, MOST_RESULTS), default=DEFAULT_LIMIT, show_default=True, help="At most so many."
)
@click.option(
    "--recency-bias",
    type=click.FloatRange(0, 1),
    default=DEFAULT_RECENCY_BIAS,
    show_default=True,
    help="0: only how well it fits; 1: of what fits, the newest first.",
)
@click.option("--clip", type=click.Path(path_type=Path), metavar="FILE", help="Keep the first result's clip there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as GET /memory does.")
@with_settings
def recall(
    *, query: tuple[str, ...], limit: int, recency_bias: float, clip: Path | None, as_json: bool, settings: Settings
) -> int:
    """Recall how something was done: QUERY in plain words, such as: how did I add an SSH key.

    Programs (in Figma), times (yesterday afternoon) and "quoted text" narrow it down. On a terminal, a result's number
    plays its clip. Works with and without a daemon.

    Exit code: 0 found, 1 nothing found, 2 bad input.
    """
    if clip is not None and clip.exists():
        raise InvalidPath(f"{clip} is there already: give another name, or move it away.")
    with closing(Memory(settings)) as memory:
        answer = memory.recall(RecallRequest(query=" ".join(query), limit=limit, recency_bias=recency_bias))
        if clip is not None and answer.results:
            memory.clips.cut(answer.results[0].id, clip)
        if as_json:
            write_json(answer.model_dump(mode="json"))
        else:
            out = console(sys.stdout)
            _show(out, answer)
            if clip is not None and answer.results:
                say(out, f"The clip is in {clip}.")
            elif answer.results and sys.stdin.isatty() and sys.stdout.isatty():
                _play(out, memory, answer)
    return 0 if answer.results else _NOTHING


def _show(out: Console, answer: RecallAnswer) -> None:
    if answer.message:
        say(out, answer.message, "yellow")
    for number, one in enumerate(answer.results, 1):
        if number > 1:
            say(out, "")
        sure = f"{one.confidence:.0%} sure"
        when = f"{one.timestamp.astimezone():%a %d %b %Y, %H:%M} ({ago(one.timestamp)}), {one.duration_seconds:.0f} s"
        head = Text.assemble((f"{number}. ", "bold"), (plain(one.summary), "bold"))
        out.print(head, soft_wrap=True)
        reported = Text.assemble(f"   {when}, ", (sure, "green" if one.confidence >= _SURE else "yellow"))
        if one.inferred:
            reported.append(", told from the screen alone", "dim")
        out.print(reported, soft_wrap=True)
        for place, step in enumerate(one.steps, 1):
            out.print(Text(f"   {place:2}. {plain(step)}"), soft_wrap=True)
        clip = one.video_url or "its recording is gone; the steps are all there is"
        out.print(Text(f"   {plain(clip)}  {one.id}", style="dim"), soft_wrap=True)


def _play(out: Console, memory: Memory, answer: RecallAnswer) -> None:
    """Play clips by their numbers until another key is pressed; no copy of one stays."""
    with_clip = {str(at): one for at, one in enumerate(answer.results[:_DIGITS], 1) if one.video_url is not None}
    while with_clip:
        say(out, f"\nPress {', '.join(with_clip)} to play a clip, any other key to leave.", "dim")
        chosen = with_clip.get(click.getchar())
        if chosen is None:
            return
        with memory.clip(chosen.id) as path:
            failed = click.launch(str(path))
            if failed:
                say(out, "No player opens it here; --clip FILE keeps it as a file.", "yellow")
                continue
            say(out, "Press a key when you have seen it: the clip is removed then.", "dim")
            click.getchar()
