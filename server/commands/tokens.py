"""``vaider tokens``: who else may use this server, and for what."""

from __future__ import annotations

import contextlib
import re
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click
from rich.text import Text

from core.errors import InvalidRequest
from core.tokens import Limits, Scope
from server.cli_output.analysis import console, table, write_json
from server.commands.options import with_settings
from server.times import ago

if TYPE_CHECKING:
    from collections.abc import Generator

    from config.settings import Settings
    from storage.tokens import Tokens


@click.group()
def tokens() -> None:
    """Give a team's people and programs tokens of their own, and take them back."""


@tokens.command("add")
@click.argument("name")
@click.option(
    "--scope",
    required=True,
    type=click.Choice([scope.value for scope in Scope]),
    help="submit = videos, and its own analyses; read = all analyses; admin = everything.",
)
@click.option("--expires", metavar="DAYS", help="After how long it is refused, e.g. 30d; else never.")
@click.option(
    "--waiting", type=click.IntRange(min=1), metavar="N", help="So many of its jobs may wait; else any number."
)
@click.option("--bytes-a-day", "size", metavar="SIZE", help="So much it may send a day (UTC), e.g. 500MB or 20GB.")
@with_settings
def add_token(
    *, name: str, scope: str, expires: str | None, waiting: int | None, size: str | None, settings: Settings
) -> None:
    """Make a token NAME and print it, this once."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name) is None:
        raise InvalidRequest("A token's name has at most 64 letters, digits, dots, dashes and underscores: ci-main.")
    until = None if expires is None else datetime.now(UTC) + _stretch(expires)
    limits = Limits(waiting=waiting, bytes_a_day=None if size is None else _bytes(size))
    with _opened(settings) as kept:
        token = kept.add(name, Scope(scope), until, limits)
    click.echo("Keep it now: it is not shown again. Who sends it says `Authorization: Bearer <it>`.", err=True)
    click.echo(token)


@tokens.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_settings
def list_tokens(*, as_json: bool, settings: Settings) -> None:
    """List the tokens: their scopes, when they expire and when they were last used."""
    with _opened(settings) as kept:
        found = kept.list()
    if as_json:
        write_json({"tokens": [info.model_dump(mode="json") for info in found]})
        return
    rows = table("name", "scope", "made", "expires", "last used", "may wait", "bytes a day")
    for info in found:
        expires = info.expires_at.date().isoformat() if info.expires_at else "never"
        made = ago(info.created_at)
        limits = ["any" if limit is None else f"{limit:,}" for limit in (info.waiting, info.bytes_a_day)]
        rows.add_row(*map(Text, (info.name, info.scope.value, made, expires, info.used_on or "never", *limits)))
    console(sys.stdout).print(rows)


@tokens.command("revoke")
@click.argument("name")
@with_settings
def revoke_token(*, name: str, settings: Settings) -> None:
    """Refuse the token NAME from now on; a running server needs no restart."""
    with _opened(settings) as kept:
        kept.revoke(name)
    click.echo(f"The token {name!r} is refused from now on.", err=True)


@contextlib.contextmanager
def _opened(settings: Settings) -> Generator[Tokens]:
    from core.farm import FARM  # noqa: PLC0415 - `--help` need not wait for SQLAlchemy
    from server.identity import installation  # noqa: PLC0415 - same
    from storage.database import Database  # noqa: PLC0415 - same
    from storage.tokens import Tokens  # noqa: PLC0415 - same

    settings.data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.closing(Database(settings.resolved_database_url)) as database:
        database.open()
        yield Tokens(database, FARM if settings.store_url else installation(settings.data_path))


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,14})(MB|GB|TB)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise InvalidRequest("--bytes-a-day takes a number of bytes, or of MB, GB or TB: --bytes-a-day 20GB.")
    return int(match[1]) * {"": 1, "MB": 10**6, "GB": 10**9, "TB": 10**12}[(match[2] or "").upper()]


def _stretch(text: str) -> timedelta:
    match = re.fullmatch(r"([1-9][0-9]{0,3})d", text)
    if match is None:
        raise InvalidRequest("--expires takes whole days, at most 9999: --expires 30d.")
    return timedelta(days=int(match[1]))
