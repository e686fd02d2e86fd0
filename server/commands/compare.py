"""``vaider compare``: what is not as in the good run."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from core.analysis import AnalysisRequest
from core.artefacts import VIDEOS
from core.comparison.sentences import lines
from core.comparison.values import CompareRequest, Comparison
from core.errors import InvalidRequest
from server.cli_output.analysis import Bars, console, plain, prose, write_json
from server.cli_output.opening import show
from server.client.engine import open_engine
from server.client.job_following import submitted, until_final
from server.client.jobs import error_from
from server.commands.options import with_settings, write_file
from server.media.comparing import shared_comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from config.settings import Settings

_SUFFIXES: Final = VIDEOS | {".gif"}


@click.command()
@click.argument("videos", nargs=-1, metavar="GOOD BAD", type=click.Path(path_type=Path))
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Compare each video, or all below a folder, with the one of the same path below DIR.",
)
@click.option(
    "--varying",
    "patterns",
    multiple=True,
    metavar="REGEX",
    help="Further values that differ from run to run, beside dates, times and ids; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one line for each pair.")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write it as one HTML file with its pictures, to hand on; of one pair.",
)
@click.option("--open", "opens", is_flag=True, help="Open that file when done; without --html it is among BAD's logs.")
@with_settings
def compare(
    *,
    videos: Sequence[Path],
    baseline: Path | None,
    patterns: Sequence[str],
    as_json: bool,
    page: Path | None,
    opens: bool,
    settings: Settings,
) -> int:
    """Say what is new, gone, changed, slower or in another order in the video BAD, beside GOOD.

    Exit code: 0 the same, but for values that differ from run to run and what is unclear; 1 something else differs;
    2 bad input; 3 a provider or the daemon failed; 130 cancelled.
    """
    pairs = _pairs(videos, baseline)
    if (page is not None or opens) and len(pairs) > 1:
        raise InvalidRequest("Such a file shows one pair; name one video with --html or --open.")
    code = 0
    for good, bad in pairs:
        found = asyncio.run(_compared(settings, (good, bad), patterns))
        if as_json:
            write_json(found.model_dump(mode="json"))
        else:
            click.echo(plain(f"{good} → {bad}") if len(pairs) > 1 else "", nl=len(pairs) > 1)
            _show(found)
        if page is not None or opens:
            file = page or Path(tempfile.mkdtemp(prefix="vaider-")) / "comparison.html"
            write_file(file, shared_comparison(found, settings))
            if opens:
                show(str(file.absolute()))
        code = max(code, 0 if found.same else 1)
    return code


def _show(found: Comparison) -> None:
    out = console(sys.stdout)
    if len(found.differences) > 1:
        prose(out, f"{len(found.differences)} differences", "bold red")
    for line in lines(found):
        prose(out, line)


def _pairs(videos: Sequence[Path], baseline: Path | None) -> Sequence[tuple[Path, Path]]:
    if baseline is None:
        if len(videos) != 2:  # noqa: PLR2004 - as it says
            raise InvalidRequest("Name two videos, the good run first; or one folder or more with --baseline DIR.")
        return [(videos[0], videos[1])]
    if not videos:
        raise InvalidRequest("Name the videos, or the folder of them, that are held against the baseline.")
    found: list[tuple[Path, Path]] = []
    for given in videos:
        each = [given]
        root = given.parent
        if given.is_dir():
            each = sorted(path for path in given.rglob("*") if path.suffix.lower() in _SUFFIXES and path.is_file())
            each = [path for path in each if not path.absolute().is_relative_to(baseline.absolute())]
            root = given
        found += [(baseline / path.relative_to(root), path) for path in each]
    if not found:
        raise InvalidRequest(f"There is no video below {videos[0]}.")
    for good, bad in found:
        if not good.is_file():
            raise InvalidRequest(f"{bad} has no good run; copy one to {good}.")
    return found


async def _compared(settings: Settings, videos: tuple[Path, Path], patterns: Sequence[str]) -> Comparison:
    """What differs. Raises ``VaiderError``."""
    good, bad = (AnalysisRequest(video_path=str(video.absolute()), provider=settings.provider) for video in videos)
    request = CompareRequest(good=good, bad=bad, varying=tuple(patterns))
    with Bars(sys.stderr) as bars:
        bars.add(bad.video_path, videos[1].name)
        async with open_engine(settings) as engine:
            job = await submitted(engine.jobs, engine.compare(request))
            job = await until_final(
                engine.jobs, job, lambda event: bars.show_event(bad.video_path, event), seconds=None
            )
    if job.result is None:
        raise error_from(job.error or {})
    return Comparison.model_validate(job.result)
