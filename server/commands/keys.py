"""``vaider keys``: provider keys in this machine's keyring; they are never shown, and never an argument."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from adapters.keys import Keys
from server.commands.options import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.keys import KeyStatus


@click.group()
def keys() -> None:
    """Keep provider keys in this machine's keyring. A key in the environment wins over a kept one."""


@keys.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_keys(*, as_json: bool) -> None:
    """Tell which providers have a key and where it comes from, never the key."""
    found = _keys().status()
    if as_json:
        click.echo(json.dumps({"keys": [vars(status) for status in found]}))
        return
    for line in _lines(found):
        click.echo(line)


@keys.command("set")
@click.argument("name")
def set_key(name: str) -> None:
    """Keep the key of provider NAME: asked for without echo, or read from a pipe."""
    kept = _keys()
    if sys.stdin.isatty():
        value: str = click.prompt(f"Key of {name}", hide_input=True, err=True)
    else:
        value = sys.stdin.readline()
    kept.set(name, value.strip("\r\n"))
    click.echo(f"The key of {name} is in the keyring.", err=True)


@keys.command("rm")
@click.argument("name")
def remove_key(name: str) -> None:
    """Forget the kept key of provider NAME."""
    _keys().remove(name)
    click.echo(f"The key of {name} is forgotten.", err=True)


def _keys() -> Keys:
    return Keys(os.environ, vision_base_url=load({}).vision_base_url)


def _lines(found: Sequence[KeyStatus]) -> list[str]:
    width = max(len(status.name) for status in found)
    return [f"{status.name:{width}}  {f'from {status.source}' if status.source else 'no key'}" for status in found]
