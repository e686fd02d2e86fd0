"""``vaider`` alone: how things stand here, and what to do first."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click
from rich.text import Text

from adapters.keys import Keys
from core.artefacts import newest_in
from core.errors import VaiderError
from server.cli_output.analysis import console, lines, plain, prose
from server.client.address import address
from server.client.jobs import RemoteJobs, health
from server.commands.options import load
from server.setup.init import clients, own_entry
from server.times import ago

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from config.settings import Settings
    from core.job_briefs import BriefJob
    from server.client.address import Address

_SUMMARY: Final = "Vaider watches videos, remembers how things are done, and does them."
_DOCTOR: Final = ("vaider doctor", "what works here, and what to do about the rest")
_LOOKED_AT: Final = 20
"""Jobs among which the last one is looked for."""


class _Standing(NamedTuple):
    """What decides what comes first."""

    daemon: str | None
    """Its address, when one answers."""
    watched: bool
    """Whether any video was watched yet."""
    last: BriefJob | None
    """The job that was begun last; known to a daemon alone."""
    keys: Sequence[str]
    """The names of those there are, but for a keyring's, which would ask a person."""
    newest: Path | None
    """What a test run left in this folder last."""
    connected: bool
    """Whether an agent of this folder reaches Vaider."""


def say_first() -> None:
    """Print it; what keeps it from being known is told instead."""
    out = console(sys.stdout)
    prose(out, _SUMMARY)
    try:
        found = _standing(load({}), Path.cwd())
    except VaiderError as error:
        click.echo(plain(f"Error: {error.message}"), err=True)
        _show(out, [_DOCTOR], 0)
        return
    for each in _said(found):
        prose(out, each, "dim")
    first, *then = _steps(found)
    width = max(len(command) for command, _ in (first, *then))
    for title, steps in (("First:", [first]), ("Then:", then)):
        out.print()
        out.print(Text(title, style="bold"))
        _show(out, steps, width)
    out.print()
    prose(out, "`vaider --help` names all commands, `vaider COMMAND --help` what each takes.", "dim")


def _show(out: Console, steps: Sequence[tuple[str, str]], width: int) -> None:
    lines(out, *((Text(f"  {command:{width}} ", style="cyan"), Text(plain(about))) for command, about in steps))


def _standing(settings: Settings, directory: Path) -> _Standing:
    where = address(settings)
    runs = health(where) is not None
    jobs = asyncio.run(_last_jobs(where)) if runs else ()
    kept = Keys(os.environ, ring=lambda: None, vision_base_url=settings.vision_base_url, folder=settings.data_path)
    return _Standing(
        daemon=where.url if runs else None,
        watched=any(job.kind == "analysis" for job in jobs) or _has_answers(settings),
        last=next(iter(jobs), None),
        keys=[key.name for key in kept.status() if key.saved],
        newest=left.relative_to(directory) if (left := newest_in(directory)) else None,
        connected=any(_is_connected(directory, client) for client in clients().values()),
    )


async def _last_jobs(where: Address) -> Sequence[BriefJob]:
    async with RemoteJobs(where) as jobs:
        return await jobs.briefs(limit=_LOOKED_AT)


def _has_answers(settings: Settings) -> bool:
    from server.identity import installation  # noqa: PLC0415 - only where there is a database
    from storage.answers import AnswerIndex  # noqa: PLC0415 - same
    from storage.database import Database  # noqa: PLC0415 - same

    database = Database(settings.resolved_database_url)
    if database.path is not None and not database.path.exists():
        return False
    database.open()
    with closing(database):
        return not AnswerIndex(database, installation(settings.data_path)).is_empty()


def _is_connected(directory: Path, client: dict[str, str]) -> bool:
    try:
        return bool(own_entry(directory, client))
    except (OSError, ValueError):
        return False


def _said(found: _Standing) -> Iterator[str]:
    keys = f"Keys: {', '.join(found.keys)}." if found.keys else "No key is set, and none is needed."
    yield f"The daemon runs at {found.daemon}. {keys}" if found.daemon else f"No daemon runs. {keys}"
    if found.last is not None:
        stands = found.last.headline.label if found.last.headline else found.last.state
        yield f"Last: {found.last.title}, {ago(found.last.created_at)}: {stands}"


def _steps(found: _Standing) -> Iterator[tuple[str, str]]:
    """Commands and what they are for, the first thing first."""
    if found.newest is not None:
        yield "vaider analyse", f"what happened in {found.newest}, which a test run left here"
    elif not found.watched:
        yield "vaider analyse CLIP.mp4", "what happened in a recording; without a key, a network or a daemon"
    if found.daemon is not None and found.last is not None:
        yield "vaider jobs list", "what was watched and done, and how it ended"
    if not found.connected:
        yield "vaider init", "in your project: connect its coding agents"
    if found.daemon is None:
        yield "vaider serve", "the daemon that agents reach, with a dashboard in the browser"
    if found.watched and found.newest is None:
        yield "vaider analyse CLIP.mp4", "what happened in the next recording"
    if found.watched and not found.keys:
        yield "vaider keys setup", "only if a model is to watch or to decide as well"
    yield _DOCTOR
