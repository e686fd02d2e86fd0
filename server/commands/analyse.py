"""``vaider analyse``: what happened in videos, and whether it was right."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adapters.keys import Keys
from adapters.video.contact_sheet import contact_sheet
from core.analysis import AnalysisRequest
from core.artefacts import RESULTS, artefacts_in, newest_in, title_of
from core.errors import InvalidRequest
from core.provider_choice import AUTO
from core.rules import Rules, find_rules, matching_videos, read_rules
from server.cli_output.analysis import Bars, console, plain, show_analysis, write_json
from server.cli_output.opening import show
from server.client.engine import Engine, open_engine
from server.client.job_following import Outcome, ask, ask_by_rules
from server.commands.ci import Ci, with_ci
from server.commands.options import with_server, with_settings, write_file
from server.media.sharing import shared_analysis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from config.settings import Settings
    from core.analysis import Analysis
    from core.jobs import JobEvent
    from server.client.address import Address


@dataclass(frozen=True)
class _Task:
    """What this command was asked for."""

    requests: Sequence[AnalysisRequest]
    rules: Rules | None
    seconds: float | None
    server: Address | None
    label: str


@click.command()
@click.argument("videos", nargs=-1, metavar="[VIDEO]...", type=click.Path(path_type=Path))
@click.option(
    "--expect",
    "expectations",
    multiple=True,
    metavar="TEXT",
    help="What should be seen; may be repeated. Else the lines of VIDEO.expect.txt, if there is one.",
)
@click.option("--provider", metavar="NAME", help="Who watches: auto, local, gemini or vision.")
@click.option("--json", "as_json", is_flag=True, help="Print the HTTP answer as JSON, one line for each video.")
@click.option("--open", "opens", is_flag=True, help="Open its page when done.")
@click.option(
    "--contact-sheet",
    "sheet",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the timeline as one picture, a JPEG; of several VIDEOs FILE-1, FILE-2 …",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write it as one HTML file with its pictures, to hand on; of several VIDEOs FILE-1, FILE-2 …",
)
@click.option("--no-cache", is_flag=True, help="Ask again, even if the same was answered before.")
@click.option("--timeout", "seconds", type=click.FloatRange(min=1), metavar="S", help="Stop after so many seconds.")
@click.option(
    "--rules", "rules_file", type=click.Path(path_type=Path), metavar="FILE", help="Another VaiderRules.json."
)
@click.option(
    "--label", envvar="VAIDER_LABEL", default="", metavar="TEXT", help="Under which the daemon lists it, e.g. pr-123."
)
@with_server
@with_ci
@with_settings
def analyse(
    *,
    videos: Sequence[Path],
    expectations: Sequence[str],
    provider: str | None,
    as_json: bool,
    opens: bool,
    sheet: Path | None,
    page: Path | None,
    no_cache: bool,
    seconds: float | None,
    rules_file: Path | None,
    label: str,
    server: Address | None,
    ci: Ci,
    settings: Settings,
) -> int:
    """Say what happened in VIDEOs, and whether it was as expected.

    A VIDEO may be a Playwright trace.zip, or a folder, e.g. test-results: then each video in it, with its trace, and of
    a test that was tried again the last attempt, the browsers together.

    With --server a team's server watches: the videos are sent there, and the pictures fetched from there.

    Without VIDEO, VaiderRules.json of the working directory says which: newest first, and asked again after a
    mismatch if it says so. Without that file, what the last test run left last.

    Exit code: 0 as expected, 1 not as expected or not clear (see --fail-on), 2 bad input, 3 a provider or the daemon
    failed, 130 cancelled.
    """
    rules, named = _by_rules(_in_folders(videos), rules_file)
    if rules is not None and not rules.enabled:
        click.echo('The rules say "enabled": false; no video is watched.', err=True)
        return 0
    requests = [
        AnalysisRequest(
            video_path=str(video.absolute()),
            expectations=tuple(expectations),
            provider=provider or settings.provider,
            use_cache=not no_cache,
        )
        for video in named
    ]
    limit = seconds or (rules.analysis_timeout_seconds if rules else None)
    outcomes, daemon = asyncio.run(_ask_all(settings, _Task(requests, rules, limit, server, label)))
    with ci.shown():
        for outcome in outcomes:
            if len(outcomes) > 1 and not as_json:
                click.echo(click.style(plain(f"{title_of(Path(outcome.video_path))}:"), bold=True))
            _show(outcome, as_json=as_json)
    if sheet is not None:
        _write(outcomes, sheet, lambda seen: contact_sheet(seen, Path(seen.interactions_dir)))
    pages = _write(outcomes, page, shared_analysis) if page is not None else {}
    ci.leave(outcomes, pages)
    if opens:
        _open(outcomes, daemon)
    return ci.exit_code(outcomes)


def _in_folders(named: Sequence[Path]) -> Sequence[Path]:
    """The videos that are named, and those in the folders that are; says which attempts are left out."""
    found: list[Path] = []
    for path in named:
        if not path.is_dir():
            found.append(path)
            continue
        inside = artefacts_in(path)
        found += inside.files
        if inside.earlier:
            click.echo(f"{path}: earlier attempts of the same tests are not watched ({inside.earlier}).", err=True)
    return found


def _by_rules(videos: Sequence[Path], rules_file: Path | None) -> tuple[Rules | None, Sequence[Path]]:
    """The rules, if any are to be followed, and the videos: the named ones, or else those that the rules speak of."""
    if videos and rules_file is None:
        return None, videos
    path = rules_file or find_rules(Path.cwd())
    if path is None:
        newest = newest_in(Path.cwd())
        if newest is None:
            raise InvalidRequest(
                f"Name a video, or call it where a test run left one ({', '.join(RESULTS)}), or let `vaider init` "
                "write a VaiderRules.json that says which to watch."
            )
        return None, [newest]
    rules = read_rules(path)
    if videos or not rules.enabled:
        return rules, videos
    root = path.absolute().parent
    found = matching_videos(rules, root)
    if not found:
        raise InvalidRequest(f"No video below {root} fits the pattern {rules.video_trigger_pattern!r} of {path.name}.")
    return rules, found


async def _ask_all(settings: Settings, task: _Task) -> tuple[list[Outcome], str | None]:
    """What came of each, and the daemon's address if it has watched them."""
    with Bars(sys.stderr) as bars:
        for request in task.requests:
            bars.add(request.video_path, Path(request.video_path).name)
        opened = open_engine(settings, server=task.server, label=task.label)
        async with opened as engine, asyncio.TaskGroup() as group:
            if task.server is None:
                _report_unused_keys(engine, task.requests)
            asked = [group.create_task(_ask(engine, request, task, bars)) for request in task.requests]
    return [one.result() for one in asked], engine.daemon


def _report_unused_keys(engine: Engine, requests: Sequence[AnalysisRequest]) -> None:
    """A key of this shell is not sent to a daemon that lacks it: else "set the key" would be said to who has set it."""
    if engine.daemon is None:
        return
    wanted = {request.provider for request in requests}
    for key in Keys(os.environ, ring=lambda: None).status():
        if key.source is not None and engine.providers.get(key.name) and wanted & {AUTO, key.name}:
            click.echo(
                f"{key.source} of this shell is not used: the daemon at {engine.daemon} runs without it. "
                f"Start the daemon anew with it, or keep the key: vaider keys set {key.name}",
                err=True,
            )


async def _ask(engine: Engine, request: AnalysisRequest, task: _Task, bars: Bars) -> Outcome:
    on_report: Callable[[JobEvent], None] = lambda event: bars.show_event(request.video_path, event)  # noqa: E731 - typed by its name
    if task.rules is None:
        return await ask(engine, request, seconds=task.seconds, report=on_report)
    return await ask_by_rules(engine, request, task.rules, seconds=task.seconds, notify=on_report)


def _show(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        write_json(outcome.to_json())
    elif outcome.analysis is not None:
        show_analysis(console(sys.stdout), outcome.analysis)
    elif outcome.error is not None:
        click.echo(plain(f"Error: {outcome.video_path}: {outcome.error.message}"), err=True)
    if outcome.note is not None:
        click.echo(plain(outcome.note), err=True)


def _write(outcomes: Sequence[Outcome], file: Path, made: Callable[[Analysis], bytes]) -> dict[str, Path]:
    """The file of each video by its path: the one that was named, or with its place in the name."""
    files: dict[str, Path] = {}
    for place, outcome in enumerate(outcomes, 1):
        if outcome.analysis is not None:
            own = file if len(outcomes) == 1 else file.with_name(f"{file.stem}-{place}{file.suffix}")
            write_file(own, made(outcome.analysis))
            files[outcome.video_path] = own
    return files


def _open(outcomes: Sequence[Outcome], daemon: str | None) -> None:
    """The page of each in the dashboard; without a daemon as a file among its logs."""
    for outcome in outcomes:
        if outcome.analysis is not None and daemon is not None:
            show(f"{daemon}/ui/videos/{outcome.analysis.job_id}")
        elif outcome.analysis is not None:
            file = Path(outcome.analysis.interactions_dir) / "analysis.html"
            write_file(file, shared_analysis(outcome.analysis))
            show(str(file))
