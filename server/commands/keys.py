"""``vaider keys``: provider keys in this machine's keyring; they are never shown, and never an argument."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import click

from adapters.keys import ASKED_FOR, FILE, KEY_KINDS, KEYRING, WITHOUT, Keys, KeyStatus, Store, key_answer, keys_answer
from core.errors import Conflict, InvalidRequest, InvalidSetting
from server.cli_output.analysis import write_json
from server.commands.options import with_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from config.settings import Settings

_RING_SECONDS: Final = 30.0
"""A person at the terminal can unlock the key ring."""

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_in_file = click.option(
    "--file", "in_file", is_flag=True, help="Keep it in a file that only you can read, not encrypted."
)


@click.group()
def keys() -> None:
    """Keep provider keys in this machine's keyring. A key in the environment wins over a kept one."""


@keys.command("list")
@_as_json
@with_settings
def list_keys(*, as_json: bool, settings: Settings) -> None:
    """Tell which providers have a key and where it comes from, never the key."""
    kept = keys_of(settings)
    if as_json:
        write_json(keys_answer(kept))
        return
    for line in _lines(kept.status()):
        click.echo(line)


@keys.command("set")
@click.argument("name")
@click.argument("further", nargs=-1, metavar="")
@_in_file
@_as_json
@with_settings
def set_key(*, name: str, further: Sequence[str], in_file: bool, as_json: bool, settings: Settings) -> None:
    """Keep the key of provider NAME: asked for without echo, or read from a pipe."""
    if further:
        raise InvalidRequest(
            f"A key is never an argument, which others on this machine can read: run `vaider keys set {_known(name)}` "
            "and give it when you are asked. If this was one, make a new one at the provider."
        )
    kept = keys_of(settings)
    before = kept.status_of(name)
    store = _store(kept, name, in_file=in_file)
    value = _asked(f"Key of {name}") if sys.stdin.isatty() else sys.stdin.readline().strip("\r\n")
    kept.set(name, value, store=store)
    place = "the keyring" if store == KEYRING else str(kept.file)
    click.echo(f"The key of {name} is in {place}.", err=True)
    if before.source in KEY_KINDS[name].variables:
        click.echo(f"{before.source} of the environment still wins over it.", err=True)
    if as_json:
        write_json(key_answer(kept.status_of(name)))


@keys.command("remove")
@click.argument("name")
@_as_json
@with_settings
def remove_key(*, name: str, as_json: bool, settings: Settings) -> None:
    """Forget the kept key of provider NAME."""
    kept = keys_of(settings)
    kept.remove(name)
    click.echo(f"The key of {name} is forgotten.", err=True)
    after = kept.status_of(name)
    if after.source is not None:
        click.echo(f"{after.source} of the environment still holds one.", err=True)
    if as_json:
        write_json(key_answer(after))


# Its older name, which scripts may use.
keys.add_command(click.Command("rm", callback=remove_key.callback, params=remove_key.params, hidden=True))


@keys.command("setup")
@_in_file
@_as_json
@with_settings
def setup(*, in_file: bool, as_json: bool, settings: Settings) -> None:
    """Ask once for each key that is missing; an empty answer skips it."""
    if not sys.stdin.isatty():
        raise InvalidRequest(
            "`vaider keys setup` asks on a terminal: run it in one, or pipe a key into `vaider keys set NAME`."
        )
    kept = keys_of(settings)
    found = [kept.status_of(name) for name in ASKED_FOR]
    for status in found:
        if status.problem:
            raise Conflict(status.problem)
    missing = [status.name for status in found if not status.saved]
    click.echo(f"Vaider works without any key: {WITHOUT}.", err=True)
    saved = _ask_for(kept, missing, in_file=in_file) if missing else []
    left = [name for name in missing if name not in saved]
    click.echo(f"Without a key: {', '.join(left)}." if left else "Every provider has its key.", err=True)
    if as_json:
        write_json({"saved": saved, **keys_answer(kept)})


def keys_of(settings: Settings) -> Keys:
    """The keys as these settings have them."""
    return Keys(
        os.environ,
        vision_base_url=settings.vision_base_url,
        folder=settings.data_path,
        ring_seconds=_RING_SECONDS,
    )


def _ask_for(kept: Keys, missing: Sequence[str], *, in_file: bool) -> list[str]:
    store = _store(kept, missing[0], in_file=in_file)
    saved: list[str] = []
    for name in missing:
        kind = KEY_KINDS[name]
        click.echo(f"\n{kind.title}: with a key, {kind.adds}.\nMake one at {kind.page}", err=True)
        while value := _asked(f"Key of {name} (Enter = skip)", default=""):
            try:
                kept.set(name, value, store=store)
            except InvalidSetting as error:
                click.echo(error.message, err=True)
                continue
            saved.append(name)
            break
    click.echo(err=True)
    return saved


def _store(kept: Keys, name: str, *, in_file: bool) -> Store:
    """Where a new key goes; without a keyring, a file only after a yes."""
    if in_file:
        return FILE
    if kept.ring_state() != "none" or not sys.stdin.isatty():
        return KEYRING
    question = f"This machine has no keyring that keeps secrets. Keep keys in {kept.file}, which only you can read?"
    if click.confirm(question, default=False, err=True):
        return FILE
    variable = KEY_KINDS[name].variables[0]
    raise Conflict(f"Nothing was kept: set {variable} in the environment instead.")


def _asked(question: str, default: str | None = None) -> str:
    return click.prompt(question, hide_input=True, err=True, default=default, show_default=False)


def _known(name: str) -> str:
    return name if name in KEY_KINDS else "NAME"


def _lines(found: Sequence[KeyStatus]) -> list[str]:
    width = max(len(status.name) for status in found)
    return [f"{status.name:{width}}  {_describe_status(status)}" for status in found]


def _describe_status(status: KeyStatus) -> str:
    if status.problem:
        return status.problem
    return f"from {status.source}" if status.source else "no key"
