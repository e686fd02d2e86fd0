"""``vaider analyse``: what happened in videos, and whether it was right."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.analysis import AnalysisRequest
from server.asking import Outcome, ask
from server.commands.options import with_settings
from server.engine import open_engine
from server.terminal import Bars, console, plain, show_analysis, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from config.settings import Settings
    from core.jobs import JobEvent


@click.command()
@click.argument("videos", nargs=-1, metavar="[VIDEO]...", type=click.Path(path_type=Path))
@click.option("--expect", "expectations", multiple=True, metavar="TEXT", help="What should be seen; may be repeated.")
@click.option("--provider", metavar="NAME", help="Who watches: auto, local, gemini or vision.")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON, one line a video.")
@click.option("--open", "opens", is_flag=True, help="Open the timeline when done.")
@click.option("--no-cache", is_flag=True, help="Ask again, even if the same was answered before.")
@click.option("--timeout", "seconds", type=click.FloatRange(min=1), metavar="S", help="Stop after so many seconds.")
@with_settings
def analyse(
    *,
    videos: Sequence[Path],
    expectations: Sequence[str],
    provider: str | None,
    as_json: bool,
    opens: bool,
    no_cache: bool,
    seconds: float | None,
    settings: Settings,
) -> int:
    """Say what happened in VIDEOs, and whether it was as expected.

    Exit code: 0 as expected, 1 not as expected or not clear, 2 bad input, 3 a provider or the daemon failed,
    130 cancelled.
    """
    requests = [
        AnalysisRequest(
            video_path=str(video.absolute()),
            expectations=tuple(expectations),
            provider=provider or settings.provider,
            use_cache=not no_cache,
        )
        for video in videos
    ]
    outcomes = asyncio.run(_ask_all(settings, requests, seconds))
    for outcome in outcomes:
        _show(outcome, as_json=as_json)
    if opens:
        _open(outcomes)
    return max((outcome.exit_code for outcome in outcomes), default=0)


async def _ask_all(settings: Settings, requests: Sequence[AnalysisRequest], seconds: float | None) -> list[Outcome]:
    with Bars(sys.stderr) as bars:
        for request in requests:
            bars.add(request.video_path, Path(request.video_path).name)
        async with open_engine(settings) as engine, asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(ask(engine, request, seconds=seconds, tell=_teller(bars, request)))
                for request in requests
            ]
    return [task.result() for task in tasks]


def _teller(bars: Bars, request: AnalysisRequest) -> Callable[[JobEvent], None]:
    return lambda event: bars.tell(request.video_path, event)


def _show(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        write_json(outcome.to_json())
    elif outcome.analysis is not None:
        show_analysis(console(sys.stdout), outcome.analysis)
    elif outcome.error is not None:
        click.echo(plain(f"{outcome.video_path}: {outcome.error.message}"), err=True)


def _open(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.analysis is not None:
            folder = Path(outcome.analysis.interactions_dir)
            timeline = folder / "timeline.md"
            click.launch(str(timeline if timeline.exists() else folder))
