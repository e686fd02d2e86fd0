"""``vaider reload``: what was done once and may be done again, and what is kept of it."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from core.errors import Conflict, InvalidPath, InvalidRequest, VaiderError
from core.files import Folder
from core.reload.entry import MAX_REQUEST, TriggerType
from core.reload.foreign import KIND, ForeignRun
from core.reload.offers import Option, Question
from server.cli_output.analysis import console, write_json
from server.cli_output.reload import (
    confirm_forgetting,
    show_emitted,
    show_entries,
    show_entry,
    show_imported,
    show_options,
    show_statistics,
)
from server.cli_output.task import say
from server.client.address import address
from server.client.engine import open_engine
from server.client.jobs import health
from server.client.recorder_and_reload import RemoteActionCache
from server.commands.options import load, with_settings
from server.commands.running import RunOptions, follow, report_run, with_run_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from config.settings import Settings
    from core.values import Value
    from server.client.engine import ActionCacheClient, Engine

ReturnT = TypeVar("ReturnT")
_NOTHING = 1


def complete_entries(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The entries that begin so, for the shell, as a running daemon tells them."""
    del ctx, param
    try:
        where = address(load({}))
        if health(where) is None:
            return []
        found = RemoteActionCache(where).entries(200)
    except (VaiderError, OSError):
        return []
    return [each.cache_id for each in found if each.cache_id.startswith(incomplete)]


_entry_argument = click.argument("cache_id", metavar="ID", shell_complete=complete_entries)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, as the HTTP routes do.")


@click.group()
def reload() -> None:
    """Do again what was done once, and list, show, forget, export and import what is kept of it."""


@reload.command("list")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True, help="At most so many.")
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Pass over so many.")
@_as_json
@with_settings
def list_entries(*, limit: int, offset: int, as_json: bool, settings: Settings) -> None:
    """List what is kept, what was used last first, with how often it was done and failed."""
    found, count = _ask(settings, lambda reloading: (reloading.entries(limit, offset), reloading.count()))
    if as_json:
        write_json({"entries": [each.model_dump(mode="json") for each in found], "count": count})
        return
    show_entries(console(sys.stdout), found, count)


@reload.command("options")
@click.argument("request", nargs=-1, metavar="[REQUEST]...")
@click.option("--trigger-type", type=click.Choice(get_args(TriggerType)), help="What leads to it.")
@click.option("--trigger-target", metavar="NAME", help="Of a click or a form: what is clicked or sent.")
@_as_json
@with_settings
def options(
    *, request: tuple[str, ...], trigger_type: Any, trigger_target: str | None, as_json: bool, settings: Settings
) -> int:
    """Show what may be done again now for REQUEST, the nearest first: its values, and what differs.

    Exit code: 0 found, 1 nothing fits, 2 bad input.
    """
    words = " ".join(request)
    if len(words) > MAX_REQUEST:
        raise InvalidRequest(f"A request may have {MAX_REQUEST} characters.")
    question = Question(trigger_type=trigger_type, trigger_target=trigger_target, request=words)

    def ask(reloading: ActionCacheClient) -> tuple[Sequence[Option], str]:
        offers = reloading.options(question)
        return offers, _next(offers[0]) if offers else ""

    found, command = _ask(settings, ask)
    if as_json:
        write_json({"options": [each.model_dump(mode="json") for each in found]})
    else:
        show_options(console(sys.stdout), found, command)
    return 0 if found else _NOTHING


def _next(option: Option) -> str:
    """The command that takes it, its values spelt out: so it also holds where no daemon remembers the offer."""
    entry = option.cache_id.partition("~")[0]
    values = [f"{slot.name}={slot.proposed}" for slot in option.slots if slot.proposed not in {None, slot.value}]
    return shlex.join(["vaider", "reload", "run", entry, *values])


@reload.command("show")
@_entry_argument
@_as_json
@with_settings
def show(*, cache_id: str, as_json: bool, settings: Settings) -> None:
    """Show an entry: each action in words, its target and effect, the counts, and what it would be once healed."""
    found = _ask(settings, lambda reloading: reloading.entry(cache_id))
    if as_json:
        write_json(found.model_dump(mode="json"))
        return
    show_entry(console(sys.stdout), found)


@reload.command("run")
@_entry_argument
@click.option("--skip", type=click.IntRange(min=0), multiple=True, metavar="N", help="Leave out that action.")
@with_run_options
def run(*, cache_id: str, skip: tuple[int, ...], options: RunOptions, settings: Settings) -> int:
    """Do ID again on a desktop, with these values; others are as they were recorded.

    ID is an entry's, or that of an option of the last ten minutes. What belongs to a front end is emitted on /events
    by the daemon, and the front end reports what became of it.

    Exit code: 0 done and seen to be done, 1 not done or not clear, 2 bad input, 3 a provider, the display or the
    daemon failed, 130 stopped.
    """

    def begin(engine: Engine) -> tuple[str, Value]:
        usual = options.request(settings, {})
        kind, request = engine.reloads().begin(cache_id, skip, options.given, usual, engine.admit)
        if kind == KIND and engine.daemon is None:
            raise Conflict(
                f"The actions of {cache_id} are a front end's, which hears of them by a daemon: vaider serve"
            )
        return kind, request

    followed = follow(settings, begin, options)
    if followed.job.kind != KIND:
        return report_run(followed, options)
    emitted = ForeignRun.model_validate(followed.job.result)
    if options.as_json:
        write_json(emitted.model_dump(mode="json"))
    else:
        show_emitted(console(sys.stdout), emitted)
    return 0 if emitted.outcome == "succeeded" else 1


@reload.command("forget")
@click.argument("cache_id", metavar="[ID]", required=False, shell_complete=complete_entries)
@click.option("--all", "everything", is_flag=True, help="Everything that is kept.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_as_json
@with_settings
def forget(*, cache_id: str | None, everything: bool, yes: bool, as_json: bool, settings: Settings) -> None:
    """Forget an entry, or --all of them, for good."""
    if bool(cache_id) is everything:
        raise InvalidRequest("Name the entry to forget, or say --all.")
    if everything and not yes:
        confirm_forgetting(_ask(settings, lambda reloading: reloading.count()))
    if everything:
        forgotten = _ask(settings, lambda reloading: reloading.forget_all())
    else:
        named, forgotten = str(cache_id), 1
        _ask(settings, lambda reloading: reloading.forget(named))
    if as_json:
        write_json({"forgotten": forgotten})
        return
    say(console(sys.stdout), "1 entry is forgotten." if forgotten == 1 else f"{forgotten} entries are forgotten.")


@reload.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@with_settings
def export(*, file: Path | None, force: bool, settings: Settings) -> None:
    """Write all that is kept into FILE, or print it; values are in it, sensitive ones are not."""
    if file is not None and file.exists() and not force:
        raise InvalidPath(f"{file} is there already: give another name, or --force.")
    data = _ask(settings, lambda reloading: reloading.export())
    if file is None:
        click.echo(data)
        return
    try:
        with Folder.open(file.absolute().parent) as folder:
            folder.replace(file.name, data)
    except OSError as error:
        raise InvalidPath(f"{file} cannot be written: {error.strerror}.") from None
    say(console(sys.stdout), f"All that is kept is in {file}.")


@reload.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@_as_json
@with_settings
def import_entries(*, file: Path, as_json: bool, settings: Settings) -> int:
    """Keep what FILE holds: as `export` writes it, or of the caches it grew from. It has to succeed here once.

    Exit code: 0 all is kept, 1 some of it is refused, 2 it is no such file.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidPath(f"{file} cannot be read: {error.strerror}.") from None
    answer = _ask(settings, lambda reloading: reloading.import_(data))
    if as_json:
        write_json(answer.model_dump(mode="json"))
    else:
        show_imported(console(sys.stdout), answer)
    return _NOTHING if answer.refused else 0


@reload.command("stats")
@_as_json
@with_settings
def stats(*, as_json: bool, settings: Settings) -> None:
    """Tell what was offered, taken, missed and refused, and why; and what it saved."""
    found = _ask(settings, lambda reloading: dict(reloading.statistics()))
    if as_json:
        write_json(found)
        return
    show_statistics(console(sys.stdout), found)


def _ask(settings: Settings, question: Callable[[ActionCacheClient], ReturnT]) -> ReturnT:
    """Ask the running daemon, or what is kept here."""

    async def asked() -> ReturnT:
        async with open_engine(settings) as engine:
            return await asyncio.to_thread(lambda: question(engine.reloads()))

    return asyncio.run(asked())
