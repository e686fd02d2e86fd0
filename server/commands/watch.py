"""``vaider watch``: what a project's tests record is watched as it appears, and told in a line each."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from adapters.video.decoding.files import is_being_written
from adapters.video.process.child import keep_child
from core.analysis import AnalysisRequest
from core.arrivals import Arrivals
from core.artefacts import RESULTS, attempt_of, title_of
from core.errors import InvalidPath, InvalidVideo
from core.headlines import Headline, of_analysis
from server.cli_output.analysis import MOODS, SIGNS, console, plain, write_json
from server.client.engine import open_engine
from server.client.job_following import Outcome, ask
from server.commands.options import with_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.process.child import KeptChild
    from config.settings import Settings

_LOOKS_EVERY_SECONDS: Final = 0.5
_UNREADABLE_SECONDS: Final = 10.0
"""A file that does not open so long after its last change is not going to."""
_REPORT: Final = "playwright-report"
"""Has copies of what lies in test-results."""


@click.command()
@click.argument("directory", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option(
    "--expect",
    "expectations",
    multiple=True,
    metavar="TEXT",
    help="What each should show; may be repeated. Else the lines of VIDEO.expect.txt, if there is one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one line for each video.")
@with_settings
def watch(*, directory: Path | None, expectations: Sequence[str], as_json: bool, settings: Settings) -> int:
    """Watch the videos and traces that appear in DIR, with idle priority, and tell each outcome in a line.

    DIR is a folder of test results, and need not be there yet; without it test-results and cypress/videos of the
    working directory are meant. What is there already is left alone. A test's trace is read with its video, and of
    attempts that are there together the last one. Always offline. Ctrl-C ends it.

    Exit code, once it is ended: 0 all was as expected, 1 something was not or was not clear, or a test failed, 2 bad
    input, 3 the daemon failed.
    """
    roots = [directory.absolute()] if directory else [Path.cwd() / name for name in RESULTS if name != _REPORT]
    _check(directory)
    _become_idle()
    with contextlib.closing(keep_child()) as kept:
        watching = _Watching(settings, tuple(expectations), kept, as_json=as_json)
        where = plain(str(directory)) if directory else " and ".join(name for name in RESULTS if name != _REPORT)
        # What appears once that is said must not be taken for what was there.
        arrivals = Arrivals(roots, is_being_written)
        click.echo(f"Watching what appears in {where}; Ctrl-C ends it.", err=True)
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(watching.run(arrivals))
        click.echo(watching.summary, err=True)
    return watching.exit_code


def _check(directory: Path | None) -> None:
    """Refuse what can never become a folder of results: a misspelt path would be watched in vain."""
    if directory is None or directory.is_dir():
        return
    if directory.exists():
        raise InvalidPath(f"{str(directory)!r} is no folder; `vaider analyse` watches one video.")
    if not directory.absolute().parent.is_dir():
        raise InvalidPath(f"There is no folder {str(directory.absolute().parent)!r}. Check the path.")


def _become_idle() -> None:
    """For the rest of this process and those it starts: the tests that run meanwhile come first."""
    with contextlib.suppress(OSError):
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # of the disk too
        else:
            os.nice(19)


@dataclass
class _Watching:
    settings: Settings
    expectations: tuple[str, ...]
    kept: KeptChild
    as_json: bool
    exit_code: int = 0
    _watched: int = 0
    _wrong: int = 0

    @property
    def summary(self) -> str:
        """How it ended."""
        return f"{self._watched} watched, {self._wrong} not as expected." if self._watched else "Nothing appeared."

    async def run(self, arrivals: Arrivals) -> None:
        """Until it is cancelled."""
        while True:
            arrived = arrivals.ready(time.monotonic())
            if arrived.overtaken:
                click.echo(f"Earlier attempts of the same tests are not watched ({arrived.overtaken}).", err=True)
            if arrived.files:
                await self._watch(arrived.files, arrivals)
            await asyncio.sleep(_LOOKS_EVERY_SECONDS)

    async def _watch(self, files: Sequence[Path], arrivals: Arrivals) -> None:
        """One after the other. The daemon is looked for anew, since it may come and go meanwhile."""
        async with open_engine(self.settings, self.kept) as engine:
            for path in files:
                request = AnalysisRequest(video_path=str(path), expectations=self.expectations, provider="local")
                outcome = await ask(engine, request, seconds=None, report=lambda _event: None)
                if isinstance(outcome.error, InvalidPath) and not path.exists():
                    continue  # the next run of the tests has begun, and removed it
                if isinstance(outcome.error, InvalidVideo) and not _is_old(path):
                    arrivals.unready(path)
                else:
                    self._show(path, outcome, engine.daemon)

    def _show(self, path: Path, outcome: Outcome, daemon: str | None) -> None:
        line = _headline(outcome)
        page = _page(outcome, daemon)
        self._watched += 1
        is_wrong = line.mood in {"bad", "warn"}
        self._wrong += is_wrong
        self.exit_code = max(self.exit_code, outcome.exit_code, int(is_wrong))
        if self.as_json:
            write_json(_to_json(path, outcome, line, page))
            return
        sign, title = (SIGNS[line.mood], MOODS[line.mood]), (plain(title_of(path)), "bold")
        text = Text.assemble(sign, " ", title, f": {plain(line.text)}", f"  {page}" if page else "")
        console(sys.stdout).print(text, soft_wrap=True)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _UNREADABLE_SECONDS
    except OSError:
        return False


def _headline(outcome: Outcome) -> Headline:
    if outcome.analysis is None:
        said = outcome.error.message if outcome.error else ""
        return Headline(mood="bad", label="not watched", text=f"not watched: {said}")
    return of_analysis(outcome.analysis.model_dump(mode="json", include={"verdicts", "timeline", "video", "why"}))


def _page(outcome: Outcome, daemon: str | None) -> str:
    """Where more is: its page in the dashboard, without a daemon its timeline."""
    if outcome.analysis is None:
        return ""
    if daemon is not None:
        return f"{daemon}/ui/videos/{outcome.analysis.job_id}"
    return (Path(outcome.analysis.interactions_dir) / "timeline.md").as_uri()


def _to_json(path: Path, outcome: Outcome, line: Headline, page: str) -> dict[str, Any]:
    attempt = attempt_of(path.parent)
    found: dict[str, Any] = {"video_path": str(path), "title": title_of(path), "attempt": attempt.retry + 1}
    found |= {"browser": attempt.browser} if attempt.browser else {}
    if outcome.analysis is None:
        return found | outcome.to_json()
    analysis = outcome.analysis
    return found | {
        "outcome": line.label,
        "text": line.text,
        "verdicts": [each.model_dump(mode="json", include={"expectation", "verdict"}) for each in analysis.verdicts],
        "why": analysis.why.text if analysis.why else None,
        "job_id": analysis.job_id,
        "interactions_dir": analysis.interactions_dir,
        "page": page,
    }
